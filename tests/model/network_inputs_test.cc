// Tests the inputs of networks, and batches with feature columns.
#include "core/model/policy/network_inputs.h"

#include <string>
#include <vector>

#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/network_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/feature_columns.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("own_" + std::to_string(i));
  return names;
}

TEST(NetworkInputsTest, AreBuiltInColumnsByDefault) {
  const NetworkInputs pointer = InputsOf(PointerArchitecture(), {});
  EXPECT_EQ(pointer.names.size(), 8u);
  EXPECT_EQ(pointer.names.back(), "is_visited");
  EXPECT_THAT(pointer.columns, ElementsAre(0, 1, 2, 4, 5, 6, 11));
  EXPECT_EQ(pointer.form.order, NodeOrder::kByAngle);
  const NetworkInputs transformer = InputsOf(GraphTransformerArchitecture(), {});
  EXPECT_EQ(transformer.width(), kNodeFeatures);
  EXPECT_THAT(transformer.form.own_columns, IsEmpty());
}

TEST(NetworkInputsTest, PutOwnColumnsAfterBuiltInOnes) {
  const NetworkInputs inputs =
      InputsOf(PointerArchitecture(), {"wear", "y", "is_visited", "early"});
  EXPECT_THAT(inputs.columns, ElementsAre(kNodeFeatures, 1, kNodeFeatures + 1));
  EXPECT_THAT(inputs.form.own_columns, ElementsAre("wear", "early"));
  EXPECT_EQ(inputs.form.columns(), kNodeFeatures + 2);
}

TEST(NetworkInputsTest, AreRefusedIfTheNetworkCannotReadThem) {
  EXPECT_EQ(WantedInputsText(PointerArchitecture(), {"x", "is_visited", "early"}), "");
  EXPECT_EQ(WantedInputsText(GraphTransformerArchitecture(), {"early"}), "");
  EXPECT_THAT(WantedInputsText(PointerArchitecture(), {"x", "y"}),
              HasSubstr("a list with is_visited"));
  EXPECT_THAT(WantedInputsText(GraphTransformerArchitecture(), {"x", "is_visited"}),
              HasSubstr("no is_visited"));
  EXPECT_THAT(WantedInputsText(PointerArchitecture(), {"is_visited"}), HasSubstr("at least one"));
  EXPECT_THAT(WantedInputsText(GraphTransformerArchitecture(), {"x", "y", "x"}),
              HasSubstr("not \"x\" twice"));
  EXPECT_THAT(WantedInputsText(GraphTransformerArchitecture(), {"two words"}),
              HasSubstr("not \"two words\""));
  EXPECT_THAT(WantedInputsText(GraphTransformerArchitecture(), Names(33)),
              HasSubstr("at most 32 feature columns"));
}

TEST(NetworkInputsTest, AreWrittenWithTheSizesUnlessDefault) {
  GraphTransformerOptions transformer;
  EXPECT_EQ(WriteGraphTransformerOptions(transformer).find("inputs"), std::string::npos);
  transformer.inputs = {"early", "x"};
  EXPECT_EQ(*ParseGraphTransformerOptions(WriteGraphTransformerOptions(transformer), "card"),
            transformer);
  PointerNetworkOptions pointer;
  pointer.inputs = {"is_visited", "early"};
  const std::string json = WritePointerNetworkOptions(pointer);
  EXPECT_EQ(*ParsePointerNetworkOptions(json, "card"), pointer);
  std::string wrong = json;
  wrong.replace(wrong.find("is_visited"), 10, "x");
  EXPECT_THAT(std::string(ParsePointerNetworkOptions(wrong, "card").status().message()),
              HasSubstr("card: architecture_json.inputs: got"));
  wrong.replace(wrong.find('['), std::string::npos, "7}");
  EXPECT_THAT(std::string(ParsePointerNetworkOptions(wrong, "card").status().message()),
              HasSubstr("wanted a list of names"));
}

TEST(OwnColumnsTest, AreInTheNetworksOrder) {
  const Instance instance =
      test::WithFeatures(AnInstance().WithCustomers(6).Build(), {"early", "other", "wear"});
  const NetworkBatch batch =
      MakeNetworkBatch(std::vector<Instance>{instance}, {NodeOrder::kByAngle, {"wear", "early"}});
  const NetworkBatch plain = MakeNetworkBatch(std::vector<Instance>{instance}, NodeOrder::kByAngle);
  ASSERT_EQ(batch.columns, kNodeFeatures + 2);
  ASSERT_EQ(batch.features.size(), 7u * (kNodeFeatures + 2));
  for (size_t row = 0; row < 7; ++row) {
    const float* const features = batch.features.data() + row * (kNodeFeatures + 2);
    for (size_t i = 0; i < kNodeFeatures; ++i) {
      EXPECT_EQ(features[i], plain.features[row * kNodeFeatures + i]);
    }
    const auto node = static_cast<size_t>(batch.orders[row]);
    EXPECT_EQ(features[kNodeFeatures],
              static_cast<float>(instance.data().features[2].values[node]));
    EXPECT_EQ(features[kNodeFeatures + 1],
              static_cast<float>(instance.data().features[0].values[node]));
  }
}

TEST(OwnColumnsTest, AreNamedIfMissing) {
  const Instance instance = test::WithFeatures(AnInstance().Build(), {"early"});
  EXPECT_TRUE(BatchSupports(instance, {NodeOrder::kAsGiven, {"early"}}).ok());
  const absl::Status status = BatchSupports(instance, {NodeOrder::kAsGiven, {"early", "wear"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("features.wear: absent"));
}

// Returns the log-likelihoods of sampled tours.
std::vector<double> Likelihoods(const PolicyEngine& engine,
                                const std::vector<Instance>& instances) {
  const NetworkBatch batch = MakeNetworkBatch(instances, engine.batch_form());
  return engine.Run(batch, {.choice = Choice::kSample, .trajectories = 4})->log_likelihoods;
}

// Copies the weights of `from` to `to`, whose embeddings begin with the inputs of `from`. Sets the
// weights of the further inputs to 0.
void CopyWeights(const PolicyEngine& from, PolicyEngine& to) {
  const ParameterLayout& narrow = from.parameters().layout();
  const ParameterLayout& wide = to.parameters().layout();
  const std::span<const float> values = from.parameters().values();
  for (const ParameterShape& shape : wide.shapes()) {
    const auto& narrow_shapes = narrow.shapes();
    const auto old = std::find_if(narrow_shapes.begin(), narrow_shapes.end(),
                                  [&](const auto& each) { return each.name == shape.name; });
    ASSERT_NE(old, narrow_shapes.end());
    const int64_t columns = shape.shape.back();
    const int64_t old_columns = old->shape.back();
    const int64_t rows = ParameterLayout::Elements(shape) / columns;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        to.parameters().values()[static_cast<size_t>(wide.Offset(shape.name) + r * columns + c)] =
            c < old_columns
                ? values[static_cast<size_t>(narrow.Offset(shape.name) + r * old_columns + c)]
                : 0;
      }
    }
  }
  ASSERT_TRUE(to.ParametersChanged().ok());
}

// Checks that own columns with weights of 0 change nothing, and that other weights change the
// result.
void ExpectColumnsToMatter(const PolicyEngine& plain_engine, PolicyEngine& own,
                           const std::vector<std::string>& names) {
  const std::vector<Instance> plain = {AnInstance().WithCustomers(7).RandomDemands().Build(),
                                       AnInstance().WithCustomers(5).RandomWindows().Build()};
  const std::vector<Instance> instances = test::WithFeatures(plain, names);
  CopyWeights(plain_engine, own);
  EXPECT_EQ(Likelihoods(own, instances), Likelihoods(plain_engine, plain));
  const ParameterLayout& layout = own.parameters().layout();
  const char* const weight = own.architecture() == "gt" ? "embed.node.weight" : "embed.weight";
  const int64_t width = own.inputs().width();
  own.parameters().values()[static_cast<size_t>(layout.Offset(weight) + width - 1)] = 3;
  ASSERT_TRUE(own.ParametersChanged().ok());
  EXPECT_NE(Likelihoods(own, instances), Likelihoods(plain_engine, plain));
}

std::vector<std::string> DefaultInputsAnd(const Architecture& architecture,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> inputs = DefaultInputs(architecture);
  inputs.insert(inputs.end(), names.begin(), names.end());
  return inputs;
}

TEST(OwnColumnsTest, AreReadByGraphTransformers) {
  GraphTransformerOptions sizes = {.hidden = 32, .heads = 4, .feed_forward = 48, .layers = 2};
  const auto plain_engine = MakeCpuGraphTransformer(sizes, 5);
  for (const int count : {1, 3, 4, 25}) {  // 25: more inputs than a vector has lanes
    sizes.inputs = DefaultInputsAnd(GraphTransformerArchitecture(), Names(count));
    ExpectColumnsToMatter(*plain_engine, *MakeCpuGraphTransformer(sizes, 6), Names(count));
  }
}

TEST(OwnColumnsTest, AreReadByPointerNetworks) {
  PointerNetworkOptions sizes = {.hidden = 32, .layers = 1};
  const auto plain_engine = MakeCpuPointerNetwork(sizes, 5);
  for (const int count : {1, 8, 9, 30}) {  // 30: more inputs than a vector has lanes
    sizes.inputs = DefaultInputsAnd(PointerArchitecture(), Names(count));
    ExpectColumnsToMatter(*plain_engine, *MakeCpuPointerNetwork(sizes, 6), Names(count));
  }
}

}  // namespace
}  // namespace vrp
