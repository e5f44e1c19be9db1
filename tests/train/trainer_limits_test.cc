// Tests runs that end at a limit, and live models.
#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "core/model/weights/model_card.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

absl::Status PublishNothing(const TrainingResult&) { return absl::OkStatus(); }

using test::Recorder;
using test::Yaml;
using testing::HasSubstr;

class TrainerLimitsTest : public test::TrainerFixture {
 protected:
  absl::StatusOr<ModelCard> CardIn(const std::string& folder) {
    const absl::StatusOr<std::string> text = ReadFile(folder + "/card.json");
    if (!text.ok()) return text.status();
    return ParseModelCard(*text, "card");
  }
  const std::string yaml_ = Yaml("reinforce", "reinforce: {baseline: exponential}\n");
};

TEST_F(TrainerLimitsTest, EndsAtTheEpochLimitWithTheModelOfThatEpoch) {
  limits_.epoch_limit = 2;
  Recorder recorder;
  const auto result = Train("a", yaml_, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kEpochLimit);
  EXPECT_EQ(result->steps, 10);
  EXPECT_EQ(recorder.epochs.size(), 2u);
  EXPECT_EQ(result->validation_cost, recorder.epochs[1].validation_cost);
  EXPECT_THAT(recorder.log, HasSubstr("the job's limit on epochs: 2 whole epochs of 4, 10 steps"));
  limits_.epoch_limit = 9;
  Recorder all;
  EXPECT_EQ(Train("b", yaml_, all)->end, TrainingEnd::kAllEpochs) << "the limit exceeds the epochs";
}

TEST_F(TrainerLimitsTest, EndsAtTheTimeLimitAfterAStepAndAValidation) {
  limits_.time_limit = absl::ZeroDuration();
  Recorder recorder;
  const auto result = Train("a", yaml_, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kTimeLimit);
  EXPECT_EQ(result->steps, 1);
  EXPECT_GT(result->validation_cost, 0);
  EXPECT_EQ(CardIn(ModelOf("a"))->validation_cost, result->validation_cost);
  EXPECT_THAT(recorder.log, HasSubstr("the job's limit on time"));
}

TEST_F(TrainerLimitsTest, ValidatesAtTheTimeLimitWithPatience) {
  std::string yaml = yaml_;
  yaml.replace(yaml.find("epochs: 4"), 9, "patience: 3, epochs: 4");
  limits_.time_limit = absl::ZeroDuration();
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 1);
  EXPECT_GT(result->validation_cost, 0);
}

TEST_F(TrainerLimitsTest, TakesTheSameFirstStepsAsAnUnlimitedRun) {
  Recorder unlimited, limited;
  ASSERT_TRUE(Train("unlimited", yaml_, unlimited).ok());
  limits_.epoch_limit = 3;
  ASSERT_TRUE(Train("limited", yaml_, limited).ok());
  ASSERT_EQ(limited.steps.size(), 15u);
  for (size_t i = 0; i < 15; ++i) EXPECT_EQ(limited.steps[i].loss, unlimited.steps[i].loss);
}

TEST_F(TrainerLimitsTest, KeepsTheCheckpointsOfTheBestValidations) {
  std::string yaml = yaml_;
  yaml.replace(yaml.find("epochs: 4"), 9,
               "keep_best_checkpoints: 1, keep_last_checkpoints: 1, epochs: 4");
  Recorder recorder;
  ASSERT_TRUE(Train("a", yaml, recorder).ok());
  const auto best = std::min_element(
      recorder.epochs.begin(), recorder.epochs.end(),
      [](const auto& a, const auto& b) { return a.validation_cost < b.validation_cost; });
  EXPECT_TRUE(std::filesystem::exists(root_ + "/a/checkpoint/step-" + std::to_string(best->step)));
  Recorder reference;
  ASSERT_TRUE(Train("b", yaml_, reference).ok());
  EXPECT_EQ(WeightsOf("a"), WeightsOf("b"));
}

// An observer that requests a live model after step 3.
class LiveRequester final : public TrainingObserver {
 public:
  LiveRequester(LiveModels& live, std::string folder) : live_(live), folder_(std::move(folder)) {}
  ~LiveRequester() override {
    if (thread_.joinable()) thread_.join();
  }
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress& progress) override {
    losses.push_back(progress.loss);
    if (progress.step != 3 || thread_.joinable()) return;
    thread_ = std::thread(
        [this] { answer = live_.WriteAndPublish(folder_, absl::Minutes(1), PublishNothing); });
    // Waits for the request, so that the end of this step or of the next one serves it.
    absl::SleepFor(absl::Milliseconds(20));
  }
  void OnCheckpoint(int64_t) override {}
  void Join() { thread_.join(); }

  std::vector<double> losses;
  absl::StatusOr<TrainingResult> answer = absl::UnknownError("not requested");

 private:
  LiveModels& live_;
  const std::string folder_;
  std::thread thread_;
};

TEST_F(TrainerLimitsTest, TrainsTheSameWithLivePublications) {
  Recorder reference;
  ASSERT_TRUE(Train("reference", yaml_, reference).ok());
  LiveModels live;
  limits_.live = &live;
  LiveRequester requester(live, ModelOf("live"));
  ASSERT_TRUE(Train("requested", yaml_, requester).ok());
  live.Close(absl::AbortedError("the run is over"));
  requester.Join();
  ASSERT_TRUE(requester.answer.ok()) << requester.answer.status();
  EXPECT_EQ(WeightsOf("requested"), WeightsOf("reference"));
  const auto card = CardIn(ModelOf("live"));
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->steps, requester.answer->steps);
  EXPECT_EQ(card->training_job, LiveJobName("trainingJobs/test", card->steps));
  EXPECT_EQ(card->validation_cost, requester.answer->validation_cost);
  EXPECT_GT(card->validation_cost, 0);
  EXPECT_NE(WeightsOf("live"), WeightsOf("requested"));
}

TEST(LiveModelsTest, AnswersRequestsAfterTheRunWithItsReason) {
  LiveModels live;
  live.Close(absl::AbortedError("the run is over"));
  EXPECT_TRUE(
      absl::IsAborted(live.WriteAndPublish("x", absl::Minutes(1), PublishNothing).status()));
}

class LiveModelsAnswerTest : public testing::Test {
 protected:
  // Returns the answer to a request to a run that writes models by `write`.
  absl::Status AnswerOf(LiveModels::Publish publish, LiveModels::Write write) {
    LiveModels live;
    std::atomic<bool> written = false;
    absl::StatusOr<TrainingResult> answer = absl::UnknownError("not requested");
    std::thread requester(
        [&] { answer = live.WriteAndPublish("x", absl::InfiniteDuration(), publish); });
    while (!written) {
      live.Serve([&](const std::string& directory) {
        written = true;
        return write(directory);
      });
      absl::SleepFor(absl::Milliseconds(1));  // the requesting thread also needs the lock
    }
    requester.join();
    return answer.status();
  }
};

TEST_F(LiveModelsAnswerTest, ReturnsTheErrorOfThePublication) {
  bool published = false;
  const auto publish = [&published](const TrainingResult&) {
    published = true;
    return absl::DataLossError("the disk failed");
  };
  const absl::Status answer_status =
      AnswerOf(publish, [](const std::string&) { return TrainingResult(); });
  EXPECT_TRUE(published);
  EXPECT_TRUE(absl::IsDataLoss(answer_status)) << answer_status;
}

TEST_F(LiveModelsAnswerTest, ReportsThatWritingOrPublishingRanOutOfMemory) {
  const auto no_memory = [](const TrainingResult&) -> absl::Status { throw std::bad_alloc(); };
  const auto result = [](const std::string&) { return TrainingResult(); };
  const auto no_result = [](const std::string&) -> absl::StatusOr<TrainingResult> {
    throw std::bad_alloc();
  };
  EXPECT_TRUE(absl::IsResourceExhausted(AnswerOf(no_memory, result)));
  EXPECT_TRUE(absl::IsResourceExhausted(AnswerOf(PublishNothing, no_result)));
}

TEST(LiveModelsTest, DropsARequestAfterItsDeadline) {
  LiveModels live;
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      live.WriteAndPublish("x", absl::Milliseconds(1), PublishNothing).status()));
  live.Serve([](const std::string&) -> absl::StatusOr<TrainingResult> {
    ADD_FAILURE() << "the request has timed out";
    return TrainingResult();
  });
}

}  // namespace
}  // namespace vrp
