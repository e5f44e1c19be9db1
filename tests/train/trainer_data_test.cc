#include <cmath>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"
#include "core/problem/formats/json/json_writer.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/label_line.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using test::kMethods;
using test::Method;
using test::Recorder;
using test::Yaml;

class TrainerDataTest : public test::TrainerFixture {};

TEST_F(TrainerDataTest, StartsFromAGivenModel) {
  Recorder recorder;
  ASSERT_TRUE(Train("first", Yaml(kMethods[1]), recorder).ok());
  std::string yaml = Yaml(kMethods[1]);
  yaml.replace(yaml.find("epochs: 4"), 9,
               "epochs: 1, learning_rate: 1e-9, initial_model: " + ModelOf("first"));
  yaml.replace(yaml.find("learning_rate: 0.03, "), 21, "");
  Recorder second;
  const auto result = Train("second", yaml, second);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->validation_cost, recorder.epochs.back().validation_cost, 1e-4);
  yaml.replace(yaml.find(ModelOf("first")), ModelOf("first").size(), "models/none/versions/3");
  EXPECT_EQ(Train("third", yaml, second).status().code(), absl::StatusCode::kNotFound);
  yaml += "model: gt\n";
  yaml.replace(yaml.find("models/none/versions/3"), 22, ModelOf("first"));
  EXPECT_EQ(Train("fourth", yaml, second).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TrainerDataTest, TrainsOnInstancesFromAFile) {
  std::string text;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    text += WriteJson(
        test::AnInstance().WithCustomers(static_cast<int32_t>(seed) + 3).Seed(seed).Build());
    text += "\n";
  }
  ASSERT_TRUE(AtomicWriteFile(root_ + "/own.jsonl", text).ok());
  for (const Method& method : {kMethods[0], kMethods[2], kMethods[3]}) {
    std::string yaml = Yaml(method);
    yaml.replace(yaml.find("customers: 6"), 12,
                 "demand_jitter: 0.2, instances: " + root_ + "/own.jsonl");
    Recorder recorder;
    const auto result = Train(method.name, yaml, recorder);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_NE(recorder.log.find("validation: 4 instances"), std::string::npos) << recorder.log;
  }
}

TEST_F(TrainerDataTest, ReportsItsPhasesInOrder) {
  std::string yaml = Yaml("supervised");
  yaml.replace(yaml.find("samples: 40"), 11, "samples: 600");  // three pieces of labels
  Recorder recorder;
  ASSERT_TRUE(Train("a", yaml, recorder).ok());
  std::vector<std::string> phases = recorder.phases;
  ASSERT_GT(phases.size(), 7u);
  EXPECT_EQ(phases.back(), "publication");
  phases.resize(7);
  EXPECT_EQ(phases, (std::vector<std::string>{"preparation", "references", "labels", "labels",
                                              "labels", "resumption", "training step"}));
  yaml = Yaml(kMethods[1]);
  yaml.replace(yaml.find("instances: 20"), 13, "reference: nearest_neighbour, instances: 20");
  Recorder other;
  ASSERT_TRUE(Train("b", yaml, other).ok());
  EXPECT_EQ(other.phases[1], "references");
}

TEST_F(TrainerDataTest, LearnsFromALabelFile) {
  std::string text;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Instance instance =
        test::AnInstance().WithCustomers(static_cast<int32_t>(seed) + 1).Seed(seed).Build();
    text += test::LabelLine(instance);
  }
  ASSERT_TRUE(AtomicWriteFile(root_ + "/labels.jsonl", text).ok());
  Recorder recorder;
  std::string yaml = Yaml("supervised");
  const std::string generated_labels = "samples: 40, heuristic_iterations: 0";
  yaml.replace(yaml.find(generated_labels), generated_labels.size(),
               "samples: 6, labels: file, label_file: " + root_ + "/labels.jsonl");
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(recorder.steps.size(), 4u);
}

TEST_F(TrainerDataTest, NamesAMissingLabelFile) {
  std::string yaml = Yaml("supervised");
  const std::string generated_labels = "samples: 40, heuristic_iterations: 0";
  yaml.replace(yaml.find(generated_labels), generated_labels.size(),
               "labels: file, label_file: /nowhere/labels.jsonl");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(result.status().message()).find("/nowhere/labels.jsonl"),
            std::string::npos);
}

class KindTest : public test::TrainerFixture, public testing::WithParamInterface<const char*> {};

TEST_P(KindTest, IsTrainedByAllMethods) {
  for (const Method& method : kMethods) {
    std::string yaml = Yaml(method);
    yaml.replace(yaml.find("cvrp"), 4, GetParam());
    Recorder recorder;
    const auto result = Train(method.name, yaml, recorder);
    EXPECT_TRUE(result.ok()) << result.status();
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, KindTest, testing::Values("vrptw", "tsp"));

class MixtureTest : public test::TrainerFixture, public testing::WithParamInterface<Method> {};

TEST_P(MixtureTest, IsTrained) {
  std::string yaml = Yaml(GetParam(), "model: gt\n");
  yaml.replace(yaml.find("kind: cvrp, customers: 6"), 24,
               "kinds: [cvrp, tsp, vrptw, cvrp], customers: [3, 9], capacity: [20, 60], "
               "layouts: [uniform, clustered, x], open_routes: 0.3, distance_limit: 0.3, "
               "backhauls: 0.3");
  Recorder recorder;
  const auto result = Train("a", yaml, recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(std::isfinite(recorder.epochs.back().validation_gap));
  const auto card = ParseModelCard(*ReadFile(ModelOf("a") + "/card.json"), "card.json");
  ASSERT_TRUE(card.ok()) << card.status();
  EXPECT_EQ(card->kinds, (std::vector{ProblemKind::kCvrp, ProblemKind::kTsp, ProblemKind::kVrptw}));
}

INSTANTIATE_TEST_SUITE_P(Methods, MixtureTest, testing::ValuesIn(kMethods),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace vrp
