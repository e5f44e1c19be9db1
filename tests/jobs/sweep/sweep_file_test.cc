#include "core/jobs/sweep/sweep_file.h"

#include <string>

#include "core/base/text.h"
#include "core/jobs/sweep/inline_config.h"
#include "core/train/config/training_config.h"
#include "core/train/config/yaml_tree.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGrid[] = R"(
method: grid
preset: tiny_1
keys:
  training.batch_size: [64, 128]
)";

// Returns the error of a file.
std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<SweepFile> file = ParseSweepFile(text, "s.yaml");
  EXPECT_FALSE(file.ok()) << "wanted an error";
  return file.ok() ? "" : std::string(file.status().message());
}

TEST(SweepFileTest, ReadsValuesAndRanges) {
  const absl::StatusOr<SweepFile> file = ParseSweepFile(R"(
name: best
config: base.yaml
method: random
trials: 5
seed: 7
keys:
  training.learning_rate: {min: 0.001, max: 1, scale: log}
  graph_transformer.layers: {min: 1, max: 4}
  training.schedule: {values: [constant, cosine]}
  dispatch.hidden: [[16, 16], 32]
)",
                                                        "s.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->name, "best");
  EXPECT_TRUE(file->names_config);
  EXPECT_EQ(file->method, SweepMethod::kRandom);
  EXPECT_EQ(file->trials, 5);
  EXPECT_EQ(file->seed, 7);
  ASSERT_EQ(file->keys.size(), 4);
  EXPECT_EQ(file->keys[0].path, "training.learning_rate");
  EXPECT_EQ(file->keys[0].range, (SweepRange{.min = 0.001, .max = 1, .logarithmic = true}));
  EXPECT_EQ(file->keys[1].range, (SweepRange{.min = 1, .max = 4, .integer = true}));
  EXPECT_THAT(file->keys[2].values, ElementsAre("constant", "cosine"));
  EXPECT_THAT(file->keys[3].values, ElementsAre("[16, 16]", "32"));
}

TEST(SweepFileTest, DefaultsOfSuccessiveHalving) {
  const absl::StatusOr<SweepFile> file = ParseSweepFile(
      "method: successive_halving\npreset: a\nkeys: {training.batch_size: [1, 2]}", "s.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->first_epochs, 1);
  EXPECT_EQ(file->factor, 3);
  EXPECT_FALSE(file->draws());
}

TEST(SweepFileTest, ContainedConfigurationKeepsItsLines) {
  const std::string text = R"(method: grid
keys: {training.batch_size: [8, 16]}
config:
  name: "a: b"
  # a comment
  training:
    epochs: many
)";
  const absl::StatusOr<SweepFile> file = ParseSweepFile(text, "s.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  const auto config = ParseTrainingConfig(file->config_yaml, "s.yaml");
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("s.yaml:7: training.epochs: got"));
  EXPECT_EQ(*TrainingSettings(file->config_yaml, "s.yaml", {}),
            (std::map<std::string, std::string>{{"name", "a: b"}, {"training.epochs", "many"}}));
}

TEST(SweepFileTest, NamesLineAndFieldOfEachError) {
  EXPECT_EQ(ErrorOf(R"(method: best
keys:
  training.learning_rate: {min: -1, max: 1, scale: log}
  training.batch_size: [64, 64]
  training.weight_decay: {min: 2, max: 1}
  training.warmup_steps: {min: 2}
  training.epochs: 7
  training.seed: {low: 7}
factor: 1
speed: 3
)"),
            "s.yaml:1: method: got \"best\", wanted grid, random or successive_halving\n"
            "s.yaml:3: keys.training.learning_rate.min: got -1, wanted a number above 0 for scale: "
            "log\n"
            "s.yaml:4: keys.training.batch_size.values[1]: got \"64\" again, wanted different "
            "values\n"
            "s.yaml:5: keys.training.weight_decay.max: got 1, wanted more than min, 2\n"
            "s.yaml:6: keys.training.warmup_steps.max: absent, wanted a number\n"
            "s.yaml:7: keys.training.epochs: got \"7\", wanted a list of 1 to 500 values, or min "
            "and max\n"
            "s.yaml:8: keys.training.seed.low: unknown key; wanted values, or min, max, scale and "
            "count. Write a key of a section with a dot: training.learning_rate\n"
            "s.yaml:8: keys.training.seed.min: absent, wanted a number\n"
            "s.yaml:9: factor: got \"1\", wanted an integer from 2 to 100\n"
            "s.yaml:10: speed: unknown key; wanted name, config, preset, method, keys, trials, "
            "seed, first_epochs or factor\n"
            "s.yaml: factor: only with method: successive_halving\n"
            "s.yaml:3: keys.training.learning_rate.count: absent, wanted the number of values of "
            "the grid; or state trials, to draw them\n"
            "s.yaml:5: keys.training.weight_decay.count: absent, wanted the number of values of "
            "the grid; or state trials, to draw them\n"
            "s.yaml:6: keys.training.warmup_steps.count: absent, wanted the number of values of "
            "the grid; or state trials, to draw them\n"
            "s.yaml:8: keys.training.seed.count: absent, wanted the number of values of the grid; "
            "or state trials, to draw them");
}

TEST(SweepFileTest, RefusesFieldsWithoutEffect) {
  EXPECT_EQ(ErrorOf(std::string(kGrid) + "trials: 3\n"),
            "s.yaml: trials: not with method: grid, which tries every combination");
  EXPECT_EQ(ErrorOf(std::string(kGrid) + "seed: 3\n"),
            "s.yaml: seed: only with trials, which are drawn");
  EXPECT_EQ(ErrorOf(std::string(kGrid) + "config: {}\n"),
            "s.yaml: preset: given with config; leave one of them out");
  EXPECT_EQ(ErrorOf("method: random\nkeys: {a: [1, 2]}"),
            "s.yaml: trials: absent, wanted the number of draws");
  EXPECT_EQ(ErrorOf("method: random\ntrials: 501\nkeys: {a: [1, 2]}"),
            "s.yaml:2: trials: got \"501\", wanted an integer from 1 to 500");
  EXPECT_THAT(ErrorOf("method: random\ntrials: 3\nkeys: {a: {min: 1, max: 9, count: 3}}"),
              HasSubstr("keys.a.count: only in grids"));
}

TEST(SweepFileTest, RefusesFilesThatAreNoSweep) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("got nothing, wanted a sweep with the keys method and keys"));
  EXPECT_THAT(ErrorOf("- 1"), HasSubstr("got a list"));
  EXPECT_THAT(ErrorOf("a: [1"), HasSubstr("s.yaml:1"));
  EXPECT_THAT(ErrorOf("method: grid\nkeys: {}"), HasSubstr("s.yaml:2: keys: got 0 keys"));
  EXPECT_THAT(ErrorOf("method: grid\nname: ../x\nkeys: {a: [1]}"), HasSubstr("s.yaml:2: name: "));
  EXPECT_THAT(ErrorOf("method: grid\nconfig: [1]\nkeys: {a: [1]}"),
              HasSubstr("s.yaml:2: config: got a list"));
}

}  // namespace
}  // namespace vrp
