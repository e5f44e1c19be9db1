// Tests that dispatch models are trained, resumed, validated and published.
#include "core/train/dispatch/dispatch_trainer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/steady_time.h"
#include "core/model/dispatch/dispatch_model.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/train/data/label_folder.h"
#include "core/train/dispatch/training_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::Recorder;
using testing::HasSubstr;

class DispatchTrainerTest : public test::TrainerFixture {
 protected:
  DispatchTrainerTest() {
    std::string lines;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      lines += WriteJson(test::AnInstance()
                             .WithCustomers(30)
                             .Seed(seed)
                             .Capacity(30)
                             .Vehicles(1)  // returns and leaves again
                             .RandomDemands()
                             .RandomWindows()
                             .Build()) +
               "\n";
    }
    EXPECT_TRUE(AtomicWriteFile(sites_, lines).ok());
    limits_.cache_directory = root_ + "/labels";
  }

  // Returns a training of a few seconds.
  std::string Yaml() const {
    return "name: waves\nmodel: dispatch\n"
           "dispatch: {sites: " +
           sites_ +
           ", days_per_site: 2, epoch: 40, margin: 10, requests_per_epoch: 8, label_seconds: 0, "
           "label_iterations: 200, hidden: [6], perturbations: 4, search_iterations: 30}\n"
           "validation: {days: 6, decision_iterations: 50, shifts: [-0.2, 0, 0.2]}\n"
           "training: {epochs: 3, batch_size: 4, checkpoint_every_steps: 2}\n";
  }
  absl::StatusOr<TrainingResult> Train(const std::string& name, Recorder& recorder,
                                       const ConfigOverrides& overrides = {}) {
    TrainingRequest request = limits_;
    const auto config = ParseTrainingConfig(Yaml(), "test.yaml", overrides);
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = threads_;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    std::filesystem::create_directories(request.checkpoint_directory);
    return MakeDispatchTrainer()->Train(request, {absl::InfiniteFuture(), recorder.cancel},
                                        recorder);
  }
  TrainingRequest RequestFor(const ConfigOverrides& overrides) const {
    TrainingRequest request;
    request.config = *ParseTrainingConfig(Yaml(), "test.yaml", overrides);
    return request;
  }

  const std::string sites_ = root_ + "/sites.jsonl";
};

TEST_F(DispatchTrainerTest, CostsLessThanItsFirstWeights) {
  Recorder untrained;
  const auto before = Train("untrained", untrained, {"training.learning_rate=1e-9"});
  ASSERT_TRUE(before.ok()) << before.status();
  Recorder recorder;
  const auto after = Train("trained", recorder, {"training.epochs=8"});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_LT(after->validation_cost, before->validation_cost);
  EXPECT_LT(recorder.steps.back().loss, recorder.steps.front().loss);
}

TEST_F(DispatchTrainerTest, ReportsStepsAndEpochs) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(recorder.epochs.size(), 3u);
  ASSERT_FALSE(recorder.steps.empty());
  for (const TrainingProgress& step : recorder.steps) {
    EXPECT_EQ(step.steps, std::ssize(recorder.steps));
    EXPECT_DOUBLE_EQ(step.loss, 1 - step.accuracy);
    EXPECT_GE(step.train_cost, 0) << "the decisions of a step may all let everything wait";
  }
  for (const TrainingProgress& epoch : recorder.epochs) {
    EXPECT_EQ(epoch.reference, "hindsight 200 iterations");
    EXPECT_GT(epoch.validation_reference, 0);
    EXPECT_GT(epoch.validation_cost, 0.9 * epoch.validation_reference);
    EXPECT_GT(epoch.validation_gap, -0.1);
  }
  EXPECT_EQ(result->end, TrainingEnd::kAllEpochs);
  EXPECT_EQ(result->reason, PublishReason::kBestValidation);
  double best = recorder.epochs.front().validation_cost;
  for (const auto& epoch : recorder.epochs) best = std::min(best, epoch.validation_cost);
  EXPECT_EQ(result->validation_cost, best);
  EXPECT_THAT(recorder.log, HasSubstr("6 plans in hindsight, 0 of them found in"));
  ASSERT_TRUE(recorder.totals.has_value());
  EXPECT_EQ(recorder.totals->steps, std::ssize(recorder.steps));
}

TEST_F(DispatchTrainerTest, PublishesAModelWithItsOrigin) {
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto model = DispatchModel::Load(ModelOf("a"), "a");
  ASSERT_TRUE(model.ok()) << model.status();
  const ModelCard& card = model->card();
  EXPECT_EQ(card.architecture, "dispatch");
  EXPECT_TRUE(card.kinds.empty()) << "it plans routes of no problem";
  EXPECT_EQ(card.training_job, "trainingJobs/test");
  EXPECT_EQ(card.reference, "hindsight 200 iterations");
  EXPECT_EQ(card.validation_cost, result->validation_cost);
  EXPECT_EQ(card.validation_gap, result->validation_gap);
  EXPECT_THAT(card.input_features, testing::Contains("must_go_saving"));
  EXPECT_EQ(card.parameters, 27 * 6 + 6 + 6 + 1 + 27 + 27 + 1);
  const DispatchSettings& settings = model->settings();
  EXPECT_EQ(settings.sites.size(), 3u);
  EXPECT_EQ(settings.days_per_site, 2);
  EXPECT_EQ(settings.first_seed, 1u);
  EXPECT_EQ(settings.days.epoch, 40);
  EXPECT_THAT((std::vector<double>{-0.2, 0, 0.2}), testing::Contains(settings.shift));
}

TEST_F(DispatchTrainerTest, TakesTheSameStepsAfterAnInterruption) {
  constexpr int64_t kInterrupted = 45;  // in the second epoch
  // So few iterations that the plans from which searches start matter.
  const ConfigOverrides overrides = {"dispatch.search_iterations=1"};
  Recorder whole;
  ASSERT_TRUE(Train("whole", whole, overrides).ok());
  Recorder first;
  first.cancel_at = kInterrupted;
  EXPECT_TRUE(absl::IsCancelled(Train("parts", first, overrides).status()));
  EXPECT_EQ(first.checkpoints.back(), kInterrupted);
  threads_ = 3;
  Recorder second;
  ASSERT_TRUE(Train("parts", second, overrides).ok());
  EXPECT_THAT(second.log, HasSubstr("resumed from step " + std::to_string(kInterrupted)));
  EXPECT_TRUE(WeightsOf("parts") == WeightsOf("whole"));
  ASSERT_EQ(first.steps.size() + second.steps.size(), whole.steps.size());
  EXPECT_EQ(second.steps.back().loss, whole.steps.back().loss);
  EXPECT_EQ(second.steps.back().instances_seen, whole.steps.back().instances_seen);
  EXPECT_EQ(second.epochs.back().validation_cost, whole.epochs.back().validation_cost);
}

// The settings of a small graph transformer.
const ConfigOverrides kTransformer = {"dispatch.encoder=graph_transformer",
                                      "dispatch.hidden=[16, 16]",
                                      "dispatch.width=16",
                                      "dispatch.layers=1",
                                      "dispatch.heads=2",
                                      "training.learning_rate=0.005",
                                      "training.epochs=2"};

TEST_F(DispatchTrainerTest, TrainsAGraphTransformer) {
  Recorder recorder;
  const auto result = Train("transformer", recorder, kTransformer);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(recorder.steps.back().loss, recorder.steps.front().loss);
  EXPECT_THAT(recorder.log, HasSubstr("graph_transformer, width 16, layers 1, heads 2"));
  const auto model = DispatchModel::Load(ModelOf("transformer"), "transformer");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->settings().network,
            PrizeNetworkOptions(PrizeTransformerOptions{.width = 16, .layers = 1, .heads = 2}));
  EXPECT_THAT(model->card().input_features, testing::Contains("pair_distance_back"));
}

TEST_F(DispatchTrainerTest, ResumesAGraphTransformerOnOtherThreads) {
  constexpr int64_t kInterrupted = 25;
  Recorder whole;
  ASSERT_TRUE(Train("whole", whole, kTransformer).ok());
  Recorder first;
  first.cancel_at = kInterrupted;
  EXPECT_TRUE(absl::IsCancelled(Train("parts", first, kTransformer).status()));
  threads_ = 3;
  Recorder second;
  ASSERT_TRUE(Train("parts", second, kTransformer).ok());
  EXPECT_THAT(second.log, HasSubstr("resumed from step " + std::to_string(kInterrupted)));
  EXPECT_TRUE(WeightsOf("parts") == WeightsOf("whole"));
  EXPECT_EQ(second.epochs.back().validation_cost, whole.epochs.back().validation_cost);
}

TEST_F(DispatchTrainerTest, RefusesTheCheckpointOfAnotherConfiguration) {
  Recorder first;
  first.cancel_at = 3;
  EXPECT_TRUE(absl::IsCancelled(Train("a", first).status()));
  Recorder second;
  EXPECT_TRUE(
      absl::IsFailedPrecondition(Train("a", second, {"training.learning_rate=0.3"}).status()));
}

TEST_F(DispatchTrainerTest, FindsLabelsOfEarlierRuns) {
  Recorder first;
  ASSERT_TRUE(Train("a", first).ok());
  for (const auto& entry : std::filesystem::directory_iterator(limits_.cache_directory)) {
    ASSERT_TRUE(AtomicWriteFile(entry.path(), "{\"routes\": [").ok());  // damaged
    break;
  }
  Recorder second;
  ASSERT_TRUE(Train("b", second).ok());
  const bool one_missing = second.log.find("5 of them found") != std::string::npos;
  const bool all_found = second.log.find("6 of them found") != std::string::npos;
  EXPECT_TRUE(one_missing || all_found) << second.log;  // the damaged one may be of the validation
  EXPECT_TRUE(WeightsOf("a") == WeightsOf("b"));
}

TEST_F(DispatchTrainerTest, EndsAtTheLimitOfEpochs) {
  limits_.epoch_limit = 1;
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kEpochLimit);
  EXPECT_EQ(recorder.epochs.size(), 1u);
}

TEST_F(DispatchTrainerTest, EndsAtTheLimitOfTimeAfterAStepAndAValidation) {
  limits_.time_limit = absl::ZeroDuration();
  Recorder recorder;
  const auto result = Train("a", recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kTimeLimit);
  EXPECT_EQ(result->steps, 1);
  EXPECT_GT(result->validation_cost, 0);
}

TEST_F(DispatchTrainerTest, EndsOnRequestWithAModel) {
  TrainingRequest request = RequestFor({});
  const auto flag = std::make_shared<CancelFlag>();
  class Stopper : public TrainingObserver {
   public:
    explicit Stopper(std::shared_ptr<CancelFlag> flag) : flag_(std::move(flag)) {}
    void OnLog(std::string_view) override {}
    void OnProgress(const TrainingProgress& progress) override {
      if (progress.step == 2) flag_->Cancel();
    }
    void OnCheckpoint(int64_t) override {}

   private:
    const std::shared_ptr<CancelFlag> flag_;
  } stopper(flag);
  request.end_early = flag;
  request.checkpoint_directory = root_ + "/stop";
  request.model_directory = ModelOf("stop");
  std::filesystem::create_directories(request.checkpoint_directory);
  const auto result = MakeDispatchTrainer()->Train(request, {}, stopper);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->end, TrainingEnd::kStopped);
  EXPECT_EQ(result->steps, 2);
  EXPECT_TRUE(DispatchModel::Load(ModelOf("stop"), "stop").ok());
}

TEST_F(DispatchTrainerTest, TrainsALinearModel) {
  TrainingRequest request =
      RequestFor({"dispatch.encoder=linear", "dispatch.hidden=[16, 16]", "training.epochs=1"});
  request.checkpoint_directory = root_ + "/linear";
  request.model_directory = ModelOf("linear");
  std::filesystem::create_directories(request.checkpoint_directory);
  Recorder recorder;
  ASSERT_TRUE(MakeDispatchTrainer()->Train(request, {}, recorder).ok());
  EXPECT_EQ(DispatchModel::Load(ModelOf("linear"), "linear")->settings().network,
            PrizeNetworkOptions(PrizeMlpOptions{}));
}

TEST_F(DispatchTrainerTest, AcceptsReadableSitesAndSkipsDatasets) {
  EXPECT_EQ(MakeDispatchTrainer()->CheckInputs(RequestFor({})), absl::OkStatus());
  EXPECT_EQ(MakeDispatchTrainer()->CheckInputs(RequestFor({"dispatch.sites=datasets/none"})),
            absl::OkStatus());
}

TEST_F(DispatchTrainerTest, NamesSitesThatCannotBeUsed) {
  const std::string malformed = root_ + "/malformed.txt";
  ASSERT_TRUE(AtomicWriteFile(malformed, "no instance").ok());
  const std::string tsp = root_ + "/tsp.jsonl";
  ASSERT_TRUE(
      AtomicWriteFile(tsp, R"({"kind": "tsp", "positions": [[0, 0], [0, 1], [1, 1]]})").ok());
  const auto errors = [&](const std::string& sites) {
    return std::string(
        MakeDispatchTrainer()->CheckInputs(RequestFor({"dispatch.sites=" + sites})).message());
  };
  EXPECT_THAT(errors("[/nowhere/a.txt]"),
              HasSubstr("dispatch.sites: open /nowhere/a.txt: No such file"));
  EXPECT_THAT(errors("[" + malformed + ", " + tsp + "]"),
              testing::AllOf(HasSubstr("dispatch.sites: " + malformed),
                             HasSubstr("\ndispatch.sites: " + tsp + ":1: ")));
  EXPECT_THAT(
      std::string(
          MakeDispatchTrainer()->CheckInputs(RequestFor({"dispatch.epoch=100000"})).message()),
      HasSubstr("dispatch.epoch: all days have one decision"));
}

// A training on a request log.
class LoggedTrainerTest : public DispatchTrainerTest {
 protected:
  LoggedTrainerTest() {
    const std::string lines = *ReadFile(sites_);
    EXPECT_TRUE(AtomicWriteFile(site_, lines.substr(0, lines.find('\n') + 1)).ok());
    WriteLog(/*interval=*/40);
  }
  // Writes a log of seven days of 24 requests, which become known at four times.
  void WriteLog(int interval) {
    std::string lines;
    for (int day = 1; day <= 7; ++day) {
      for (int i = 0; i < 24; ++i) {
        lines += "{\"day\": \"d" + std::to_string(day) + "\", \"id\": \"" + std::to_string(i) +
                 "\", \"at\": " + std::to_string(i % 4 * interval) + ", \"customer\": \"" +
                 std::to_string(1 + (day * 7 + i * 5) % 30) + "\", \"window\": [0, 1000]}\n";
      }
    }
    ASSERT_TRUE(AtomicWriteFile(log_, lines).ok());
  }
  std::string YamlOfLog() const {
    return "name: waves\nmodel: dispatch\n"
           "dispatch: {sites: " +
           site_ + ", log: " + log_ +
           ", epoch: 40, margin: 10, label_seconds: 0, label_iterations: 200, hidden: [6], "
           "perturbations: 4, search_iterations: 30}\n"
           "validation: {days: 3, decision_iterations: 50, shifts: [-0.2, 0, 0.2]}\n"
           "training: {epochs: 2, batch_size: 4}\n";
  }
  TrainingRequest RequestOfLog(const ConfigOverrides& overrides = {},
                               const std::string& name = "log") const {
    TrainingRequest request = limits_;
    request.config = *ParseTrainingConfig(YamlOfLog(), "test.yaml", overrides);
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    std::filesystem::create_directories(request.checkpoint_directory);
    return request;
  }
  std::string InputError(const ConfigOverrides& overrides = {}) const {
    return std::string(MakeDispatchTrainer()->CheckInputs(RequestOfLog(overrides)).message());
  }

  const std::string site_ = root_ + "/site.jsonl";
  const std::string log_ = root_ + "/log.jsonl";
};

TEST_F(LoggedTrainerTest, TrainsOnTheFirstDaysAndValidatesOnTheLast) {
  Recorder recorder;
  const auto result = MakeDispatchTrainer()->Train(RequestOfLog(), {}, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(recorder.log, HasSubstr("dispatch: 4 days of " + log_ + " with 12 decisions"));
  EXPECT_THAT(recorder.log, HasSubstr("validated on 3 days"));
  const auto model = DispatchModel::Load(ModelOf("log"), "log");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->settings().log, log_);
  EXPECT_EQ(model->settings().days_per_site, 4);
  Recorder again;
  ASSERT_TRUE(
      MakeDispatchTrainer()->Train(RequestOfLog({"dispatch.days=2"}, "again"), {}, again).ok());
  EXPECT_THAT(again.log, HasSubstr("2 plans in hindsight, 2 of them found"));
}

TEST_F(LoggedTrainerTest, KeepsTheLabelsOfADatasetInAFolderOfItsOwn) {
  TrainingRequest request =
      RequestOfLog({"dispatch.log=datasets/history", "dispatch.sites=datasets/site"});
  request.datasets = {{"datasets/history", log_}, {"datasets/site", site_}};
  Recorder recorder;
  const auto result = MakeDispatchTrainer()->Train(request, {}, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*RemoveLabels(limits_.cache_directory, "datasets/site"), 0);
  EXPECT_EQ(*RemoveLabels(limits_.cache_directory, "datasets/history"), 7);
  EXPECT_EQ(*RemoveLabels(limits_.cache_directory, "datasets/history"), 0);
}

TEST_F(LoggedTrainerTest, DrawsRequestsToComeFromOtherDaysToTrainOn) {
  const auto data = ReadTrainingData(RequestOfLog());
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ(data->log->size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(data->days[i].maker, i);
  EXPECT_EQ(data->days[3].day.name, "d4");
  for (const TrainingDay& day : data->validation) EXPECT_EQ(day.maker, 4u);
  EXPECT_EQ(data->validation[0].day.name, "d5");
}

TEST_F(LoggedTrainerTest, NamesALogThatDoesNotFit) {
  EXPECT_EQ(InputError(), "");
  EXPECT_THAT(InputError({"dispatch.days=5"}),
              HasSubstr("dispatch.log: " + log_ + ": has 7 days, wanted at least 8"));
  EXPECT_THAT(InputError({"dispatch.sites=" + sites_}),
              HasSubstr("dispatch.sites: got 3 sites in " + sites_ + ", wanted one with"));
  EXPECT_THAT(InputError({"dispatch.epoch=1e-3"}), HasSubstr("dispatch.log: epoch: got 0.001"));
  EXPECT_THAT(InputError({"dispatch.log=/nowhere/log.jsonl"}),
              HasSubstr("dispatch.log: open /nowhere/log.jsonl: No such file"));
  const std::string lines = *ReadFile(log_);
  WriteLog(/*interval=*/0);
  EXPECT_THAT(InputError(), HasSubstr("dispatch.epoch: all days have one decision"));
  ASSERT_TRUE(
      AtomicWriteFile(log_, lines + R"({"day": "d8", "id": 1, "at": 0, "customer": "x"})").ok());
  EXPECT_THAT(InputError(), HasSubstr("dispatch.log: " + log_ + ":169: customer: got \"x\""));
  EXPECT_EQ(MakeDispatchTrainer()->CheckInputs(RequestOfLog({"dispatch.log=datasets/none"})),
            absl::OkStatus())
      << "datasets are checked elsewhere";
}

TEST_F(DispatchTrainerTest, IsNotTrainedByEngines) {
  EXPECT_THAT(std::string(TrainerOf()->CheckInputs(RequestFor({})).message()),
              HasSubstr("model: got \"dispatch\""));
}

}  // namespace
}  // namespace vrp
