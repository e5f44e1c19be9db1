#include "core/jobs/job.h"

#include <set>

#include "core/jobs/job_change.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using enum JobState;
using ::testing::HasSubstr;

constexpr JobState kAllStates[] = {kQueued,     kPreparing, kRunning,   kPausing, kPaused,
                                   kCancelling, kStopping,  kSucceeded, kFailed,  kCancelled};

const std::set<std::pair<JobState, JobState>> kLegalTransitions = {
    {kQueued, kPreparing},     {kQueued, kCancelled},    {kPreparing, kRunning},
    {kQueued, kPaused},        {kPreparing, kSucceeded}, {kPreparing, kFailed},
    {kPreparing, kCancelling}, {kPreparing, kPausing},   {kPreparing, kQueued},
    {kRunning, kSucceeded},    {kRunning, kFailed},      {kRunning, kCancelling},
    {kRunning, kPausing},      {kRunning, kQueued},      {kPausing, kPaused},
    {kPausing, kCancelling},   {kPausing, kSucceeded},   {kPausing, kFailed},
    {kPaused, kQueued},        {kPaused, kCancelled},    {kCancelling, kCancelled},
    {kCancelling, kSucceeded}, {kPreparing, kStopping},  {kRunning, kStopping},
    {kStopping, kSucceeded},   {kStopping, kFailed},     {kStopping, kCancelled},
    {kStopping, kCancelling},  {kStopping, kQueued},
};

class TransitionTest : public ::testing::TestWithParam<std::tuple<JobState, JobState>> {};

TEST_P(TransitionTest, AllowsOnlyTheListedTransitions) {
  const auto [from, to] = GetParam();
  const bool legal = kLegalTransitions.contains({from, to});
  EXPECT_EQ(CanMove(from, to), legal);

  JobRecord record;
  record.job.id = "j1";
  record.job.state = from;
  record.job.last_sequence = 4;
  JobChange change(record, absl::FromUnixSeconds(7));
  const absl::Status moved = change.MoveTo(to);
  if (legal) {
    ASSERT_TRUE(moved.ok()) << moved;
    ASSERT_EQ(change.events().size(), 1u);
    EXPECT_EQ(change.events().front().state, to);
    EXPECT_EQ(change.events().front().sequence, 5);
    EXPECT_EQ(change.record().job.ended != absl::InfinitePast(), IsFinal(to));
  } else {
    EXPECT_TRUE(absl::IsFailedPrecondition(moved));
    EXPECT_THAT(moved.ToString(), HasSubstr(std::string(JobStateName(to))));
    EXPECT_TRUE(change.events().empty());
    EXPECT_EQ(change.state(), from);
  }
}

INSTANTIATE_TEST_SUITE_P(AllPairs, TransitionTest,
                         ::testing::Combine(::testing::ValuesIn(kAllStates),
                                            ::testing::ValuesIn(kAllStates)),
                         [](const auto& test) {
                           return std::string(JobStateName(std::get<0>(test.param))) + "_" +
                                  std::string(JobStateName(std::get<1>(test.param)));
                         });

TEST(JobTest, ReadsBackNamesOfStatesAndEventTypes) {
  for (const JobState state : kAllStates) EXPECT_EQ(ParseJobState(JobStateName(state)), state);
  for (const EventType type :
       {EventType::kState, EventType::kLog, EventType::kProgress, EventType::kCheckpoint,
        EventType::kResumed, EventType::kModel, EventType::kImprovement, EventType::kAnswer}) {
    EXPECT_EQ(ParseEventType(EventTypeName(type)), type);
  }
  EXPECT_FALSE(ParseJobState("running").has_value());
  EXPECT_FALSE(ParseEventType("").has_value());
}

TEST(JobChangeTest, ResetsTheCrashCountOnlyAtANewCheckpoint) {
  JobRecord record;
  record.job.state = kRunning;
  record.crashes = 2;
  record.checkpoint_step = 30;
  JobChange change(record, absl::FromUnixSeconds(7));
  change.RecordCheckpoint(30);
  EXPECT_EQ(change.record().crashes, 2);
  change.RecordCheckpoint(31);
  EXPECT_EQ(change.record().crashes, 0);
  EXPECT_EQ(change.record().checkpoint_step, 31);
}

TEST(JobChangeTest, MakesTextsPrintableAndLimitsTheirLength) {
  JobRecord record;
  record.job.state = kRunning;
  JobChange change(record, absl::FromUnixSeconds(7));
  change.RecordLog("bell \a, broken \xff");
  EXPECT_EQ(change.events().back().text.find('\a'), std::string::npos);
  EXPECT_EQ(change.events().back().text.find('\xff'), std::string::npos);
  change.RecordLog(std::string(1 << 20, 'x'));
  EXPECT_LT(change.events().back().text.size(), 100'000u);
  ASSERT_TRUE(change.Fail(absl::InternalError("two\nlines")).ok());
  EXPECT_EQ(change.record().job.error.message(), "two\nlines");
  EXPECT_EQ(change.events().back().text, "two\nlines");
}

}  // namespace
}  // namespace vrp
