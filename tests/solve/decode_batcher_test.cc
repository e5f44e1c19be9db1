#include "core/solve/decode_batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/time/clock.h"
#include "core/base/steady_time.h"
#include "core/solve/policy_plan.h"
#include "tests/solve/decode_testing.h"
#include "tests/testing/recorded_watch.h"

namespace vrp {
namespace {

using test::GatedPolicy;
using test::Greedy;
using test::RandomCvrp;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A pool whose tasks run on the test's thread.
class ManualPool {
 public:
  void Add(absl::AnyInvocable<void()> task) { tasks_.push_back(std::move(task)); }
  // Runs all tasks, including those added meanwhile.
  void RunAll() {
    while (!tasks_.empty()) {
      absl::AnyInvocable<void()> task = std::move(tasks_.front());
      tasks_.erase(tasks_.begin());
      task();
    }
  }
  size_t waiting() const { return tasks_.size(); }

 private:
  std::vector<absl::AnyInvocable<void()>> tasks_;
};

class DecodeBatcherTest : public testing::Test {
 protected:
  // Returns options with which the pool is busy with other work while has_other_work_ is true.
  DecodeBatcher::Options ManualPoolOptions() {
    return {.limits = {},
            .max_running = 1,
            .run_later = [this](absl::AnyInvocable<void()> task) { pool_.Add(std::move(task)); },
            .has_other_work = [this] { return has_other_work_; },
            .on_batch =
                [this](const DecodeBatcher::Report& report) {
                  reported_.push_back(report.waited.size());
                }};
  }
  // Returns options with which no pool thread is free, so Decode's callers do all the work.
  static DecodeBatcher::Options NoPoolOptions(int32_t max_running) {
    return {.limits = {},
            .max_running = max_running,
            .run_later = [](const absl::AnyInvocable<void()>&) {},
            .has_other_work = [] { return true; }};
  }
  // Submits a request and stores its result.
  void Submit(DecodeBatcher& batcher, PolicyRequest request) {
    const size_t number = outcomes_.size();
    outcomes_.emplace_back();
    batcher.Submit(std::move(request), [this, number](DecodeOutcome outcome) {
      ASSERT_FALSE(outcomes_[number].has_value()) << "answered twice";
      outcomes_[number] = std::move(outcome);
    });
  }
  absl::Status StatusOf(size_t number) const {
    return outcomes_[number].has_value() ? outcomes_[number]->plan.status()
                                         : absl::UnavailableError("no answer");
  }

  const std::shared_ptr<GatedPolicy> policy_ = std::make_shared<GatedPolicy>();
  ManualPool pool_;
  bool has_other_work_ = true;
  std::vector<size_t> reported_;
  std::vector<std::optional<DecodeOutcome>> outcomes_;
};

TEST_F(DecodeBatcherTest, DecodesALoneRequestAtOnceOnTheCallersThread) {
  DecodeBatcher batcher(ManualPoolOptions());
  has_other_work_ = false;
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  ASSERT_TRUE(StatusOf(0).ok()) << StatusOf(0);
  EXPECT_EQ(pool_.waiting(), 0);
  EXPECT_THAT(policy_->batches(), ElementsAre(1));
}

TEST_F(DecodeBatcherTest, JoinsConsecutiveRequestsIntoOneBatch) {
  DecodeBatcher batcher(ManualPoolOptions());
  for (int i = 0; i < 5; ++i) Submit(batcher, Greedy(policy_, RandomCvrp(10 + i)));
  EXPECT_THAT(policy_->batches(), IsEmpty());
  EXPECT_EQ(pool_.waiting(), 1);  // one task for all requests
  EXPECT_EQ(batcher.waiting(), 5);
  pool_.RunAll();
  EXPECT_THAT(policy_->batches(), ElementsAre(5));
  EXPECT_THAT(reported_, ElementsAre(5));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(StatusOf(i).ok()) << StatusOf(i);
    EXPECT_EQ(outcomes_[i]->plan->plan, NearestNeighbourPlan(RandomCvrp(10 + i)));
  }
}

TEST_F(DecodeBatcherTest, ReportsABatchToTheMonitorUntilItIsDecoded) {
  test::RecordedWatch watch;
  DecodeBatcher::Options options = ManualPoolOptions();
  options.watch = watch.Function();
  options.on_batch = [&watch](const DecodeBatcher::Report&) {
    EXPECT_THAT(watch.Take(), ElementsAre("decode batch", "end of decode batch"));
  };
  DecodeBatcher batcher(std::move(options));
  has_other_work_ = false;
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  EXPECT_TRUE(StatusOf(0).ok()) << StatusOf(0);
  EXPECT_THAT(watch.Take(), IsEmpty()) << "on_batch has taken the reports";
}

TEST_F(DecodeBatcherTest, RunsOtherWorkOfThePoolBetweenBatches) {
  DecodeBatcher::Options options = ManualPoolOptions();
  options.limits.max_batch = 2;
  DecodeBatcher batcher(options);
  for (int i = 0; i < 4; ++i) Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  size_t batches_before = 0;
  pool_.Add([&] { batches_before = policy_->batches().size(); });
  pool_.RunAll();
  EXPECT_EQ(batches_before, 1);
  EXPECT_THAT(policy_->batches(), ElementsAre(2, 2));
}

TEST_F(DecodeBatcherTest, DecodesRequestsThatArriveDuringABatchTogether) {
  policy_->Open();
  const auto closed = std::make_shared<GatedPolicy>(true);
  DecodeBatcher batcher(NoPoolOptions(1));
  std::vector<std::thread> callers;
  const auto decode = [&] {
    EXPECT_TRUE(batcher.Decode(Greedy(closed, RandomCvrp(10))).plan.ok());
  };
  callers.emplace_back(decode);
  closed->AwaitCalls(1);
  // These callers cannot run their requests beside the first batch. The first caller to wake
  // decodes all of them.
  for (int i = 0; i < 3; ++i) callers.emplace_back(decode);
  while (batcher.waiting() < 3) std::this_thread::yield();
  closed->Open();
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(closed->batches(), ElementsAre(1, 3));
}

TEST_F(DecodeBatcherTest, LimitsConcurrentBatches) {
  DecodeBatcher::Options options = NoPoolOptions(2);
  options.limits.max_batch = 1;
  DecodeBatcher batcher(options);
  const auto closed = std::make_shared<GatedPolicy>(true);
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back(
        [&] { EXPECT_TRUE(batcher.Decode(Greedy(closed, RandomCvrp(10))).plan.ok()); });
  }
  closed->AwaitCalls(2);
  closed->Open();
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(closed->batches(), SizeIs(6));
  EXPECT_LE(closed->max_concurrent(), 2);
}

TEST_F(DecodeBatcherTest, FailsOnlyTheRequestThatCannotBeDecoded) {
  DecodeBatcher batcher(ManualPoolOptions());
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  Submit(batcher, Greedy(policy_, test::AnInstance().WithCustomers(5).Named("poison").Build()));
  Submit(batcher, Greedy(policy_, RandomCvrp(12)));
  pool_.RunAll();
  EXPECT_TRUE(StatusOf(0).ok()) << StatusOf(0);
  EXPECT_EQ(StatusOf(1), absl::FailedPreconditionError("poisoned"));
  EXPECT_TRUE(StatusOf(2).ok()) << StatusOf(2);
  EXPECT_EQ(outcomes_[2]->plan->plan, NearestNeighbourPlan(RandomCvrp(12)));
}

TEST_F(DecodeBatcherTest, RefusesRequestsBeyondTheLimitAtOnce) {
  DecodeBatcher::Options options = ManualPoolOptions();
  options.limits.max_waiting = 2;
  DecodeBatcher batcher(options);
  for (int i = 0; i < 3; ++i) Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  EXPECT_TRUE(absl::IsResourceExhausted(StatusOf(2))) << StatusOf(2);
  EXPECT_EQ(RetryDelayOf(StatusOf(2)), absl::ZeroDuration());  // the request's time is unknown
  EXPECT_EQ(RetryDelayOf(StatusOf(0)), std::nullopt);
  EXPECT_TRUE(absl::IsUnavailable(StatusOf(0)));  // still queued
  pool_.RunAll();
  EXPECT_TRUE(StatusOf(0).ok() && StatusOf(1).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(batcher
                                            .Decode([&] {
                                              for (int i = 0; i < 2; ++i)
                                                Submit(batcher, Greedy(policy_, RandomCvrp(10)));
                                              return Greedy(policy_, RandomCvrp(10));
                                            }())
                                            .plan.status()));
  pool_.RunAll();
}

TEST_F(DecodeBatcherTest, DropsExpiredAndCancelledRequests) {
  DecodeBatcher batcher(ManualPoolOptions());
  const auto cancel = std::make_shared<CancelFlag>();
  PolicyRequest cancelled = Greedy(policy_, RandomCvrp(10));
  cancelled.options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  PolicyRequest expired = Greedy(policy_, RandomCvrp(10));
  expired.options.stop = StopCondition(absl::InfinitePast(), nullptr);
  Submit(batcher, cancelled);
  Submit(batcher, expired);
  cancel->Cancel();
  pool_.RunAll();
  EXPECT_TRUE(absl::IsCancelled(StatusOf(0))) << StatusOf(0);
  EXPECT_TRUE(absl::IsDeadlineExceeded(StatusOf(1))) << StatusOf(1);
  EXPECT_THAT(policy_->batches(), IsEmpty());
}

TEST_F(DecodeBatcherTest, AnswersExpiredRequestsInASeparateTaskAfterTheBatch) {
  DecodeBatcher batcher(ManualPoolOptions());
  PolicyRequest expired = Greedy(policy_, RandomCvrp(10));
  expired.options.stop = StopCondition(absl::InfinitePast(), nullptr);
  Submit(batcher, Greedy(policy_, RandomCvrp(11)));
  size_t batches_before = 0;
  batcher.Submit(std::move(expired), [&](const DecodeOutcome& outcome) {
    EXPECT_TRUE(absl::IsDeadlineExceeded(outcome.plan.status())) << outcome.plan.status();
    EXPECT_EQ(pool_.waiting(), 0);
    batches_before = policy_->batches().size();
  });
  pool_.RunAll();
  EXPECT_TRUE(StatusOf(0).ok()) << StatusOf(0);
  EXPECT_EQ(batches_before, 1);
}

TEST_F(DecodeBatcherTest, AnswersAnExpiredDecodingWithoutThePool) {
  DecodeBatcher batcher(NoPoolOptions(1));
  PolicyRequest expired = Greedy(policy_, RandomCvrp(10));
  expired.options.stop = StopCondition(absl::InfinitePast(), nullptr);
  EXPECT_TRUE(absl::IsDeadlineExceeded(batcher.Decode(std::move(expired)).plan.status()));
}

TEST_F(DecodeBatcherTest, PredictsTimeoutsFromAnAbortedDecoding) {
  DecodeBatcher batcher(ManualPoolOptions());
  const auto closed = std::make_shared<GatedPolicy>(true);
  const auto deadline = std::make_shared<MovableDeadline>(absl::InfiniteFuture());
  const auto request = [&](int32_t customers) {
    PolicyRequest join = Greedy(closed, RandomCvrp(customers));
    join.options.stop = StopCondition().WithMovableDeadline(deadline);
    return join;
  };
  EXPECT_FALSE(batcher.WouldExceed(request(50), absl::Milliseconds(1)));
  std::thread opener([&] {
    closed->AwaitCalls(1);
    absl::SleepFor(absl::Milliseconds(250));
    deadline->EndNow();
    closed->Open();
  });
  EXPECT_TRUE(absl::IsDeadlineExceeded(batcher.Decode(request(50)).plan.status()));
  opener.join();
  EXPECT_TRUE(batcher.WouldExceed(request(50), absl::Milliseconds(100)));
  EXPECT_FALSE(batcher.WouldExceed(request(10), absl::Milliseconds(100)));
  EXPECT_FALSE(batcher.WouldExceed(request(50), absl::Hours(1)));
  EXPECT_TRUE(batcher.Decode(Greedy(closed, RandomCvrp(50))).plan.ok());
  EXPECT_FALSE(batcher.WouldExceed(request(50), absl::Milliseconds(100)));
}

TEST_F(DecodeBatcherTest, MeasuresAnUnknownTimeOnceWithinTheDeadline) {
  DecodeBatcher batcher(ManualPoolOptions());
  const PolicyRequest request = Greedy(policy_, RandomCvrp(50));
  EXPECT_EQ(batcher.TimeOf(request, SteadyNow() + kMaxMeasuringTime).time, absl::ZeroDuration());
  EXPECT_THAT(policy_->batches(), IsEmpty());
  EXPECT_GT(batcher.TimeOf(request, absl::InfiniteFuture()).time, absl::ZeroDuration());
  EXPECT_GT(batcher.TimeOf(request, absl::InfinitePast()).time, absl::ZeroDuration());
  EXPECT_THAT(policy_->batches(), ElementsAre(1));
}

TEST_F(DecodeBatcherTest, CancelsOneRequestOfABatchAndAnswersTheOthers) {
  DecodeBatcher batcher(ManualPoolOptions());
  const auto closed = std::make_shared<GatedPolicy>(true);
  const auto cancel = std::make_shared<CancelFlag>();
  PolicyRequest cancelled = Greedy(closed, RandomCvrp(10));
  cancelled.options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  Submit(batcher, cancelled);
  Submit(batcher, Greedy(closed, RandomCvrp(11)));
  std::thread pool([&] { pool_.RunAll(); });
  closed->AwaitCalls(1);
  cancel->Cancel();
  closed->Open();
  pool.join();
  EXPECT_TRUE(absl::IsCancelled(StatusOf(0))) << StatusOf(0);
  EXPECT_TRUE(StatusOf(1).ok()) << StatusOf(1);
  EXPECT_THAT(closed->batches(), ElementsAre(2));
}

TEST_F(DecodeBatcherTest, WaitsForAFullBatchWhileTheNetworkIsBusy) {
  DecodeBatcher::Options options = NoPoolOptions(2);
  options.limits.max_batch = 3;
  options.max_delay = absl::Hours(1);
  DecodeBatcher batcher(options);
  const auto closed = std::make_shared<GatedPolicy>(true);
  std::vector<std::thread> callers;
  const auto decode = [&] {
    EXPECT_TRUE(batcher.Decode(Greedy(closed, RandomCvrp(10))).plan.ok());
  };
  callers.emplace_back(decode);
  closed->AwaitCalls(1);  // an idle network must not wait for an hour
  for (int i = 0; i < 3; ++i) callers.emplace_back(decode);
  closed->AwaitCalls(2);
  closed->Open();
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(closed->batches(), ElementsAre(1, 3));
}

TEST_F(DecodeBatcherTest, IncludesQueuedWorkInTheExpectedWait) {
  DecodeBatcher batcher(ManualPoolOptions());
  EXPECT_EQ(batcher.ExpectedWait(), absl::ZeroDuration());
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  pool_.RunAll();  // the request's time is known now
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  const absl::Duration wait = batcher.ExpectedWait();
  Submit(batcher, Greedy(policy_, RandomCvrp(10)));
  EXPECT_GT(wait, absl::ZeroDuration());
  EXPECT_EQ(batcher.ExpectedWait(), 2 * wait);
  pool_.RunAll();
}

TEST_F(DecodeBatcherTest, ReturnsEachThreadItsOwnAnswer) {
  DecodeBatcher batcher(NoPoolOptions(2));
  std::vector<std::thread> callers;
  std::array<int, 8> correct = {};
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const Instance instance = RandomCvrp(5 + i % 7, static_cast<uint64_t>(t) * 1000 + i);
        const DecodeOutcome outcome = batcher.Decode(Greedy(policy_, instance));
        if (outcome.plan.ok() && outcome.plan->plan == NearestNeighbourPlan(instance)) ++correct[t];
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(correct, Each(100));
}

}  // namespace
}  // namespace vrp
