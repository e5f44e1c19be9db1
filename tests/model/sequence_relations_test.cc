// Tests the relations of positions and candidates in the sequence transformer.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/model/habits/sequence_transformer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model/sequence_testing.h"

namespace vrp {
namespace {

constexpr SequenceTransformerOptions kRelationSizes = {
    .layers = 2, .width = 32, .heads = 2, .feed_forward = 48, .features = 5, .relations = 3};

// Fills the relations of all positions with a target.
void AddRelations(SequenceBuffers& buffers, int32_t relations) {
  SequenceBuffers with = buffers;
  const SequenceBatch view = buffers.View();
  with.Reset(view.size, view.max_length, view.max_candidates, kRelationSizes.features,
             view.max_length, relations);
  with.lengths = buffers.lengths;
  with.types = buffers.types;
  with.candidate_counts = buffers.candidate_counts;
  with.targets = buffers.targets;
  with.visited_from = buffers.visited_from;
  CounterRandom random(8);
  test::FillRandom(with.relations, random);
  buffers = with;
}

TEST(SequenceRelationsTest, GradientsOfRelationsAreThoseOfTheLoss) {
  const SequenceTransformerOptions sizes = kRelationSizes;
  SequenceBuffers buffers = test::RandomSequences({4, 7}, sizes.features);
  AddRelations(buffers, sizes.relations);
  auto engine = *SequenceTransformer<double>::Create(sizes);
  std::vector<double> values = test::RandomSequenceParameters(sizes);
  engine->SetParameters(values);
  std::vector<double> gradient(values.size(), 0);
  ASSERT_TRUE(engine->AddGradient(buffers.View(), {}, gradient).ok());
  constexpr double kStep = 1e-5;
  const auto loss_with = [&](size_t i, double value) {
    const double before = std::exchange(values[i], value);
    engine->SetParameters(values);
    values[i] = before;
    return engine->Loss(buffers.View(), {})->loss;
  };
  const auto relation = static_cast<size_t>(engine->layout().Offset("pointer.relation.weight"));
  const auto query = static_cast<size_t>(engine->layout().Offset("pointer.query.weight"));
  for (const size_t first : {relation, values.size() - 3, query, size_t{0}}) {
    for (size_t i = first; i < std::min(first + 5, values.size()); ++i) {
      const double slope =
          (loss_with(i, values[i] + kStep) - loss_with(i, values[i] - kStep)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], slope, 1e-7) << i;
    }
  }
}

TEST(SequenceRelationsTest, RefusesPositionsWithoutRelations) {
  const SequenceTransformerOptions sizes = kRelationSizes;
  SequenceBuffers buffers = test::RandomSequences({4, 7}, sizes.features);
  const auto engine = *SequenceTransformer<float>::Create(sizes);
  EXPECT_THAT(std::string(engine->Loss(buffers.View(), {}).status().message()),
              testing::HasSubstr("relations of position"));
}

}  // namespace
}  // namespace vrp
