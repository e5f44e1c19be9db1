#include "core/solve/network_time.h"

#include <gtest/gtest.h>

namespace vrp {
namespace {

NetworkTime NetworkTimeOf(absl::Duration needed, absl::Duration budget) {
  return {.strategy = Strategy::kGreedy, .customers = 20, .needed = needed, .budget = budget};
}

std::string RefusalText(const NetworkTime& time) {
  const absl::Status status = BudgetTooShort(time);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_TRUE(IsBudgetTooShort(status));
  return std::string(status.message());
}

TEST(NetworkTimeTest, NamesTheRequiredTime) {
  const NetworkTime time = NetworkTimeOf(absl::Microseconds(4800), absl::Milliseconds(2));
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 20 customers takes about 4.8 ms here, and the budget is 2 ms; "
            "search gave the plan");
  EXPECT_EQ(RefusalText(time),
            "budget: 2 ms is less than the 4.8 ms that greedy decoding of 20 customers takes "
            "here; raise it to 8 ms, or unset network_only");
}

TEST(NetworkTimeTest, NamesTheDeadlineIfItIsEarlier) {
  NetworkTime time = NetworkTimeOf(absl::Milliseconds(30), absl::Milliseconds(10));
  time.by_deadline = true;
  time.customers = 1;
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 1 customer takes about 30 ms here, and the deadline leaves 10 ms; "
            "search gave the plan");
  EXPECT_EQ(RefusalText(time).substr(0, 16), "deadline: 10 ms ");
}

TEST(NetworkTimeTest, NamesTheWaitIfTheBudgetWouldSuffice) {
  const NetworkTime time = NetworkTimeOf(absl::Milliseconds(10), absl::Milliseconds(40));
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 20 customers takes about 10 ms here, and the budget is 40 ms, part "
            "of which it spent waiting; search gave the plan");
  EXPECT_EQ(
      RefusalText(time),
      "budget: 40 ms did not suffice for greedy decoding of 20 customers, which takes about 10 ms "
      "here, because it waited for its turn; raise it, or unset network_only");
}

TEST(NetworkTimeTest, OmitsAnUnknownTime) {
  const NetworkTime time = NetworkTimeOf(absl::ZeroDuration(), absl::Milliseconds(40));
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 20 customers was not done in time: the budget is 40 ms; search "
            "gave the plan");
  EXPECT_EQ(RefusalText(time),
            "budget: 40 ms did not suffice for greedy decoding of 20 customers; raise it, or unset "
            "network_only");
}

TEST(NetworkTimeTest, MarksALowerBound) {
  NetworkTime time = NetworkTimeOf(absl::Milliseconds(50), absl::Milliseconds(40));
  time.at_least = true;
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 20 customers was not done in time: it takes more than 50 ms here, "
            "and the budget is 40 ms; search gave the plan");
  EXPECT_EQ(RefusalText(time),
            "budget: 40 ms is less than greedy decoding of 20 customers takes here, which is more "
            "than 50 ms; raise it, or unset network_only");
  time.budget = absl::Milliseconds(60);
  EXPECT_EQ(LateDecodingNote(time),
            "greedy decoding of 20 customers was not done in time: the budget is 60 ms; search "
            "gave the plan");
}

TEST(NetworkTimeTest, DistinguishesItsErrorFromOthersOfTheSameCode) {
  EXPECT_FALSE(IsBudgetTooShort(absl::DeadlineExceededError("late")));
  EXPECT_FALSE(IsBudgetTooShort(absl::OkStatus()));
}

}  // namespace
}  // namespace vrp
