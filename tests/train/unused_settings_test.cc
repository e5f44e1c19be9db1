// Tests that settings without any effect are refused instead of ignored.
#include <ostream>
#include <string>

#include "core/train/config/training_config.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

std::string ErrorsOf(const absl::StatusOr<TrainingConfig>& config) {
  return std::string(config.status().message());
}

struct UnusedSetting {
  const char* name;
  const char* other;    // another setting
  const char* setting;  // a setting without effect if `other` is set
  const char* used;     // a setting with which `setting` has an effect

  friend void PrintTo(const UnusedSetting& unused, std::ostream* out) { *out << unused.name; }
};

constexpr char kInstanceFile[] = "problem.instances=[a.jsonl]";
constexpr char kGenerated[] = "problem.seed=7";
constexpr char kSupervised[] = "training.method=supervised";
constexpr char kReinforce[] = "training.method=reinforce";
constexpr char kGreedyRollout[] = "reinforce.baseline=greedy_rollout";
const UnusedSetting kUnusedSettings[] = {
    {"Skew", kInstanceFile, "problem.customers_skew=2", kGenerated},
    {"Capacity", kInstanceFile, "problem.capacity=30", kGenerated},
    {"Layouts", kInstanceFile, "problem.layouts=[clustered]", kGenerated},
    {"OpenRoutes", kInstanceFile, "problem.open_routes=0.5", kGenerated},
    {"DistanceLimit", kInstanceFile, "problem.distance_limit=0.5", kGenerated},
    {"BackhaulsOfOwn", kInstanceFile, "problem.backhauls=0.5", "model=gt"},
    {"Augment", kGenerated, "problem.augment=false", kInstanceFile},
    {"Jitter", kGenerated, "problem.demand_jitter=0.1", kInstanceFile},
    {"BackhaulsOfAPointerNetwork", "model=ptrnet", "problem.backhauls=0.5", "model=gt"},
    {"DecayOfAConstantRate", "training.schedule=constant", "training.learning_rate_decay=0.9",
     "training.schedule=exponential"},
    {"DecayOfALinearRate", "training.schedule=linear", "training.learning_rate_decay=0.9",
     "training.schedule=exponential"},
    {"DecayOfACosine", "training.schedule=cosine", "training.learning_rate_decay=0.9",
     "training.schedule=exponential"},
    {"Batches", kSupervised, "training.batches_per_epoch=3", kReinforce},
    {"Dropout", kReinforce, "network.dropout=0.2", kSupervised},
    {"DropoutOfSelfLabelling", "training.method=self_labelling", "network.dropout=0.2",
     kSupervised},
    {"PrecisionWithoutAmp", "training.amp=false", "training.amp_type=fp16", "training.amp=true"},
    {"IterationsOfNoSearch", "validation.reference=nearest_neighbour",
     "validation.reference_iterations=7", "validation.reference=search"},
    {"SignificanceOfAnAverage", "reinforce.baseline=exponential",
     "reinforce.baseline_significance=0.01", kGreedyRollout},
    {"InstancesOfPomo", "reinforce.baseline=pomo", "reinforce.baseline_instances=7",
     kGreedyRollout},
    {"WarmUpOfSamples", "reinforce.baseline=samples", "reinforce.warmup_epochs=3", kGreedyRollout},
    {"DecayOfPomo", "reinforce.baseline=pomo", "reinforce.average_decay=0.5",
     "reinforce.baseline=exponential"},
    {"StartsOfSamples", "reinforce.baseline=samples", "reinforce.starts=4",
     "reinforce.baseline=pomo"},
    {"SamplesOfAGreedyRollout", kGreedyRollout, "reinforce.samples=4",
     "reinforce.baseline=samples"},
    {"CheckpointingOfAPointerNetwork", "model=ptrnet", "training.gradient_checkpointing=true",
     "model=gt"},
    {"PrefetchOfNoWorkers", "loader.workers=0", "loader.prefetch=5", "loader.workers=1"},
    {"MemoryOfNoLabels", kReinforce, "loader.memory_mb=7", kSupervised},
    {"MemoryOfNoSearch", "validation.reference=nearest_neighbour", "loader.memory_mb=7",
     "validation.reference=search"},
    {"SeedOfAFile", "validation.file=a.jsonl", "validation.seed=7", "problem.kind=cvrp"},
    {"SeedOfOwnInstances", kInstanceFile, "validation.seed=8", kGenerated},
    {"SamplesOfAGreedyRolloutThoughNotOfAnotherMethod", kGreedyRollout, "reinforce.samples=5",
     kSupervised},
};

class UnusedSettingTest : public testing::TestWithParam<UnusedSetting> {};

TEST_P(UnusedSettingTest, IsRefusedIfStated) {
  const auto [name, other, setting, used] = GetParam();
  const std::string text = setting;
  const size_t equals = text.find('=');
  const std::string message = ErrorsOf(ParseTrainingConfig("name: a\n", "f", {other, setting}));
  EXPECT_EQ(message.rfind("--set: " + text.substr(0, equals) + ": ", 0), 0u) << message;
  EXPECT_NE(message.find("wanted "), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  const auto read = ParseTrainingConfig("name: a\n", "f", {used, setting});
  EXPECT_TRUE(read.ok()) << read.status();
}

TEST_P(UnusedSettingTest, IsKeptInAnAcceptedJob) {
  const ConfigOverrides overrides = {GetParam().other, GetParam().setting};
  EXPECT_TRUE(ParseTrainingConfig("name: a\n", "f", overrides, ConfigOrigin::kKept).ok());
}

INSTANTIATE_TEST_SUITE_P(Settings, UnusedSettingTest, testing::ValuesIn(kUnusedSettings),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(UnusedSettingsTest, RefusesLabelsOfTheOtherSource) {
  const auto errors_with = [](const ConfigOverrides& overrides) {
    return ErrorsOf(ParseTrainingConfig("name: a\n", "f", overrides));
  };
  EXPECT_NE(errors_with({kSupervised, "supervised.labels=file", "supervised.label_file=a.jsonl",
                         "supervised.heuristic_iterations=7"})
                .find("supervised.heuristic_iterations: "),
            std::string::npos);
  EXPECT_NE(
      errors_with({kSupervised, "supervised.label_file=a.jsonl"}).find("supervised.label_file: "),
      std::string::npos);
  EXPECT_EQ(errors_with({kSupervised, "supervised.heuristic_iterations=7"}), "");
}

TEST(UnusedSettingsTest, RefusesMemoryForASearchOfGivenInstances) {
  const std::string message = ErrorsOf(ParseTrainingConfig(
      "name: a\nvalidation: {file: a.jsonl, reference: search}\nloader: {memory_mb: 7}\n", "f"));
  EXPECT_NE(message.find("loader.memory_mb: "), std::string::npos) << message;
}

TEST(UnusedSettingsTest, AcceptsAnySeedWithAValidationFile) {
  const char* const same_seed = "name: a\nproblem: {seed: 4321}\n";
  EXPECT_NE(ErrorsOf(ParseTrainingConfig(same_seed, "f")), "");
  EXPECT_EQ(ErrorsOf(ParseTrainingConfig(same_seed, "f", {"validation.file=a.jsonl"})), "");
}

TEST(UnusedSettingsTest, KeepsTheAverageOfAGreedyRolloutThatWarmsUp) {
  const auto errors_with = [](const char* warmup) {
    return ErrorsOf(ParseTrainingConfig("name: a\n", "f",
                                        {kGreedyRollout, "reinforce.average_decay=0.5", warmup}));
  };
  EXPECT_EQ(errors_with("reinforce.warmup_epochs=1"), "");
  EXPECT_NE(errors_with("reinforce.warmup_epochs=0").find("reinforce.average_decay: "),
            std::string::npos);
}

TEST(UnusedSettingsTest, RefusesTeacherForcingOfAGraphTransformerThatLearnsLabels) {
  const ConfigOverrides labels = {kSupervised, "supervised.teacher_forcing_start=0.9",
                                  "supervised.teacher_forcing_end=0.5"};
  const auto errors_with = [&labels](const char* model) {
    ConfigOverrides overrides = labels;
    overrides.emplace_back(model);
    return ErrorsOf(ParseTrainingConfig("name: a\n", "f", overrides));
  };
  EXPECT_EQ(errors_with("model=gt"),
            "--set: supervised.teacher_forcing_start: got \"0.9\", wanted 1 with model: gt, which "
            "always reads the label's nodes\n"
            "--set: supervised.teacher_forcing_end: got \"0.5\", wanted 1 with model: gt, which "
            "always reads the label's nodes");
  EXPECT_EQ(errors_with("model=ptrnet"), "");
}

// One file must serve several values of --model and of --set training.method.
TEST(UnusedSettingsTest, AcceptsDefaultsAndSectionsOfOtherMethodsAndNetworks) {
  const auto config = ParseTrainingConfig(
      "name: a\nmodel: gt\nproblem: {layouts: uniform, instances: [a.jsonl]}\n"
      "network: {dropout: 0.3}\nsupervised: {teacher_forcing_end: 0.5}\n"
      "training: {schedule: cosine, learning_rate_decay: 1}\n",
      "f.yaml");
  EXPECT_TRUE(config.ok()) << config.status();
}

}  // namespace
}  // namespace vrp
