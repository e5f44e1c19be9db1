#include "client/output/progress_text.h"

#include <sstream>

#include "client/output/event_sinks.h"
#include "client/support/environment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"

namespace vrp::client {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(BytesBarLine, FitsIntoTheTerminal) {
  EXPECT_EQ(BytesBarLine(0, 100 << 20, 80), "[>                             ]   0%  of 100 MiB");
  EXPECT_THAT(BytesBarLine(50 << 20, 100 << 20, 80), HasSubstr("=>"));
  EXPECT_THAT(BytesBarLine(100 << 20, 100 << 20, 80), HasSubstr("=] 100%"));
  for (int width = 0; width < 60; ++width) {
    EXPECT_LE(BytesBarLine(1, 3, width).size(), static_cast<size_t>(width));
  }
}

TEST(PlainProgress, ShowsAllValuesInOneLine) {
  EXPECT_EQ(PlainProgressLine(AProgress(37), absl::Seconds(80)),
            "epoch 2/10  step 37/100  loss 1.25  cost 6.91  val 6.32 (-4.10 % vs nearest "
            "neighbour)  1234 instances/s  0.104 s/step  26.4 s/epoch  ETA 1m20s");
}

TEST(PlainProgress, OmitsTheGapIfTheDaemonSendsNone) {
  v1::TrainingProgress progress = AProgress(37);
  progress.clear_validation_gap();
  EXPECT_THAT(PlainProgressLine(progress, std::nullopt), HasSubstr("val 6.32  1234 instances/s"));
}

TEST(PlainProgress, ShowsTheGapToAnUnnamedReferenceOfAnOlderDaemon) {
  v1::TrainingProgress progress = AProgress(37);
  progress.clear_validation_reference();
  EXPECT_THAT(PlainProgressLine(progress, std::nullopt), HasSubstr("(-4.10 % vs reference)"));
}

TEST(PlainProgress, OmitsUnknownValues) {
  v1::TrainingProgress progress = AProgress(1);
  progress.clear_validation_cost();
  progress.clear_validation_gap();
  progress.clear_seconds_per_epoch();
  EXPECT_EQ(PlainProgressLine(progress, std::nullopt),
            "epoch 2/10  step 1/100  loss 1.25  cost 6.91  1234 instances/s  0.104 s/step");
}

TEST(ProgressBar, ShowsEverythingIfItFits) {
  EXPECT_EQ(ProgressBarLine(AProgress(50), absl::Seconds(80), 200),
            "[===============>              ]  50%  epoch 2/10  step 50/100  loss 1.25  cost 6.91  "
            "val 6.32  (-4.10 % vs nearest neighbour)  1234 inst/s  0.104 s/step  26.4 s/epoch  "
            "ETA 1m20s");
}

TEST(ProgressBar, DropsTheLeastImportantValuesFirst) {
  const std::string line = ProgressBarLine(AProgress(50), absl::Seconds(80), 79);
  EXPECT_THAT(line, StartsWith("["));
  EXPECT_THAT(line, HasSubstr("epoch 2/10"));
  EXPECT_THAT(line, EndsWith("ETA 1m20s"));
  EXPECT_THAT(line, Not(HasSubstr("vs nearest")));
  EXPECT_THAT(ProgressBarLine(AProgress(50), absl::Seconds(80), 110),
              HasSubstr("0.104 s/step  ETA"));
}

class ProgressBarWidth : public testing::TestWithParam<int> {};

TEST_P(ProgressBarWidth, IsNeverExceeded) {
  for (const int64_t step : {1, 50, 100, 250}) {
    EXPECT_LE(ProgressBarLine(AProgress(step), absl::Hours(30), GetParam()).size(),
              static_cast<size_t>(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Terminals, ProgressBarWidth,
                         testing::Values(0, 1, 3, 10, 19, 20, 40, 79, 119, 200));

TEST(ProgressBar, IsFullAtTheEndOnly) {
  EXPECT_THAT(ProgressBarLine(AProgress(99), std::nullopt, 160), HasSubstr("=>]  99%"));
  EXPECT_THAT(ProgressBarLine(AProgress(100), std::nullopt, 160), HasSubstr("==] 100%"));
}

TEST(RemainingTime, FollowsThePaceSoFar) {
  RemainingTime remaining;
  const absl::Time start = absl::UnixEpoch();
  EXPECT_FALSE(remaining.Update(AProgress(10), start).has_value());
  EXPECT_EQ(remaining.Update(AProgress(20), start + absl::Seconds(5)), absl::Seconds(40));
}

TEST(RemainingTime, IgnoresThePauseBeforeARestart) {
  RemainingTime remaining;
  const absl::Time start = absl::UnixEpoch();
  remaining.Update(AProgress(10), start);
  remaining.Update(AProgress(20), start + absl::Seconds(5));
  remaining.Restart();
  EXPECT_FALSE(remaining.Update(AProgress(15), start + absl::Hours(9)).has_value());
  EXPECT_EQ(remaining.Update(AProgress(25), start + absl::Hours(9) + absl::Seconds(5)),
            absl::Seconds(37.5));
}

class SinkTest : public testing::Test {
 protected:
  std::istringstream in_;
  std::ostringstream out_, err_;
  Interrupt interrupt_;
  absl::Time now_ = absl::UnixEpoch();
  Environment environment_{.in = in_,
                           .out = out_,
                           .err = err_,
                           .interrupt = interrupt_,
                           .terminal_width = [] { return 100; },
                           .now = [this] { return now_; }};
};

TEST_F(SinkTest, PrintsAPlainLineAtMostEveryTwoSeconds) {
  PlainEventSink sink(environment_);
  for (int i = 1; i <= 40; ++i) {
    sink.OnEvent(AProgressEvent(i, i));
    now_ += absl::Milliseconds(100);
  }
  EXPECT_THAT(out_.str(), HasSubstr("step 1/100"));
  EXPECT_THAT(out_.str(), HasSubstr("step 21/100"));
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(SinkTest, PrintsAPlainLineAtEachEndOfEpoch) {
  PlainEventSink sink(environment_);
  for (int i = 1; i <= 3; ++i) {
    v1::WatchTrainingJobResponse event = AProgressEvent(i, i);
    event.mutable_progress()->set_end_of_epoch(true);
    sink.OnEvent(event);
  }
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(SinkTest, RemovesControlCharactersFromLogLines) {
  PlainEventSink sink(environment_);
  sink.OnEvent(ALogEvent(1, "a\x1b[2Jb\rc"));
  EXPECT_EQ(out_.str(), "a [2Jb c\n");
}

TEST_F(SinkTest, PrintsLogLinesAboveTheBar) {
  BarEventSink sink(environment_);
  sink.OnEvent(AProgressEvent(1, 50));
  out_.str("");
  sink.OnEvent(ALogEvent(2, "hello"));
  EXPECT_THAT(out_.str(), StartsWith("\r\x1b[Khello\n\r\x1b[K["));
}

TEST_F(SinkTest, EndsTheLineOfTheBar) {
  BarEventSink sink(environment_);
  sink.OnEvent(AProgressEvent(1, 50));
  sink.OnEnd();
  EXPECT_THAT(out_.str(), EndsWith("\n"));
}

TEST_F(SinkTest, KeepsConnectionErrorsOutOfTheJsonStream) {
  JsonEventSink sink(environment_);
  sink.OnConnectionLost(absl::UnavailableError("Socket closed"));
  sink.OnReconnected();
  EXPECT_EQ(out_.str(), "");
  EXPECT_THAT(err_.str(), HasSubstr("Socket closed"));
}

}  // namespace
}  // namespace vrp::client
