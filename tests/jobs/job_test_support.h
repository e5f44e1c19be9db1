// Builds specifications of jobs, and reads their event logs without sleeping.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/job_manager.h"
#include "gtest/gtest.h"

namespace vrp::test {

// Returns a valid specification: `epochs` epochs of `batches` steps, and a model called "tiny".
JobSpec ASpec(int64_t epochs = 2, int64_t batches = 5);

// Returns the subscription's events up to the first for which `wanted` is true, or all events.
// Fails the test after 60 s without a new event.
std::vector<JobEvent> ReadUntil(EventSubscription& events,
                                const std::function<bool(const JobEvent&)>& wanted);
// Returns all events of a job that will end.
template <typename Manager>
std::vector<JobEvent> ReadToEnd(Manager& jobs, std::string_view id) {
  return ReadUntil(**jobs.Watch(id, 1), [](const JobEvent&) { return false; });
}
// Waits until the job ends. Returns the job.
template <typename Manager>
Job AwaitEnd(Manager& jobs, std::string_view id) {
  ReadToEnd(jobs, id);
  return *jobs.Get(id);
}
// Waits until the job has an event of this state.
template <typename Manager>
void AwaitState(Manager& jobs, std::string_view id, JobState state) {
  const std::vector<JobEvent> events = ReadUntil(
      **jobs.Watch(id, 1), [state](const JobEvent& event) { return event.state == state; });
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().state, state);
}

// Returns a short text per event: "PREPARING", "progress 3", "resumed 6", "model models/...",
// "log". Events of solve jobs have the cost: "improvement 12.5", "answer 12", "resumed 12.5".
// Parts have their number: "part 2".
std::vector<std::string> Describe(const std::vector<JobEvent>& events);
std::vector<std::string> DescribeWithoutLogs(const std::vector<JobEvent>& events);

// Expects sequence numbers 1, 2, 3, ..., each step once per attempt, and attempts in order.
void ExpectConsistentLog(const std::vector<JobEvent>& events);

}  // namespace vrp::test
