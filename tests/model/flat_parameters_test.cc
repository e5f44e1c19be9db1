#include "core/model/weights/flat_parameters.h"

#include <cmath>
#include <limits>

#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

ParameterLayout SmallLayout() {
  return ParameterLayout({{.name = "a.weight", .shape = {2, 3}, .bound = 0.5},
                          {.name = "a.bias", .shape = {2}, .bound = 0.1, .offset = 1}});
}

FlatParameters RandomParameters(uint64_t seed) { return {SmallLayout(), seed}; }

std::vector<float> Values(const FlatParameters& parameters) {
  return {parameters.values().begin(), parameters.values().end()};
}

TEST(FlatParametersTest, DrawsFromTheSeedWithinBounds) {
  const FlatParameters parameters = RandomParameters(1);
  EXPECT_EQ(Values(parameters), Values(RandomParameters(1)));
  EXPECT_NE(Values(parameters), Values(RandomParameters(2)));
  for (const float value : parameters.Get("a.weight")) EXPECT_LE(std::abs(value), 0.5f);
  for (const float value : parameters.Get("a.bias")) EXPECT_LE(std::abs(value - 1), 0.1f);
}

TEST(FlatParametersTest, LoadsExactlyWhatItSaved) {
  const FlatParameters parameters = RandomParameters(1);
  FlatParameters other = RandomParameters(2);
  ASSERT_TRUE(other.Load(*SafetensorsFile::Parse(parameters.Save(), "w"), "w").ok());
  EXPECT_EQ(Values(parameters), Values(other));
}

TEST(FlatParametersTest, RefusesAnotherShapeWithoutChanges) {
  const FlatParameters other(
      ParameterLayout({{.name = "a.weight", .shape = {3, 2}}, {.name = "a.bias", .shape = {2}}}),
      1);
  FlatParameters parameters = RandomParameters(2);
  const absl::Status status = parameters.Load(*SafetensorsFile::Parse(other.Save(), "w"), "w");
  EXPECT_EQ(status.message(), "w: a.weight: got F32[3, 2], wanted F32[2, 3]");
  EXPECT_EQ(Values(parameters), Values(RandomParameters(2)));
}

TEST(FlatParametersTest, NamesMissingAndUnknownParameters) {
  FlatParameters small(ParameterLayout({{.name = "a.weight", .shape = {2, 3}}}), 1);
  FlatParameters parameters = RandomParameters(2);
  EXPECT_EQ(parameters.Load(*SafetensorsFile::Parse(small.Save(), "w"), "w").message(),
            "w: a.bias: missing, wanted F32[2]");
  EXPECT_EQ(small.Load(*SafetensorsFile::Parse(parameters.Save(), "w"), "w").message(),
            "w: \"a.bias\": this network has no such parameter");
}

TEST(FlatParametersTest, RefusesNonFiniteWeights) {
  FlatParameters parameters = RandomParameters(1);
  parameters.values()[6] = std::numeric_limits<float>::quiet_NaN();
  FlatParameters other = RandomParameters(2);
  EXPECT_EQ(other.Load(*SafetensorsFile::Parse(parameters.Save(), "w"), "w").message(),
            "w: a.bias[0]: got nan, wanted a finite number");
}

TEST(GraphTransformerLayoutTest, PlacesEveryParameterOnceWithoutGaps) {
  const ParameterLayout layout = GraphTransformerLayout({.norm = NormKind::kFrozenBatch});
  int64_t next = 0;
  for (const ParameterShape& shape : layout.shapes()) {
    EXPECT_EQ(layout.Offset(shape.name), next) << shape.name;
    next += ParameterLayout::Elements(shape);
  }
  EXPECT_EQ(layout.size(), next);
}

TEST(GraphTransformerLayoutTest, InitialisesNormsAsTheIdentity) {
  const FlatParameters parameters(GraphTransformerLayout({}), 1);
  for (const float value : parameters.Get("encoder.layers.0.norm1.scale")) EXPECT_EQ(value, 1);
  for (const float value : parameters.Get("encoder.layers.2.norm2.shift")) EXPECT_EQ(value, 0);
}

TEST(GraphTransformerOptionsTest, ReadsBackWhatItWrote) {
  const GraphTransformerOptions options{.hidden = 64,
                                        .heads = 4,
                                        .feed_forward = 256,
                                        .layers = 6,
                                        .norm = NormKind::kFrozenBatch,
                                        .edge_bias = false,
                                        .logit_clip = 8};
  const auto back = ParseGraphTransformerOptions(WriteGraphTransformerOptions(options), "card");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, options);
}

TEST(GraphTransformerOptionsTest, NamesTheWrongKey) {
  const auto message = [](std::string_view json) {
    return std::string(ParseGraphTransformerOptions(json, "card").status().message());
  };
  EXPECT_EQ(message(R"({"hidden": 100, "heads": 8, "feed_forward": 512, "layers": 3,
      "norm": "instance", "edge_bias": true, "logit_clip": 10})"),
            "card: architecture_json.hidden: got 100, wanted a multiple of 16");
  EXPECT_EQ(message(R"({"hidden": 128, "heads": 6, "feed_forward": 512, "layers": 3,
      "norm": "instance", "edge_bias": true, "logit_clip": 10})"),
            "card: architecture_json.heads: got 6, wanted a divisor of hidden, 128");
  EXPECT_EQ(message(R"({"hidden": 128, "heads": 8, "feed_forward": 512, "layers": 3,
      "norm": "layer", "edge_bias": true, "logit_clip": 10})"),
            "card: architecture_json.norm: got \"layer\", wanted instance or frozen_batch");
  EXPECT_NE(message("[]").find("wanted an object with exactly these keys"), std::string::npos);
}

}  // namespace
}  // namespace vrp
