// Tests the sequence transformer's engine.
#include "core/model/habits/sequence_transformer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/base/random.h"
#include "core/train/optimiser/adamw.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/model/sequence_testing.h"

namespace vrp {
namespace {

using testing::HasSubstr;

constexpr SequenceTransformerOptions kSizes = {
    .layers = 2, .width = 32, .heads = 2, .feed_forward = 48, .features = 5};

template <typename T>
std::unique_ptr<SequenceTransformer<T>> Engine(Bf16 bf16 = Bf16::kNone, Isa isa = BestIsa()) {
  auto engine = *SequenceTransformer<T>::Create(kSizes, bf16, isa);
  const std::vector<double> values = test::RandomSequenceParameters(kSizes);
  engine->SetParameters(std::vector<T>(values.begin(), values.end()));
  return engine;
}

template <typename T>
std::vector<T> LogProbabilities(const SequenceTransformer<T>& engine, const SequenceBatch& batch) {
  std::vector<T> to(static_cast<size_t>(batch.size * batch.max_candidates));
  EXPECT_TRUE(engine.LogProbabilities(batch, nullptr, to).ok());
  return to;
}

struct Gradients {
  SequenceOutcome outcome;
  std::vector<float> gradient;
};

Gradients GradientsOf(const SequenceTransformer<float>& engine, const SequenceBatch& batch,
                      CpuPool* pool = nullptr, double smoothing = 0.1) {
  Gradients result;
  result.gradient.resize(static_cast<size_t>(engine.layout().size()));
  const auto outcome =
      engine.AddGradient(batch, {.label_smoothing = smoothing, .pool = pool}, result.gradient);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  result.outcome = *outcome;
  return result;
}

double Distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0;
  double size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double{a[i]} - b[i], 2);
    size += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(difference / size);
}

TEST(SequenceTransformerTest, LogProbabilitiesAreThoseOfADistribution) {
  const auto engine = Engine<float>();
  const SequenceBuffers buffers = test::RandomSequences({5, 11, 1}, kSizes.features);
  const SequenceBatch batch = buffers.View();
  const std::vector<float> got = LogProbabilities(*engine, batch);
  for (int32_t s = 0; s < batch.size; ++s) {
    double sum = 0;
    for (int32_t c = 0; c < batch.max_candidates; ++c) {
      const float value = got[buffers.Choice(s, c)];
      const bool allowed = c < batch.candidate_counts[s] &&
                           batch.visited_from[buffers.Choice(s, c)] >= batch.lengths[s];
      EXPECT_EQ(std::isfinite(value), allowed) << s << ", " << c;
      sum += std::exp(double{value});
    }
    EXPECT_NEAR(sum, 1, 1e-5) << s;
  }
}

TEST(SequenceTransformerTest, LaterTokensChangeNoBitOfThePredictions) {
  const auto engine = Engine<float>();
  SequenceBuffers buffers = test::RandomSequences({12}, kSizes.features);
  const int32_t length = buffers.lengths[0];
  buffers.lengths[0] = length - 5;
  const std::vector<float> before = LogProbabilities(*engine, buffers.View());
  // The loss of the positions before the change, in a sequence that goes on behind them.
  buffers.lengths[0] = length;
  for (int32_t t = length - 5; t < length; ++t) buffers.targets[buffers.Token(0, t)] = kNoTarget;
  const double loss = engine->Loss(buffers.View(), {})->loss;
  for (int32_t t = length - 5; t < length; ++t) {
    for (float& value : buffers.Context(0, t)) value += 3;
    buffers.types[buffers.Token(0, t)] = TokenType::kEnd;
  }
  EXPECT_EQ(engine->Loss(buffers.View(), {})->loss, loss);
  buffers.lengths[0] = length - 5;
  EXPECT_EQ(LogProbabilities(*engine, buffers.View()), before);
}

TEST(SequenceTransformerTest, PaddingChangesNoBitOfTheLossOrTheGradient) {
  const auto engine = Engine<float>();
  SequenceBuffers buffers = test::RandomSequences({5, 11, 1}, kSizes.features);
  const Gradients before = GradientsOf(*engine, buffers.View());
  for (int32_t s = 0; s < buffers.View().size; ++s) {
    for (int32_t t = buffers.lengths[s]; t < buffers.View().max_length; ++t) {
      for (float& value : buffers.Context(s, t)) value = std::numeric_limits<float>::quiet_NaN();
      buffers.types[buffers.Token(s, t)] = static_cast<TokenType>(99);
      buffers.targets[buffers.Token(s, t)] = 77;
    }
    for (int32_t c = buffers.candidate_counts[s]; c < buffers.View().max_candidates; ++c) {
      for (float& value : buffers.Candidate(s, c)) value = std::numeric_limits<float>::infinity();
    }
  }
  const Gradients after = GradientsOf(*engine, buffers.View());
  EXPECT_EQ(after.outcome.loss, before.outcome.loss);
  EXPECT_EQ(after.gradient, before.gradient);
}

TEST(SequenceTransformerTest, AWiderBatchGivesTheSameLossAndGradient) {
  const auto engine = Engine<float>();
  const SequenceBuffers narrow = test::RandomSequences({5, 11, 1}, kSizes.features);
  SequenceBuffers wide;
  wide.Reset(3, narrow.View().max_length + 7, narrow.View().max_candidates + 20, kSizes.features);
  for (int32_t s = 0; s < 3; ++s) {
    wide.lengths[s] = narrow.lengths[s];
    wide.candidate_counts[s] = narrow.candidate_counts[s];
    SequenceBuffers from = narrow;
    for (int32_t t = 0; t < narrow.lengths[s]; ++t) {
      std::ranges::copy(from.Context(s, t), wide.Context(s, t).begin());
      wide.types[wide.Token(s, t)] = narrow.types[narrow.Token(s, t)];
      wide.targets[wide.Token(s, t)] = narrow.targets[narrow.Token(s, t)];
    }
    for (int32_t c = 0; c < narrow.candidate_counts[s]; ++c) {
      std::ranges::copy(from.Candidate(s, c), wide.Candidate(s, c).begin());
      wide.visited_from[wide.Choice(s, c)] = narrow.visited_from[narrow.Choice(s, c)];
    }
  }
  EXPECT_EQ(GradientsOf(*engine, wide.View()).gradient,
            GradientsOf(*engine, narrow.View()).gradient);
}

TEST(SequenceTransformerTest, PermutesProbabilitiesWithTheCandidates) {
  const auto engine = Engine<float>();
  SequenceBuffers buffers = test::RandomSequences({19}, kSizes.features);
  const int32_t count = buffers.candidate_counts[0];
  buffers.lengths[0] -= 8;  // so that several candidates can be chosen
  const std::vector<float> before = LogProbabilities(*engine, buffers.View());
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  CounterRandom(5).Shuffle(std::span<int32_t>(order));
  SequenceBuffers permuted = buffers;
  for (int32_t c = 0; c < count; ++c) {
    std::ranges::copy(buffers.Candidate(0, order[c]), permuted.Candidate(0, c).begin());
    permuted.visited_from[c] = buffers.visited_from[order[c]];
  }
  const std::vector<float> after = LogProbabilities(*engine, permuted.View());
  for (int32_t c = 0; c < count; ++c) {
    if (std::isinf(before[order[c]])) {
      EXPECT_EQ(after[c], before[order[c]]);
    } else {
      EXPECT_NEAR(after[c], before[order[c]], 1e-6) << c;
    }
  }
}

TEST(SequenceTransformerTest, ReadsContextsTypesPositionsAndCandidates) {
  const auto engine = Engine<float>();
  const SequenceBuffers buffers = test::RandomSequences({6}, kSizes.features);
  SequenceBuffers from = buffers;
  from.lengths[0] -= 4;
  const std::vector<float> before = LogProbabilities(*engine, from.View());
  const auto differs = [&](const SequenceBuffers& changed) {
    return LogProbabilities(*engine, changed.View()) != before;
  };
  SequenceBuffers other = from;
  other.Context(0, 0)[2] += 1;
  EXPECT_TRUE(differs(other));
  other = from;
  other.types[0] = TokenType::kEnd;
  EXPECT_TRUE(differs(other));
  other = from;
  std::swap_ranges(other.Context(0, 0).begin(), other.Context(0, 0).end(),
                   other.Context(0, 1).begin());
  EXPECT_TRUE(differs(other));
  other = from;
  other.Candidate(0, other.candidate_counts[0] - 1)[0] += 1;
  EXPECT_TRUE(differs(other));
}

TEST(SequenceTransformerTest, GradientsAreTheSameForTheSameNumberOfThreads) {
  const auto engine = Engine<float>();
  const SequenceBuffers buffers =
      test::RandomSequences({5, 11, 1, 30, 7, 25, 3, 40, 12, 9, 33, 2}, kSizes.features);
  const Gradients alone = GradientsOf(*engine, buffers.View());
  CpuPool pool(3);
  const Gradients first = GradientsOf(*engine, buffers.View(), &pool);
  const Gradients second = GradientsOf(*engine, buffers.View(), &pool);
  EXPECT_EQ(first.gradient, second.gradient);
  EXPECT_EQ(first.outcome.loss, second.outcome.loss);
  EXPECT_LT(Distance(first.gradient, alone.gradient), 1e-5);
  EXPECT_NEAR(first.outcome.loss, alone.outcome.loss, 1e-6);
  EXPECT_EQ(first.outcome.targets, 190);
  EXPECT_EQ(first.outcome.hits, alone.outcome.hits);
}

TEST(SequenceTransformerTest, AddsToTheGradient) {
  const auto engine = Engine<float>();
  const SequenceBuffers buffers = test::RandomSequences({5, 3}, kSizes.features);
  const Gradients once = GradientsOf(*engine, buffers.View());
  std::vector<float> twice = once.gradient;
  ASSERT_TRUE(engine->AddGradient(buffers.View(), {.label_smoothing = 0.1}, twice).ok());
  for (size_t i = 0; i < twice.size(); ++i) {
    ASSERT_NEAR(twice[i], 2 * once.gradient[i], 1e-5 * (1 + std::abs(twice[i]))) << i;
  }
}

TEST(SequenceTransformerTest, GradientsInBf16AreCloseToThoseInFloat) {
  const SequenceBuffers buffers = test::RandomSequences({25, 11, 30}, kSizes.features);
  const Gradients wanted = GradientsOf(*Engine<float>(), buffers.View());
  for (const Bf16 bf16 : RunnableBf16()) {
    const Gradients got = GradientsOf(*Engine<float>(bf16), buffers.View());
    EXPECT_NEAR(got.outcome.loss, wanted.outcome.loss, 0.02);
    EXPECT_LT(Distance(got.gradient, wanted.gradient), 0.1);
    EXPECT_NE(got.gradient, wanted.gradient);
  }
}

TEST(SequenceTransformerTest, EdgeRowsEqualThePredictionsAfterEachPrefix) {
  const auto engine = Engine<float>();
  constexpr int64_t kStops = 6;
  constexpr int64_t kShared = 9;
  CounterRandom random(8, 1);
  std::vector<float> contexts(kShared * kSizes.features);
  std::vector<float> stops(kStops * kSizes.features);
  std::vector<float> candidates(kStops * kSizes.features);
  for (std::vector<float>* values : {&contexts, &stops, &candidates}) {
    test::FillRandom(*values, random);
  }
  std::vector<TokenType> types(kShared, TokenType::kStop);
  types.back() = TokenType::kBegin;
  std::vector<float> edges(kStops * kStops);
  CpuPool pool(2);
  ASSERT_TRUE(
      engine
          ->EdgeLogProbabilities(
              {.types = types, .contexts = contexts, .stops = stops, .candidates = candidates},
              &pool, edges)
          .ok());
  for (int64_t i = 0; i < kStops; ++i) {
    SequenceBuffers one;
    one.Reset(1, kShared + 1, kStops, kSizes.features);
    one.lengths[0] = i == 0 ? kShared : kShared + 1;
    one.candidate_counts[0] = kStops;
    std::ranges::copy(contexts, one.contexts.begin());
    std::ranges::copy(types, one.types.begin());
    one.types[kShared] = TokenType::kStop;
    std::copy_n(stops.begin() + i * kSizes.features, kSizes.features,
                one.Context(0, kShared).begin());
    std::ranges::copy(candidates, one.candidates.begin());
    one.visited_from[i] = 0;
    const std::vector<float> wanted = LogProbabilities(*engine, one.View());
    for (int64_t j = 0; j < kStops; ++j) {
      EXPECT_EQ(edges[i * kStops + j], i == j ? 0 : wanted[j]) << i << ", " << j;
    }
  }
}

TEST(SequenceTransformerTest, OverfitsASmallBatch) {
  const SequenceBuffers buffers = test::RandomSequences({6, 4, 9, 8}, kSizes.features);
  FlatParameters parameters(SequenceLayout(kSizes), 1);
  parameters.TrackGradient();
  AdamW optimiser(parameters.layout(), {});
  const auto engine = *SequenceTransformer<float>::Create(kSizes);
  SequenceOutcome outcome;
  for (int step = 0; step < 150; ++step) {
    engine->SetParameters(parameters.values());
    std::ranges::fill(parameters.gradient(), 0.0F);
    outcome = *engine->AddGradient(buffers.View(), {}, parameters.gradient());
    optimiser.Step(parameters, 3e-3, 1, nullptr);
  }
  EXPECT_LT(outcome.loss, 0.2);
  EXPECT_EQ(outcome.hits, outcome.targets);
}

TEST(SequenceTransformerTest, RefusesWrongSizesByName) {
  const auto error = [](const SequenceTransformerOptions& options) {
    return std::string(SequenceTransformer<float>::Create(options).status().message());
  };
  EXPECT_THAT(error({.layers = 0}), HasSubstr("layers: got 0, wanted 1 to"));
  EXPECT_THAT(error({.width = 60}), HasSubstr("width: got 60, wanted a multiple of 16"));
  EXPECT_THAT(error({.heads = 3}), HasSubstr("heads: got 3, wanted a divisor of width, 64"));
  EXPECT_THAT(error({.feed_forward = 100}), HasSubstr("feed_forward: got 100"));
  EXPECT_THAT(error({.positions = 257}), HasSubstr("positions: got 257, wanted 1 to 256"));
  EXPECT_THAT(error({.features = 0}), HasSubstr("features: got 0"));
  EXPECT_THAT(
      std::string(SequenceTransformer<double>::Create({}, Bf16::kVectors).status().message()),
      HasSubstr("bf16: needs an engine of float"));
}

TEST(SequenceTransformerTest, RefusesWrongBatchesWithTheFirstError) {
  const auto engine = Engine<float>();
  const SequenceBuffers good = test::RandomSequences({5, 3}, kSizes.features);
  const auto error = [&](auto change) {
    SequenceBuffers buffers = good;
    change(buffers);
    return std::string(engine->Loss(buffers.View(), {}).status().message());
  };
  EXPECT_EQ(error([](SequenceBuffers&) {}), "");
  EXPECT_THAT(error([](SequenceBuffers& b) { b.lengths[1] = 0; }),
              HasSubstr("sequence 1: length: got 0, wanted 1 to"));
  EXPECT_THAT(error([](SequenceBuffers& b) { b.lengths.pop_back(); }),
              HasSubstr("batch.lengths: got 1 elements, wanted 2"));
  EXPECT_THAT(error([](SequenceBuffers& b) { b.types[0] = static_cast<TokenType>(3); }),
              HasSubstr("sequence 0: type of position 0: got 3, wanted 0 to 2"));
  EXPECT_THAT(error([](SequenceBuffers& b) { b.targets[0] = 6; }),
              HasSubstr("sequence 0: target of position 0: got 6, wanted -1 to 5"));
  EXPECT_THAT(error([](SequenceBuffers& b) {
                b.targets[0] = 2;
                b.visited_from[2] = 0;
              }),
              HasSubstr("candidate 2 is visited from position 0 on"));
  EXPECT_THAT(error([](SequenceBuffers& b) { b.contexts[0] = std::nanf(""); }),
              HasSubstr("sequence 0: contexts: got a number that is not finite"));
  EXPECT_THAT(error([](SequenceBuffers& b) { b.candidate_counts[0] = 99; }),
              HasSubstr("sequence 0: candidates: got 99"));
  EXPECT_THAT(std::string(engine->Loss(good.View(), {.label_smoothing = 1}).status().message()),
              HasSubstr("label_smoothing: got 1"));
  std::vector<float> gradient(3);
  EXPECT_THAT(std::string(engine->AddGradient(good.View(), {}, gradient).status().message()),
              HasSubstr("gradient: got 3 elements"));
}

TEST(SequenceTransformerTest, AnEmptyBatchHasNoLoss) {
  const auto engine = Engine<float>();
  const SequenceOutcome outcome = *engine->Loss({}, {});
  EXPECT_EQ(outcome.targets, 0);
  EXPECT_EQ(outcome.loss, 0);
}

TEST(SequenceBuffersTest, KeepTheirMemoryForSmallerBatches) {
  SequenceBuffers buffers;
  buffers.Reset(8, 50, 10, 4);
  const float* const contexts = buffers.contexts.data();
  buffers.Reset(7, 40, 10, 4);
  EXPECT_EQ(buffers.contexts.data(), contexts);
  EXPECT_EQ(buffers.View().lengths.size(), 7);
  EXPECT_EQ(buffers.targets[279], kNoTarget);
}

}  // namespace
}  // namespace vrp
