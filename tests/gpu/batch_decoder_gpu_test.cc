// Compares the decoder's kernels with the same programs on the CPU.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/decoder/batch_decoder.h"
#include "core/kernels/support/bf16_value.h"
#include "gtest/gtest.h"
#include "tests/gpu/device_buffer.h"
#include "tests/gpu/device_rules.h"
#include "tests/gpu/gpu_testing.h"

namespace vrp {
namespace {

using test::Buffer;

float RoundedToBf16(float value) {
  Bf16Value rounded;
  StoreFloat(value, rounded);
  return ToFloat(rounded);
}

// Projections of a batch, or with seed 0 their gradients, which begin as 0.
struct NodeBuffers {
  NodeBuffers(const DecoderShape& shape, int32_t instances, int32_t count, bool with_tsp,
              uint64_t seed, bool bf16 = false)
      : hidden(shape.hidden),
        tsp(with_tsp),
        nodes(count),
        rows(static_cast<size_t>(instances) * count * 5 * shape.hidden),
        base(static_cast<size_t>(instances) * shape.hidden),
        start(base.host().size()),
        shares(base.host().size() * kContextShares) {
    if (seed == 0) return;
    CounterRandom random(seed);
    for (Buffer<float>* one : All()) {
      for (float& value : one->host()) {
        value = random.UniformFloat() - 0.5f;
        if (bf16) value = RoundedToBf16(value);
      }
      one->Upload();
    }
  }

  std::vector<Buffer<float>*> All() { return {&rows, &base, &start, &shares}; }

  template <typename T>
  BatchNodes<T> view(bool cuda) {
    float* const first = rows.data(cuda);
    return {.first = {.stride = int64_t{5} * hidden,
                      .keys = first,
                      .values = first + hidden,
                      .logit_keys = first + int64_t{2} * hidden,
                      .queries = first + int64_t{3} * hidden,
                      .first_queries = tsp ? first + int64_t{4} * hidden : nullptr,
                      .base_query = base.data(cuda),
                      .start_query = start.data(cuda),
                      .shares_weight = shares.data(cuda)},
            .rows_batch_stride = int64_t{5} * hidden * nodes,
            .base_batch_stride = hidden,
            .start_batch_stride = hidden,
            .weights_batch_stride = int64_t{kContextShares} * hidden};
  }

  int32_t hidden;
  bool tsp;  // whether the batch has a TSP, which needs first queries
  int32_t nodes;
  Buffer<float> rows, base, start, shares;
};

// Instances and their projections on the host and on the device.
class BatchBuffers {
 public:
  BatchBuffers(const DecoderShape& shape, const std::vector<CaseOptions>& cases, bool bf16)
      : shape_(shape),
        rules_(cases),
        tsp_(std::ranges::any_of(cases, [](const CaseOptions& one) { return one.tsp; })),
        projections_(shape, rules_.size(), rules_.nodes(), tsp_, 17, bf16) {}

  int32_t size() const { return rules_.size(); }
  bool tsp() const { return tsp_; }
  int32_t nodes() const { return rules_.nodes(); }
  int32_t steps() const { return rules_.steps(); }
  DecoderBatch<float> view(bool cuda) {
    return {.shape = shape_,
            .instances = size(),
            .nodes = nodes(),
            .rules = rules_.data(cuda),
            .projections = projections_.view<const float>(cuda)};
  }

 private:
  const DecoderShape shape_;
  test::DeviceRules rules_;
  const bool tsp_;
  NodeBuffers projections_;
};

struct RolloutBuffers {
  RolloutBuffers(int64_t rows, int32_t steps)
      : choices(static_cast<size_t>(rows) * steps),
        lengths(static_cast<size_t>(rows)),
        costs(static_cast<size_t>(rows)),
        log_likelihoods(static_cast<size_t>(rows)),
        agreements(static_cast<size_t>(rows)),
        ends(static_cast<size_t>(rows)) {}
  BatchRolloutResult view(bool cuda) {
    return {choices.data(cuda),         lengths.data(cuda),    costs.data(cuda),
            log_likelihoods.data(cuda), agreements.data(cuda), ends.data(cuda)};
  }
  Buffer<int32_t> choices, lengths;
  Buffer<double> costs, log_likelihoods;
  Buffer<int32_t> agreements;
  Buffer<TrajectoryEnd> ends;
};

std::unique_ptr<BatchDecoder<float>> DecoderOf(bool cuda, bool bf16) {
  return cuda ? MakeCudaBatchDecoder({.bf16 = bf16}) : MakeSerialBatchDecoder<float>();
}

void ExpectNear(const std::vector<double>& actual, const std::vector<double>& wanted,
                const std::vector<int32_t>& lengths, double each) {
  for (size_t row = 0; row < wanted.size(); ++row) {
    EXPECT_NEAR(actual[row], wanted[row], each * lengths[row]) << row;
  }
}

struct GpuCase {
  std::string name;
  std::vector<CaseOptions> instances;
  int32_t trajectories = 1;
  DecoderShape shape = {};
  test::EmulationOptions device = {};
  bool bf16 = false;  // whether the projections are numbers of bf16
  bool tiled_rollouts =
      false;  // whether rollouts round operands, so that other nodes may be likelier
};

// Returns small cases with device limits that select all code paths of large cases. They cover one
// slice and many, staged and unstaged nodes, and one block and many. Others have fewer groups than
// trajectories, more shared memory than the default, or scratch in global memory.
std::vector<GpuCase> EmulatedGpuCases() {
  constexpr DecoderShape kSmall = {.hidden = 32, .heads = 4};
  constexpr DecoderShape kTiled = {.hidden = 32, .heads = 2};
  const std::vector<CaseOptions> all = AllCases(6);
  std::vector<CaseOptions> some;
  for (size_t i = 0; i < all.size(); i += 9) some.push_back(all[i]);
  const std::vector<CaseOptions> two = {{.nodes = 12, .windows = true}, {.nodes = 9, .tsp = true}};
  return {{"EveryVariant", all, 1, {.hidden = 16, .heads = 2}},
          {"StagedSlices", some, 5, kSmall, {.seed = 2}},
          {"SlicesAlone", two, 5, kSmall, {.shared_bytes = 5000, .multiprocessors = 8, .seed = 3}},
          {"ManyBlocks", two, 9, kSmall, {.multiprocessors = 8, .seed = 4, .deferred = true}},
          {"FewGroups", two, 11, kSmall, {.multiprocessors = 1, .seed = 8}},
          {"Tiles", some, 5, kTiled, {.seed = 9}},
          {"TilesOfFewInstances", two, 3, kTiled, {.multiprocessors = 8, .seed = 10}},
          {"TilesInChunks", {{.nodes = 66}}, 2, kTiled, {.seed = 11, .deferred = true}},
          {"CoarseTilesInRounds", {{.nodes = 66}}, 2, {.hidden = 128, .heads = 8}, {.seed = 12}},
          {"MuchSharedMemory", {{.nodes = 33}}, 4, {.hidden = 128, .heads = 8}, {.seed = 5}},
          {"BeyondSharedMemory", two, 3, kSmall, {.shared_bytes = 700, .seed = 6}},
          {"Bf16Rows", {{.nodes = 37, .windows = true}}, 5, {}, {.seed = 12}, true},
          {"Bf16RowsOfATeam", {{.nodes = 70}}, 1, {}, {.seed = 13}, true},
          {"TiledRollouts", {{.nodes = 14, .windows = true}}, 18, {}, {.seed = 14}, true, true},
          {"OddShape", some, 2, {.hidden = 48, .heads = 3, .clip = 7}, {.seed = 7}}};
}

// Returns cases with few and many trajectories, with nodes inside and outside of shared memory, and
// with the groups' scratch in global memory.
std::vector<GpuCase> GpuCases() {
  if (test::kEmulated) return EmulatedGpuCases();
  std::vector<CaseOptions> ten(10, CaseOptions{.nodes = 51});
  for (size_t i = 0; i < ten.size(); ++i) ten[i].seed = i + 1;
  return {{"EveryVariant", AllCases(13), 1},
          {"EveryVariantSampled", AllCases(13), 6},
          {"OneTrajectoryEach", ten, 1},
          {"ManyTrajectories", ten, 50},
          {"Tsp", {{.nodes = 101, .tsp = true}, {.nodes = 20, .tsp = true}}, 30},
          {"Hundred", {{.nodes = 101}, {.nodes = 101, .windows = true}}, 100},
          {"Thousand", {{.nodes = 1001}}, 3},
          // Uses more heads rather than more nodes, because the CPU's single thread is slow.
          {"BeyondSharedMemory", {{.nodes = 2001, .tsp = true}}, 1, {.hidden = 64, .heads = 32}},
          {"Bf16Rows", ten, 12, {}, {}, true},
          {"Bf16RowsOfTeams", ten, 2, {}, {}, true},
          {"TiledRollouts", ten, 50, {}, {}, true, true},
          {"TiledRolloutsOfHundred",
           {{.nodes = 101}, {.nodes = 101, .tsp = true}},
           100,
           {},
           {},
           true,
           true},
          {"OddShape", AllCases(9), 2, {.hidden = 48, .heads = 3, .clip = 7}}};
}

class BatchDecoderGpuTest : public testing::TestWithParam<GpuCase> {
 protected:
  void SetUp() override {
    if (!test::HasGpu()) GTEST_SKIP() << test::kNoGpu;
    test::ConfigureDevice(GetParam().device);
  }
};

TEST_P(BatchDecoderGpuTest, ForcedDecodingOnTheCpuReproducesTheDevicesSamples) {
  const GpuCase& one = GetParam();
  BatchBuffers batch(one.shape, one.instances, one.bf16);
  RolloutBuffers results(batch.size() * int64_t{one.trajectories}, batch.steps());
  BatchRolloutRequest request = {.choice = StepChoice::kSample,
                                 .trajectories = one.trajectories,
                                 .seed = 5,
                                 .max_steps = batch.steps()};
  ASSERT_TRUE(
      DecoderOf(true, one.bf16)->Rollout(batch.view(true), request, results.view(true)).ok());
  const std::vector<int32_t> choices = results.choices.Download();
  request.choice = StepChoice::kForced;
  request.forced_choices = choices.data();
  ASSERT_TRUE(
      DecoderOf(false, one.bf16)->Rollout(batch.view(false), request, results.view(false)).ok());
  EXPECT_EQ(choices, results.choices.host());
  EXPECT_EQ(results.lengths.Download(), results.lengths.host());
  EXPECT_EQ(results.ends.Download(), results.ends.host());
  ExpectNear(results.costs.Download(), results.costs.host(), results.lengths.host(), 1e-9);
  ExpectNear(results.log_likelihoods.Download(), results.log_likelihoods.host(),
             results.lengths.host(), one.tiled_rollouts ? 2e-3 : 1e-5);
}

// Expects that a decoder with `options` computes the CPU's gradients, with differences of up to
// `tolerance` relative to the largest element of an array, and the CPU's log-likelihoods, with
// differences of up to a tenth of it per step. The largest weight is about `weight`.
void ExpectGradientsOfTheCpu(const GpuCase& one, const CudaDecoderOptions& options, float tolerance,
                             double weight = 1) {
  BatchBuffers batch(one.shape, one.instances, one.bf16);
  const int64_t rows = batch.size() * int64_t{one.trajectories};
  RolloutBuffers results(rows, batch.steps());
  const BatchRolloutRequest sampled = {
      .choice = StepChoice::kSample, .trajectories = one.trajectories, .max_steps = batch.steps()};
  ASSERT_TRUE(
      DecoderOf(false, one.bf16)->Rollout(batch.view(false), sampled, results.view(false)).ok());
  results.choices.Upload();
  std::vector<double> weights;
  for (int64_t row = 0; row < rows; ++row) {
    weights.push_back(weight * (0.1 * static_cast<double>(row % 7) - 0.3));
  }
  Buffer<double> weight_buffer(weights);
  Buffer<double> terms(std::vector<double>(weights.size(), 77));  // must be overwritten
  NodeBuffers gradient(one.shape, batch.size(), batch.nodes(), batch.tsp(), 0);
  for (const bool cuda : {true, false}) {
    const BatchSecondPassRequest request = {.trajectories = one.trajectories,
                                            .label_smoothing = 0.1,
                                            .max_steps = batch.steps(),
                                            .choices = results.choices.data(cuda),
                                            .weights = weight_buffer.data(cuda)};
    const auto decoder = cuda ? MakeCudaBatchDecoder(options) : DecoderOf(false, one.bf16);
    ASSERT_TRUE(
        decoder->SecondPass(batch.view(cuda), request, terms.data(cuda), gradient.view<float>(cuda))
            .ok());
  }
  ExpectNear(terms.Download(), terms.host(), results.lengths.host(), 0.1 * tolerance);
  for (Buffer<float>* const part : gradient.All()) {
    float largest = 1e-6f * static_cast<float>(weight);
    for (const float value : part->host()) largest = std::max(largest, std::abs(value));
    const std::vector<float> actual = part->Download();
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_NEAR(actual[i], part->host()[i], tolerance * largest) << i;
    }
  }
}

TEST_P(BatchDecoderGpuTest, ComputesTheSameGradientsAsTheCpu) {
  ExpectGradientsOfTheCpu(GetParam(), {}, 1e-4f);
}

TEST_P(BatchDecoderGpuTest, ComputesNearlyTheSameGradientsWithCoarseProducts) {
  ExpectGradientsOfTheCpu(GetParam(), {.coarse = true}, 1e-2f);
}

TEST_P(BatchDecoderGpuTest, ComputesCoarseGradientsOfTinyAndOfHugeWeights) {
  for (const double weight : {1e-7, 1e7}) {
    SCOPED_TRACE(weight);
    ExpectGradientsOfTheCpu(GetParam(), {.coarse = true}, 1e-2f, weight);
  }
}

TEST_P(BatchDecoderGpuTest, ChoosesTheSameLikeliestNodesAsTheCpu) {
  const GpuCase& one = GetParam();
  BatchBuffers batch(one.shape, one.instances, one.bf16);
  const int64_t rows = batch.size() * int64_t{one.trajectories};
  RolloutBuffers results(rows, batch.steps());
  const BatchRolloutRequest request = {
      .trajectories = one.trajectories, .distinct_starts = true, .max_steps = batch.steps()};
  for (const bool cuda : {true, false}) {
    ASSERT_TRUE(
        DecoderOf(cuda, one.bf16)->Rollout(batch.view(cuda), request, results.view(cuda)).ok());
  }
  const std::vector<int32_t> device_choices = results.choices.Download();
  int64_t different = 0;  // rows that differ by rounding, if two nodes are equally likely
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = row * batch.steps();
    different +=
        std::equal(device_choices.begin() + begin, device_choices.begin() + begin + batch.steps(),
                   results.choices.host().begin() + begin)
            ? 0
            : 1;
  }
  EXPECT_LE(different, one.tiled_rollouts ? rows / 2 : rows / 50);
}

TEST_P(BatchDecoderGpuTest, AllocatesScratchThroughTheGivenFunction) {
  const GpuCase& one = GetParam();
  BatchBuffers batch(one.shape, one.instances, one.bf16);
  int64_t allocated = 0;
  const DeviceAllocator bytes = [&allocated](int64_t count) {
    allocated += count;
    const auto buffer = std::make_shared<Buffer<uint8_t>>(static_cast<size_t>(count));
    return std::shared_ptr<uint8_t>(buffer, buffer->data(true));
  };
  const BatchRolloutRequest request = {
      .choice = StepChoice::kSample, .trajectories = one.trajectories, .max_steps = batch.steps()};
  RolloutBuffers actual(batch.size() * int64_t{one.trajectories}, batch.steps());
  RolloutBuffers expected(batch.size() * int64_t{one.trajectories}, batch.steps());
  ASSERT_TRUE(MakeCudaBatchDecoder({.bf16 = one.bf16, .allocate = bytes})
                  ->Rollout(batch.view(true), request, actual.view(true))
                  .ok());
  ASSERT_TRUE(
      DecoderOf(true, one.bf16)->Rollout(batch.view(true), request, expected.view(true)).ok());
  EXPECT_EQ(actual.choices.Download(), expected.choices.Download());
  EXPECT_EQ(allocated > 0, one.name == "BeyondSharedMemory");
}

TEST_P(BatchDecoderGpuTest, DeterministicGradientsAreEqualForAnyOrderOfThreads) {
  const GpuCase& one = GetParam();
  BatchBuffers batch(one.shape, one.instances, one.bf16);
  const int64_t rows = batch.size() * int64_t{one.trajectories};
  RolloutBuffers results(rows, batch.steps());
  const BatchRolloutRequest sampled = {
      .choice = StepChoice::kSample, .trajectories = one.trajectories, .max_steps = batch.steps()};
  ASSERT_TRUE(
      DecoderOf(true, one.bf16)->Rollout(batch.view(true), sampled, results.view(true)).ok());
  Buffer<double> weights(std::vector<double>(static_cast<size_t>(rows), 0.5));
  std::vector<std::vector<float>> found;
  for (const uint64_t seed : {31, 32}) {
    test::EmulationOptions device = one.device;
    device.seed = seed;
    test::ConfigureDevice(device);
    Buffer<double> terms(static_cast<size_t>(rows));
    NodeBuffers gradient(one.shape, batch.size(), batch.nodes(), batch.tsp(), 0);
    const BatchSecondPassRequest request = {.trajectories = one.trajectories,
                                            .max_steps = batch.steps(),
                                            .choices = results.choices.data(true),
                                            .weights = weights.data(true)};
    ASSERT_TRUE(
        MakeCudaBatchDecoder({.deterministic = true})
            ->SecondPass(batch.view(true), request, terms.data(true), gradient.view<float>(true))
            .ok());
    found.push_back(gradient.rows.Download());
  }
  EXPECT_EQ(found[0], found[1]);
}

INSTANTIATE_TEST_SUITE_P(Cases, BatchDecoderGpuTest, testing::ValuesIn(GpuCases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vrp
