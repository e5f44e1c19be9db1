#include "tests/jobs/job_test_support.h"

#include <set>
#include <utility>

#include "absl/synchronization/notification.h"
#include "core/base/text.h"
#include "gtest/gtest.h"

namespace vrp::test {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(60);  // limit between two events

}  // namespace

JobSpec ASpec(int64_t epochs, int64_t batches) {
  JobSpec spec;
  spec.config_name = "tiny.yaml";
  spec.config_yaml = "name: tiny\n";
  spec.overrides = {Concat("training.epochs=", epochs),
                    Concat("training.batches_per_epoch=", batches)};
  spec.device = "cpu";
  return spec;
}

std::vector<JobEvent> ReadUntil(EventSubscription& events,
                                const std::function<bool(const JobEvent&)>& wanted) {
  std::vector<JobEvent> read;
  while (!events.AtEnd()) {
    auto ready = std::make_shared<absl::Notification>();
    events.NotifyWhenReady([ready] { ready->Notify(); });
    if (!ready->WaitForNotificationWithTimeout(kTimeout)) {
      ADD_FAILURE() << "no event for " << kTimeout << " after event " << read.size();
      break;
    }
    const absl::StatusOr<std::vector<JobEvent>> next = events.Next(1);
    if (!next.ok()) {
      ADD_FAILURE() << next.status();
      break;
    }
    read.insert(read.end(), next->begin(), next->end());
    if (!next->empty() && wanted(next->back())) break;
  }
  return read;
}

std::vector<std::string> Describe(const std::vector<JobEvent>& events) {
  std::vector<std::string> descriptions;
  for (const JobEvent& event : events) {
    switch (event.type) {
      case EventType::kState:
        descriptions.emplace_back(JobStateName(event.state));
        break;
      case EventType::kModel:
        descriptions.push_back(Concat("model ", event.text));
        break;
      case EventType::kLog:
        descriptions.emplace_back("log");
        break;
      case EventType::kPart:
        descriptions.push_back(Concat("part ", event.step));
        break;
      case EventType::kImprovement:
      case EventType::kAnswer:
        descriptions.push_back(Concat(EventTypeName(event.type), " ", event.solve->cost));
        break;
      default:
        descriptions.push_back(
            Concat(EventTypeName(event.type), " ",
                   event.solve ? event.solve->cost : static_cast<double>(event.step)));
    }
  }
  return descriptions;
}

std::vector<std::string> DescribeWithoutLogs(const std::vector<JobEvent>& events) {
  std::vector<std::string> descriptions = Describe(events);
  std::erase(descriptions, "log");
  return descriptions;
}

void ExpectConsistentLog(const std::vector<JobEvent>& events) {
  std::set<std::pair<int32_t, int64_t>> steps;
  int64_t sequence = 0;
  int32_t attempt = 0;
  for (const JobEvent& event : events) {
    EXPECT_EQ(event.sequence, ++sequence);
    EXPECT_GE(event.attempt, attempt);
    attempt = event.attempt;
    if (event.type == EventType::kProgress) {
      EXPECT_TRUE(steps.emplace(event.attempt, event.step).second) << event.step;
    }
  }
}

}  // namespace vrp::test
