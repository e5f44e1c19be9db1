// Tests the loop of runs of models that plan no routes.
#include "core/train/run/state_run.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/steady_time.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

// A model with one weight: the number of its steps.
class CountingLearner final : public StateLearner {
 public:
  absl::StatusOr<StateStep> Step(int64_t step) override {
    parameters_.values().front() = static_cast<float>(step + 1);
    return StateStep{.instances = 1};
  }
  absl::StatusOr<ValidationScore> Validate() override { return ValidationScore{.cost = 1}; }
  FlatParameters& parameters() override { return parameters_; }
  int64_t InstancesSeen(int64_t steps) const override { return steps; }
  double reference() const override { return 1; }
  std::string reference_name() const override { return "nothing"; }
  std::string ScoreText(const ValidationScore&) const override { return {}; }
  std::string StepsText(double) const override { return {}; }
  absl::Status WriteModel(const std::string&, const std::string&, std::span<const float> parameters,
                          const TrainingResult&) const override {
    written_.push_back(parameters.front());
    return absl::OkStatus();
  }
  std::map<std::string, double> ScalarState() const override { return {}; }
  std::map<std::string, std::span<float>> TensorState() override { return {}; }
  absl::Status Restore(const std::map<std::string, double>&, std::span<const int32_t>) override {
    return absl::OkStatus();
  }

  const std::vector<float>& written() const { return written_; }

 private:
  FlatParameters parameters_{ParameterLayout({{.name = "steps", .shape = {1}}}), 1};
  mutable std::vector<float> written_;
};

class SilentObserver final : public TrainingObserver {
 public:
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress&) override {}
  void OnCheckpoint(int64_t) override {}
};

TEST(StateRunTest, PublishesWeightsThatALiveModelHadValidatedWhenTheRunWasStopped) {
  const test::TempFolder folder;
  LiveModels live;
  const auto end_early = std::make_shared<CancelFlag>();
  TrainingRequest request;
  request.checkpoint_directory = folder.path();
  request.live = &live;
  request.end_early = end_early;
  request.config.epochs = 1;
  request.config.batches_per_epoch = 1'000'000'000;  // more than the run takes
  request.config.checkpoint_every_steps = 1'000'000'000;
  const StopCondition stop;
  SilentObserver observer;
  RunContext context(request, stop, observer);
  CountingLearner learner;
  absl::StatusOr<TrainingResult> published = absl::UnknownError("not asked");
  std::thread asker([&] {
    published = live.WriteAndPublish("live", absl::InfiniteDuration(), [&](const TrainingResult&) {
      end_early->Cancel();
      return absl::OkStatus();
    });
  });
  StateRun run(context, learner, SteadyNow());
  const absl::StatusOr<TrainingResult> result = run.Run();
  asker.join();
  ASSERT_TRUE(published.ok()) << published.status();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kStopped);
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  EXPECT_EQ(result->steps, published->steps);
  EXPECT_EQ(learner.written(), std::vector<float>(2, static_cast<float>(result->steps)));
}

}  // namespace
}  // namespace vrp
