// Tests the configurations in configs/, and how configurations resolve.
#include <filesystem>
#include <string>

#include "core/base/text.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/train/config/training_config.h"
#include "gtest/gtest.h"
#include "tests/train/config_text.h"

namespace vrp {
namespace {

using test::ExpectReadsBack;
using test::MessageOf;
using test::ReadText;

TEST(ShippedConfigTest, TinyTrainsEitherArchitecture) {
  const std::string yaml = ReadText("configs/tiny_1.yaml");
  const auto config = ParseTrainingConfig(yaml, "tiny_1.yaml", {"model=GT+RL"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->architecture->name, "gt");
  EXPECT_EQ(config->sizes.json, WriteGraphTransformerOptions({}));
  EXPECT_EQ(config->batch_size, 128);
  EXPECT_EQ(config->problem.customers, (IntegerRange{10, 10}));
  EXPECT_EQ(config->batches_per_epoch, 25);
  EXPECT_EQ(config->reinforce.baseline, Baseline::kGreedyRollout);
  EXPECT_EQ(ParseTrainingConfig(yaml, "tiny_1.yaml", {"model=ptrnet"})->sizes.json,
            WritePointerNetworkOptions({}));
}

TEST(ShippedConfigTest, TinyPointerNetworkHasTheBatchesOfTiny) {
  const auto tiny = ParseTrainingConfig(ReadText("configs/ptrnet_tiny.yaml"), "ptrnet_tiny.yaml");
  ASSERT_TRUE(tiny.ok()) << tiny.status();
  EXPECT_EQ(tiny->batch_size, 128);
  EXPECT_EQ(tiny->problem.customers, (IntegerRange{10, 10}));
  EXPECT_EQ(tiny->batches_per_epoch, 25);
}

TEST(ShippedConfigTest, IsValidAndReadsBackAsResolved) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".yaml") || name == "vrpd.yaml") continue;
    ++found;
    SCOPED_TRACE(name);
    ExpectReadsBack(ReadText(entry.path()), {});
    ExpectReadsBack(ReadText(entry.path()), {"training.seed=7", "name=an odd: [name]"});
  }
  EXPECT_GE(found, 7);
}

// vrpctl train --list-presets shows the second line.
TEST(ShippedConfigTest, StatesItsSizeInTheSecondLine) {
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".yaml") || name == "vrpd.yaml") continue;
    const std::string text = ReadText(entry.path());
    const size_t second = text.find('\n') + 1;
    const std::string line = text.substr(second, text.find(';', second) - second);
    const auto config = ParseTrainingConfig(text, name);
    ASSERT_TRUE(config.ok()) << config.status();
    if (config->habits.has_value() && config->habits->learner == HabitsLearner::kTransformer) {
      EXPECT_EQ(line, Concat("# ", config->epochs, " epochs")) << name;
      continue;
    }
    if (config->habits.has_value()) {
      EXPECT_EQ(line, Concat("# ", config->epochs, " passes over the smoothing of counts")) << name;
      continue;
    }
    if (config->dispatch.has_value()) {
      const size_t days =
          config->dispatch->sites.size() * static_cast<size_t>(config->dispatch->days_per_site);
      EXPECT_EQ(line, "# " + std::to_string(config->epochs) + " epochs over the decisions of " +
                          std::to_string(days) + " days")
          << name;
      continue;
    }
    if (config->estimate.has_value()) {
      EXPECT_EQ(line, Concat("# ", config->epochs, " epochs over 2,000 instances")) << name;
      EXPECT_EQ(config->estimate->instances, 2000) << name;
      continue;
    }
    const bool labels = config->method == TrainingMethod::kSupervised;
    std::string samples = std::to_string(config->supervised.samples);
    samples.insert(samples.size() - 3, ",");
    const std::string size = labels ? "over " + samples + " labels"
                                    : "of " + std::to_string(config->batches_per_epoch) +
                                          " batches of " + std::to_string(config->batch_size);
    EXPECT_EQ(line, "# " + std::to_string(config->epochs) + " epochs " + size) << name;
  }
}

TEST(ResolvedConfigTest, HasExactlyTheKeysOfItsModelAndMethod) {
  const auto resolved = ResolveTrainingConfig("name: a\nmodel: GT+RL\n", "f.yaml",
                                              {"training.epochs=7", "problem.kinds=[cvrp, tsp]"});
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  const auto& settings = resolved->settings;
  EXPECT_EQ(settings.at("training.epochs"), "7");
  EXPECT_EQ(settings.at("problem.kinds"), "[cvrp, tsp]");
  EXPECT_EQ(settings.at("graph_transformer.hidden"), "128");
  EXPECT_EQ(settings.at("reinforce.baseline"), "greedy_rollout");
  EXPECT_EQ(settings.at("training.learning_rate"), "0.001");
  for (const auto& [key, value] : settings) {
    EXPECT_NE(key.rfind("network.", 0), 0u) << key;
    EXPECT_NE(key.rfind("supervised.", 0), 0u) << key;
  }
  for (const char* unread : {"problem.kind", "reinforce.starts", "training.amp_type",
                             "training.milestones", "self_labelling.samples"}) {
    EXPECT_FALSE(settings.contains(unread)) << unread;
  }
}

TEST(ResolvedConfigTest, IsYamlInTheOrderOfTheKeys) {
  const auto resolved =
      ResolveTrainingConfig("name: 'a: b'\nproblem: {capacity: [20, 60]}\n", "f.yaml");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->yaml.rfind("schema_version: 1\nname: \"a: b\"\nmodel: ptrnet\nproblem:\n"
                                 "  kind: cvrp\n  layouts: uniform\n  customers: 20\n"
                                 "  customers_skew: 1\n  capacity: [20, 60]\n",
                                 0),
            0u)
      << resolved->yaml;
}

TEST(ResolvedConfigTest, RefusesAnInvalidConfiguration) {
  EXPECT_EQ(MessageOf(ResolveTrainingConfig("name: a\nspeed: 9\n", "f")),
            MessageOf(ParseTrainingConfig("name: a\nspeed: 9\n", "f")));
}

}  // namespace
}  // namespace vrp
