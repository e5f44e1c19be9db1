// Tests the order of the queue, labels and limits.
#include <cstdint>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JobQueueTest : public test::JobManagerFixture {
 protected:
  std::string SubmitWith(const std::function<void(JobSpec&)>& change) {
    JobSpec spec = test::ASpec(1, 3);
    change(spec);
    const absl::StatusOr<Job> job = jobs_->Submit(spec, "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job.ok() ? job->id : "";
  }
  std::string SubmitWithPriority(int32_t priority) {
    return SubmitWith([priority](JobSpec& spec) { spec.priority = priority; });
  }
  absl::Status SubmitStatus(const std::function<void(JobSpec&)>& change) {
    JobSpec spec = test::ASpec(1, 3);
    change(spec);
    return jobs_->Submit(spec, "").status();
  }
  std::vector<std::string> ListIds(const std::map<std::string, std::string>& labels,
                                   int32_t page_size = 0) {
    std::vector<std::string> ids;
    JobFilter filter{.page_size = page_size, .labels = labels};
    do {
      const absl::StatusOr<JobPage> page = jobs_->List(filter);
      EXPECT_TRUE(page.ok()) << page.status();
      for (const Job& job : page->jobs) ids.push_back(job.id);
      filter.page_token = page->next_page_token;
    } while (!filter.page_token.empty());
    return ids;
  }
};

TEST_F(JobQueueTest, RunsTheHighestPriorityFirstThenTheOldest) {
  Open();
  const std::string running = SubmitHeld();
  const std::string low = SubmitWithPriority(-5), normal = SubmitWithPriority(0),
                    urgent = SubmitWithPriority(7), later = SubmitWithPriority(7);
  EXPECT_EQ(jobs_->Get(running)->queue_position, 0);
  EXPECT_EQ(jobs_->Get(urgent)->queue_position, 1);
  EXPECT_EQ(jobs_->Get(later)->queue_position, 2);
  EXPECT_EQ(jobs_->Get(normal)->queue_position, 3);
  EXPECT_EQ(jobs_->Get(low)->queue_position, 4);
  EXPECT_EQ(jobs_->List({})->jobs[3].queue_position, 4) << "lists must contain queue positions";
  trainer_->Release();
  test::AwaitEnd(*jobs_, low);
  std::vector<std::string> order;
  for (const TrainingRequest& request : trainer_->requests()) {
    order.push_back(request.job_name.substr(request.job_name.find('/') + 1));
  }
  EXPECT_THAT(order, ElementsAre(running, urgent, later, normal, low));
}

TEST_F(JobQueueTest, CountsPausedJobsTowardsTheQueueLimit) {
  JobManager::Options options = ManagerOptions();
  options.max_queued = 2;
  jobs_ = *JobManager::Create(options);
  const std::string running = SubmitHeld();
  const auto expect_full = [this] {
    const absl::Status status = jobs_->Submit(test::ASpec(), "").status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("jobs wait, including paused ones, and the limit is 2"));
  };
  const std::string first = Submit(), second = Submit();
  for (const std::string& id : {first, second}) ASSERT_TRUE(jobs_->Pause(id).ok());
  expect_full();
  ASSERT_TRUE(jobs_->Pause(running).ok());
  test::AwaitState(*jobs_, running, JobState::kPaused);
  expect_full();
  ASSERT_TRUE(jobs_->Cancel(running).ok());
  expect_full();
  ASSERT_TRUE(jobs_->Cancel(first).ok());
  EXPECT_TRUE(jobs_->Submit(test::ASpec(), "").ok());
  EXPECT_TRUE(jobs_->Resume(second).ok());
  trainer_->Release();
}

TEST_F(JobQueueTest, KeepsThePriorityAcrossRestarts) {
  Open();
  const std::string first = SubmitHeld();
  const std::string normal = SubmitWithPriority(0), urgent = SubmitWithPriority(1);
  Open();
  ASSERT_TRUE(trainer_->AwaitHeld());
  EXPECT_EQ(trainer_->requests().back().job_name, "trainingJobs/" + urgent);
  EXPECT_EQ(jobs_->Get(first)->queue_position, 1) << "the interrupted job is older";
  EXPECT_EQ(jobs_->Get(normal)->queue_position, 2);
  trainer_->Release();
  test::AwaitEnd(*jobs_, normal);
}

TEST_F(JobQueueTest, FiltersPagesByLabels) {
  Open();
  SubmitHeld();
  const auto labelled = [this](std::map<std::string, std::string> labels) {
    return SubmitWith([&labels](JobSpec& spec) { spec.labels = labels; });
  };
  const std::string both = labelled({{"team", "north"}, {"run", "7"}});
  const std::string other = labelled({{"team", "south"}});
  const std::string north = labelled({{"team", "north"}});
  const std::string odd = labelled({{"a.b/c-d", "it's \"quoted\", é"}});
  EXPECT_THAT(ListIds({{"team", "north"}}), ElementsAre(north, both));
  EXPECT_THAT(ListIds({{"team", "north"}}, 1), ElementsAre(north, both));
  EXPECT_THAT(ListIds({{"team", "north"}, {"run", "7"}}), ElementsAre(both));
  EXPECT_THAT(ListIds({{"run", "8"}}), IsEmpty());
  EXPECT_THAT(ListIds({{"a.b/c-d", "it's \"quoted\", é"}}), ElementsAre(odd));
  EXPECT_EQ(jobs_->Get(both)->spec.labels.at("run"), "7");
  EXPECT_TRUE(absl::IsInvalidArgument(jobs_->List({.labels = {{"no spaces", "x"}}}).status()));
  trainer_->Release();
}

TEST_F(JobQueueTest, RefusesValuesOutOfRangeAndNamesThem) {
  Open();
  const auto expect = [](const absl::Status& status, const std::string& text) {
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  };
  expect(SubmitStatus([](JobSpec& spec) { spec.priority = 1001; }), "priority: got 1001");
  expect(SubmitStatus([](JobSpec& spec) { spec.priority = INT32_MIN; }),
         "priority: got -2147483648");
  expect(SubmitStatus([](JobSpec& spec) { spec.time_limit = absl::Milliseconds(5); }),
         "time_limit: got 5ms, wanted 1s");
  expect(SubmitStatus([](JobSpec& spec) { spec.epoch_limit = -1; }), "epoch_limit: got -1");
  expect(SubmitStatus([](JobSpec& spec) { spec.labels[""] = "x"; }), "labels: got the key \"\"");
  expect(SubmitStatus([](JobSpec& spec) { spec.labels["k"] = std::string(64, 'v'); }), "for k");
  expect(SubmitStatus([](JobSpec& spec) { spec.labels["k"] = "\n"; }), "printable");
  expect(SubmitStatus([](JobSpec& spec) {
           for (int i = 0; i < 33; ++i) spec.labels[Concat("k", i)] = "v";
         }),
         "labels: has 33 entries, wanted at most 32");
}

TEST_F(JobQueueTest, PassesTheRemainingTimeLimitToTheTrainer) {
  UseTrainer({.before_step = [this](const TrainingRequest&, int64_t step) {
    if (step == 2) clock_.Advance(absl::Minutes(20));
    return absl::OkStatus();
  }});
  Open();
  trainer_->HoldAt(3);
  const std::string id = SubmitWith([](JobSpec& spec) {
    spec.time_limit = absl::Hours(1);
    spec.epoch_limit = 4;
  });
  ASSERT_TRUE(trainer_->AwaitHeld());
  ASSERT_TRUE(jobs_->Pause(id).ok());
  test::AwaitState(*jobs_, id, JobState::kPaused);
  clock_.Advance(absl::Hours(9));  // time while paused does not count
  trainer_->Release();
  ASSERT_TRUE(jobs_->Resume(id).ok());
  const Job job = test::AwaitEnd(*jobs_, id);
  EXPECT_EQ(job.run_time, absl::Minutes(20));
  EXPECT_EQ(job.end, TrainingEnd::kAllEpochs);
  ASSERT_EQ(trainer_->requests().size(), 2u);
  EXPECT_EQ(trainer_->requests()[0].time_limit, absl::Hours(1));
  EXPECT_EQ(trainer_->requests()[1].time_limit, absl::Minutes(40));
  EXPECT_EQ(trainer_->requests()[1].epoch_limit, 4);
}

}  // namespace
}  // namespace vrp
