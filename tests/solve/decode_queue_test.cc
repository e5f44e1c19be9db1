#include "core/solve/decode_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/steady_time.h"
#include "tests/solve/decode_testing.h"

namespace vrp {
namespace {

using test::GatedPolicy;
using test::RandomCvrp;
using testing::ElementsAre;

class DecodeQueueTest : public testing::Test {
 protected:
  static bool Add(DecodeQueue& queue, PolicyRequest request) {
    WaitingDecode waiting{.request = std::move(request), .done = nullptr, .since = SteadyNow()};
    return queue.TryAdd(waiting);
  }
  PolicyRequest Greedy(int32_t customers) const {
    return test::Greedy(policy_, RandomCvrp(customers));
  }

  // Returns the number of customers of each request of the next batch.
  static std::vector<int32_t> NextBatch(DecodeQueue& queue, absl::Time now = SteadyNow()) {
    std::vector<int32_t> customers;
    for (const WaitingDecode& waiting : queue.Take(now).batch) {
      customers.push_back(waiting.request.instance.num_customers());
    }
    return customers;
  }

  const std::shared_ptr<Policy> policy_ = std::make_shared<GatedPolicy>();
};

TEST_F(DecodeQueueTest, JoinsRequestsOfOneKindAndAnySize) {
  DecodeQueue queue({});
  for (const int32_t customers : {10, 30, 20}) ASSERT_TRUE(Add(queue, Greedy(customers)));
  EXPECT_EQ(queue.waiting(), 3);
  EXPECT_THAT(NextBatch(queue), ElementsAre(10, 30, 20));
  EXPECT_THAT(NextBatch(queue), ElementsAre());
}

TEST_F(DecodeQueueTest, LimitsTheBatchSize) {
  DecodeQueue queue({.max_batch = 2, .max_rows = 60});
  for (const int32_t customers : {10, 11, 12, 25, 26, 27}) {
    ASSERT_TRUE(Add(queue, Greedy(customers)));
  }
  EXPECT_THAT(NextBatch(queue), ElementsAre(10, 11));
  EXPECT_THAT(NextBatch(queue), ElementsAre(12, 25));
  EXPECT_THAT(NextBatch(queue), ElementsAre(26, 27));  // 27 + 28 rows
}

TEST_F(DecodeQueueTest, JoinsImprovementsOfEqualRoundsAndSeedsThatEndTogether) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  const auto improvement = [&](int32_t customers, int32_t rounds, absl::Duration left) {
    PolicyRequest request = Greedy(customers);
    request.options.improvement = PlanImprovement{.rounds = rounds, .until = now + left};
    return request;
  };
  PolicyRequest seeded = improvement(14, 100, absl::Seconds(9));
  seeded.options.seed = 7;
  for (const PolicyRequest& request :
       {improvement(10, 100, absl::Seconds(10)), Greedy(11),
        improvement(12, 200, absl::Seconds(10)), improvement(13, 100, absl::Seconds(6)), seeded,
        improvement(15, 100, absl::Seconds(4))}) {
    ASSERT_TRUE(Add(queue, request));
  }
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(10, 13));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(11));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(12));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(14));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(15));
}

TEST_F(DecodeQueueTest, KnowsWhenTheNextBatchIsFull) {
  DecodeQueue queue({.max_batch = 3, .max_rows = 60});
  ASSERT_TRUE(Add(queue, Greedy(10)));
  ASSERT_TRUE(Add(queue, Greedy(10)));
  EXPECT_FALSE(queue.HasFullBatch());
  ASSERT_TRUE(Add(queue, Greedy(10)));
  EXPECT_TRUE(queue.HasFullBatch());
  NextBatch(queue);
  ASSERT_TRUE(Add(queue, Greedy(29)));
  ASSERT_TRUE(Add(queue, Greedy(29)));
  EXPECT_TRUE(queue.HasFullBatch());
}

TEST_F(DecodeQueueTest, SeparatesIncompatibleRequests) {
  DecodeQueue queue({});
  PolicyRequest other_policy = Greedy(12);
  other_policy.policy = std::make_shared<GatedPolicy>();
  PolicyRequest beam = Greedy(13);
  beam.options.method = DecodeMethod::kBeam;
  beam.options.width = 4;
  PolicyRequest augmented = Greedy(14);
  augmented.options.augmentations = 8;
  PolicyRequest large = Greedy(600);
  for (const PolicyRequest& request : {Greedy(11), other_policy, beam, augmented, large}) {
    ASSERT_TRUE(Add(queue, request));
    PolicyRequest duplicate = request;
    ASSERT_TRUE(Add(queue, duplicate));
  }
  EXPECT_THAT(NextBatch(queue), ElementsAre(11, 11));
  EXPECT_THAT(NextBatch(queue), ElementsAre(12, 12));
  EXPECT_THAT(NextBatch(queue), ElementsAre(13, 13));
  EXPECT_THAT(NextBatch(queue), ElementsAre(14, 14));
  EXPECT_THAT(NextBatch(queue), ElementsAre(600));
  EXPECT_THAT(NextBatch(queue), ElementsAre(600));
}

TEST_F(DecodeQueueTest, NeverJoinsSamplesOrRequestsWithTheirOwnThreads) {
  DecodeQueue queue({});
  PolicyRequest samples = Greedy(10);
  samples.options.method = DecodeMethod::kSample;
  samples.options.width = 2;
  PolicyRequest threaded = Greedy(11);
  threaded.threads = 2;
  for (const PolicyRequest& request : {samples, samples, threaded, threaded}) {
    ASSERT_TRUE(Add(queue, request));
  }
  EXPECT_THAT(NextBatch(queue), ElementsAre(10));
  EXPECT_THAT(NextBatch(queue), ElementsAre(10));
  EXPECT_THAT(NextBatch(queue), ElementsAre(11));
  EXPECT_THAT(NextBatch(queue), ElementsAre(11));
}

TEST_F(DecodeQueueTest, TakesHighPriorityRequestsFirst) {
  DecodeQueue queue({.max_batch = 3});
  for (const int32_t customers : {10, 11, 12}) {
    PolicyRequest bulk = Greedy(customers);
    bulk.importance = DecodeClass::kBulk;
    ASSERT_TRUE(Add(queue, bulk));
  }
  ASSERT_TRUE(Add(queue, Greedy(20)));
  ASSERT_TRUE(Add(queue, Greedy(21)));
  EXPECT_THAT(NextBatch(queue), ElementsAre(20, 21, 10));
  EXPECT_THAT(NextBatch(queue), ElementsAre(11, 12));
}

TEST_F(DecodeQueueTest, LimitsEachClassSeparately) {
  DecodeQueue queue({.max_waiting = 2});
  PolicyRequest bulk = Greedy(10);
  bulk.importance = DecodeClass::kBulk;
  EXPECT_TRUE(Add(queue, bulk));
  EXPECT_TRUE(Add(queue, bulk));
  EXPECT_FALSE(Add(queue, bulk));
  EXPECT_TRUE(Add(queue, Greedy(10)));
  EXPECT_EQ(queue.waiting(), 3);
}

TEST_F(DecodeQueueTest, ReturnsExpiredAndCancelledRequestsSeparately) {
  DecodeQueue queue({});
  const auto cancel = std::make_shared<CancelFlag>();
  PolicyRequest cancelled = Greedy(10);
  cancelled.options.stop = StopCondition(absl::InfiniteFuture(), cancel);
  PolicyRequest expired = Greedy(11);
  expired.options.stop = StopCondition(absl::InfinitePast(), nullptr);
  for (const PolicyRequest& request : {cancelled, Greedy(12), expired}) {
    ASSERT_TRUE(Add(queue, request));
  }
  cancel->Cancel();
  const DecodeQueue::Taken taken = queue.Take(SteadyNow());
  ASSERT_EQ(taken.batch.size(), 1);
  EXPECT_EQ(taken.batch[0].request.instance.num_customers(), 12);
  ASSERT_EQ(taken.expired.size(), 2);
  EXPECT_EQ(queue.waiting(), 0);
}

TEST_F(DecodeQueueTest, JoinsOnlyRequestsThatMeetTheEarliestDeadline) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  queue.RecordTime(Greedy(9), 10, absl::Hours(10));  // one hour per row
  EXPECT_EQ(queue.ExpectedTime(Greedy(2), 3), absl::Hours(3));
  PolicyRequest urgent = Greedy(9);
  urgent.options.stop = StopCondition(now + absl::Hours(25), nullptr);
  ASSERT_TRUE(Add(queue, Greedy(8)));
  ASSERT_TRUE(Add(queue, urgent));      // 19 hours in all
  ASSERT_TRUE(Add(queue, Greedy(10)));  // 30 rows
  ASSERT_TRUE(Add(queue, Greedy(5)));   // 25 rows
  EXPECT_EQ(queue.ExpectedTime(), absl::Hours(9 + 10 + 11 + 6));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(8, 9, 5));
  EXPECT_THAT(NextBatch(queue, now), ElementsAre(10));
}

TEST_F(DecodeQueueTest, PredictsFromRecentTimes) {
  DecodeQueue queue({});
  EXPECT_EQ(queue.ExpectedTime(Greedy(9), 10), absl::ZeroDuration());
  for (int i = 0; i < 50; ++i) {
    const absl::Duration duration = i < 10 ? absl::Seconds(10) : absl::Seconds(20);
    queue.RecordTime(Greedy(9), 10, duration);
  }
  EXPECT_NEAR(absl::ToDoubleSeconds(queue.ExpectedTime(Greedy(9), 10)), 20, 0.01);
}

TEST_F(DecodeQueueTest, DistinguishesMethods) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  queue.RecordTime(Greedy(9), 10, absl::Seconds(10));
  queue.RecordAbandoned(Greedy(9), 10, absl::Seconds(10), now);
  PolicyRequest beam = Greedy(9);
  beam.options.method = DecodeMethod::kBeam;
  beam.options.width = 2;
  EXPECT_EQ(queue.ExpectedTime(beam, 10), absl::ZeroDuration());
  EXPECT_FALSE(queue.WouldExceed(beam, absl::Seconds(1), now));
  EXPECT_TRUE(queue.WouldExceed(Greedy(9), absl::Seconds(1), now));
}

TEST_F(DecodeQueueTest, LearnsALowerBoundFromAnAbortedDecoding) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  queue.RecordAbandoned(Greedy(9), 10, absl::Seconds(10), now);
  EXPECT_EQ(queue.ExpectedTime(Greedy(9), 10), absl::ZeroDuration()) << "no time was known before";
  queue.RecordTime(Greedy(9), 10, absl::Seconds(20));
  queue.RecordAbandoned(Greedy(9), 10, absl::Seconds(10), now + absl::Seconds(1));
  EXPECT_EQ(queue.ExpectedTime(Greedy(9), 10), absl::Seconds(20));
  queue.RecordAbandoned(Greedy(9), 10, absl::Seconds(30), now + absl::Seconds(2));
  EXPECT_EQ(queue.ExpectedTime(Greedy(9), 10), absl::Seconds(30));
}

TEST_F(DecodeQueueTest, PredictsTimeoutsFromADecodingThatTimedOut) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  queue.RecordAbandoned(Greedy(99), 100, absl::Seconds(10), now);
  EXPECT_TRUE(queue.WouldExceed(Greedy(99), absl::Seconds(10), now));
  EXPECT_TRUE(queue.WouldExceed(Greedy(150), absl::Seconds(10), now + absl::Seconds(9)));
  EXPECT_FALSE(queue.WouldExceed(Greedy(98), absl::Seconds(10), now))
      << "the request has fewer rows";
  EXPECT_FALSE(queue.WouldExceed(Greedy(99), absl::Seconds(12), now))
      << "the request has more time";
  EXPECT_FALSE(queue.WouldExceed(Greedy(99), absl::Seconds(1), now + absl::Seconds(11)))
      << "the timeout was long ago";
}

// The time per row falls with the size. A linear estimate would be up to 50 times too high.
TEST_F(DecodeQueueTest, PredictsNoTimeoutFromSmallInstancesAlone) {
  DecodeQueue queue({});
  queue.RecordTime(Greedy(9), 10, absl::Seconds(10));
  queue.RecordAbandoned(Greedy(9), 10, absl::Seconds(1), SteadyNow());
  queue.RecordTime(Greedy(9), 10, absl::Seconds(10));
  EXPECT_FALSE(queue.WouldExceed(Greedy(499), absl::Seconds(20), SteadyNow()));
}

TEST_F(DecodeQueueTest, ForgetsATimeoutOnceAsManyRowsFinishInTime) {
  DecodeQueue queue({});
  const absl::Time now = SteadyNow();
  queue.RecordAbandoned(Greedy(99), 100, absl::Seconds(10), now);
  queue.RecordTime(Greedy(98), 99, absl::Seconds(1));
  EXPECT_TRUE(queue.WouldExceed(Greedy(99), absl::Seconds(5), now)) << "fewer rows prove nothing";
  queue.RecordTime(Greedy(99), 100, absl::Seconds(1));
  EXPECT_FALSE(queue.WouldExceed(Greedy(99), absl::Seconds(5), now));
}

TEST_F(DecodeQueueTest, UsesAnEstimateUntilATimeIsKnown) {
  DecodeQueue queue({});
  queue.RecordEstimate(Greedy(9), 10, {.time = absl::Seconds(10), .at_least = true});
  EXPECT_EQ(queue.TimeOf(Greedy(9), 20).time, absl::Seconds(20));
  EXPECT_TRUE(queue.TimeOf(Greedy(9), 20).at_least);
  queue.RecordTime(Greedy(9), 10, absl::Seconds(30));
  EXPECT_EQ(queue.TimeOf(Greedy(9), 10).time, absl::Seconds(30));
  EXPECT_FALSE(queue.TimeOf(Greedy(9), 10).at_least);
  queue.RecordEstimate(Greedy(9), 10, {.time = absl::Seconds(1)});
  EXPECT_EQ(queue.TimeOf(Greedy(9), 10).time, absl::Seconds(30));
}

}  // namespace
}  // namespace vrp
