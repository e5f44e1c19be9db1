// The decoder's kernels against the same programs on the CPU.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/attention_decoder.h"
#include "core/kernels/batch_decoder.h"
#include "gtest/gtest.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/kernels/routing_case.h"

namespace vrp {
namespace {

// Memory that host and device see, so that the same views serve both.
template <typename T>
class Managed {
 public:
  explicit Managed(size_t size) : size_(size) {
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, size * sizeof(T)) != cudaSuccess) std::abort();
    std::memset(memory, 0, size * sizeof(T));
    memory_.reset(static_cast<T*>(memory));
  }
  explicit Managed(const std::vector<T>& values) : Managed(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() const { return memory_.get(); }
  size_t size() const { return size_; }
  std::vector<T> values() const { return {data(), data() + size_}; }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  size_t size_;
  std::unique_ptr<T, Free> memory_;
};

// Projections of a batch, or their gradients.
struct ManagedNodes {
  ManagedNodes(const DecoderShape& shape, int32_t instances, int32_t count, uint64_t seed)
      : hidden(shape.hidden),
        nodes(count),
        rows(static_cast<size_t>(instances) * count * 5 * shape.hidden),
        base(static_cast<size_t>(instances) * shape.hidden),
        start(base.size()),
        shares(static_cast<size_t>(instances) * kContextShares * shape.hidden) {
    CounterRandom random(seed);
    if (seed == 0) return;  // gradients begin at 0
    for (const Managed<float>* one : {&rows, &base, &start, &shares}) {
      for (size_t i = 0; i < one->size(); ++i) one->data()[i] = random.UniformFloat() - 0.5f;
    }
  }

  template <typename T>
  BatchNodes<T> view() const {
    return {.first = {.stride = int64_t{5} * hidden,
                      .keys = rows.data(),
                      .values = rows.data() + hidden,
                      .logit_keys = rows.data() + 2 * hidden,
                      .queries = rows.data() + 3 * hidden,
                      .first_queries = rows.data() + 4 * hidden,
                      .base_query = base.data(),
                      .start_query = start.data(),
                      .shares_weight = shares.data()},
            .rows_apart = int64_t{5} * hidden * nodes,
            .base_apart = hidden,
            .start_apart = hidden,
            .weights_apart = int64_t{kContextShares} * hidden};
  }

  int32_t hidden;
  int32_t nodes;
  Managed<float> rows, base, start, shares;
};

// Instances whose arrays the device sees.
class ManagedBatch {
 public:
  ManagedBatch(const DecoderShape& shape, const std::vector<CaseOptions>& cases)
      : rules_(cases.size()) {
    for (const CaseOptions& options : cases) {
      cases_.push_back(std::make_unique<RoutingCase>(options));
      RoutingProblem problem = cases_.back()->problem();
      nodes_ = std::max(nodes_, problem.nodes);
      steps_ = std::max(steps_, MaxTourSteps(problem));
      const size_t n = static_cast<size_t>(problem.nodes);
      for (const double** array :
           {&problem.x, &problem.y, &problem.demands, &problem.backhauls, &problem.window_opens,
            &problem.window_closes, &problem.services}) {
        Move(*array, n);
      }
      Move(problem.distances, n * n);
      Move(problem.durations, n * n);
      rules_.data()[cases_.size() - 1] = MakeStepRules(problem);
    }
    projections_ =
        std::make_unique<ManagedNodes>(shape, static_cast<int32_t>(cases.size()), nodes_, 17);
    batch_ = {.shape = shape,
              .instances = static_cast<int32_t>(cases.size()),
              .nodes = nodes_,
              .rules = rules_.data(),
              .projections = projections_->view<const float>()};
  }

  const DecoderBatch<float>& batch() const { return batch_; }
  int32_t steps() const { return steps_; }

 private:
  void Move(const double*& array, size_t size) {
    if (array == nullptr) return;
    arrays_.push_back(std::make_unique<Managed<double>>(std::vector<double>(array, array + size)));
    array = arrays_.back()->data();
  }

  std::vector<std::unique_ptr<RoutingCase>> cases_;
  std::vector<std::unique_ptr<Managed<double>>> arrays_;
  Managed<StepRules> rules_;
  std::unique_ptr<ManagedNodes> projections_;
  int32_t nodes_ = 0;
  int32_t steps_ = 0;
  DecoderBatch<float> batch_;
};

struct Rolled {
  Rolled(int64_t rows, int32_t steps)
      : choices(static_cast<size_t>(rows) * steps),
        lengths(static_cast<size_t>(rows)),
        costs(lengths.size()),
        log_likelihoods(lengths.size()),
        agreements(lengths.size()),
        ends(lengths.size()) {}
  BatchRolloutResult view() const {
    return {choices.data(),         lengths.data(),    costs.data(),
            log_likelihoods.data(), agreements.data(), ends.data()};
  }
  Managed<int32_t> choices, lengths;
  Managed<double> costs, log_likelihoods;
  Managed<int32_t> agreements;
  Managed<TrajectoryEnd> ends;
};

std::unique_ptr<BatchDecoder<float>> Cuda() { return MakeCudaBatchDecoder({}); }

void Wait() { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); }

struct GpuCase {
  std::string name;
  std::vector<CaseOptions> instances;
  int32_t trajectories = 1;
  DecoderShape shape = {};
};

// Few and many trajectories, nodes in shared memory and out of it, groups in global memory.
std::vector<GpuCase> GpuCases() {
  std::vector<CaseOptions> ten(10, CaseOptions{.nodes = 51});
  for (size_t i = 0; i < ten.size(); ++i) ten[i].seed = i + 1;
  return {{"EveryVariant", AllCases(13), 1},
          {"EveryVariantSampled", AllCases(13), 6},
          {"OneTrajectoryEach", ten, 1},
          {"ManyTrajectories", ten, 50},
          {"Tsp", {{.nodes = 101, .tsp = true}, {.nodes = 20, .tsp = true}}, 30},
          {"Hundred", {{.nodes = 101}, {.nodes = 101, .windows = true}}, 100},
          {"Thousand", {{.nodes = 1001}}, 3},
          {"BeyondSharedMemory", {{.nodes = 6001, .tsp = true}}, 1},
          {"OddShape", AllCases(9), 2, {.hidden = 48, .heads = 3, .clip = 7}}};
}

class BatchDecoderGpuTest : public testing::TestWithParam<GpuCase> {
 protected:
  void SetUp() override {
    if (!test::HasGpu()) GTEST_SKIP() << test::kNoGpu;
  }
};

TEST_P(BatchDecoderGpuTest, WalksAndDerivesAsTheCpuDoes) {
  const GpuCase& one = GetParam();
  const ManagedBatch batch(one.shape, one.instances);
  const int64_t rows = batch.batch().instances * int64_t{one.trajectories};
  const BatchRolloutRequest request = {.choice = StepChoice::kSample,
                                       .trajectories = one.trajectories,
                                       .seed = 5,
                                       .max_steps = batch.steps()};
  const Rolled there(rows, batch.steps());
  const Rolled here(rows, batch.steps());
  ASSERT_TRUE(Cuda()->Rollout(batch.batch(), request, there.view()).ok());
  Wait();
  BatchRolloutRequest follow = request;
  follow.choice = StepChoice::kFollow;
  follow.follow = there.choices.data();
  ASSERT_TRUE(MakeSerialBatchDecoder<float>()->Rollout(batch.batch(), follow, here.view()).ok());
  EXPECT_EQ(there.choices.values(), here.choices.values());
  EXPECT_EQ(there.lengths.values(), here.lengths.values());
  EXPECT_EQ(there.ends.values(), here.ends.values());
  for (int64_t row = 0; row < rows; ++row) {
    EXPECT_NEAR(there.costs.data()[row], here.costs.data()[row], 1e-9 * here.costs.data()[row]);
    EXPECT_NEAR(there.log_likelihoods.data()[row], here.log_likelihoods.data()[row],
                1e-5 * here.lengths.data()[row]);
  }

  std::vector<double> weights;
  for (int64_t row = 0; row < rows; ++row)
    weights.push_back(0.1 * static_cast<double>(row % 7) - 0.3);
  const Managed<double> weighed(weights);
  const BatchSecondPassRequest second = {.trajectories = one.trajectories,
                                         .label_smoothing = 0.1,
                                         .max_steps = batch.steps(),
                                         .choices = there.choices.data(),
                                         .weights = weighed.data()};
  const ManagedNodes by_cuda(one.shape, batch.batch().instances, batch.batch().nodes, 0);
  const ManagedNodes by_cpu(one.shape, batch.batch().instances, batch.batch().nodes, 0);
  const Managed<double> terms(weights.size());
  std::vector<double> expected(weights.size());
  ASSERT_TRUE(Cuda()->SecondPass(batch.batch(), second, terms.data(), by_cuda.view<float>()).ok());
  Wait();
  ASSERT_TRUE(MakeSerialBatchDecoder<float>()
                  ->SecondPass(batch.batch(), second, expected.data(), by_cpu.view<float>())
                  .ok());
  for (int64_t row = 0; row < rows; ++row) {
    EXPECT_NEAR(terms.data()[row], expected[row], 1e-5 * here.lengths.data()[row]);
  }
  const auto compare = [](const Managed<float>& actual, const Managed<float>& wanted) {
    float largest = 1e-6f;
    for (const float value : wanted.values()) largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_NEAR(actual.data()[i], wanted.data()[i], 1e-4f * largest) << i;
    }
  };
  compare(by_cuda.rows, by_cpu.rows);
  compare(by_cuda.base, by_cpu.base);
  compare(by_cuda.start, by_cpu.start);
  compare(by_cuda.shares, by_cpu.shares);
}

TEST_P(BatchDecoderGpuTest, ChoosesTheLikeliestNodesThatTheCpuChooses) {
  const GpuCase& one = GetParam();
  const ManagedBatch batch(one.shape, one.instances);
  const BatchRolloutRequest request = {
      .trajectories = one.trajectories, .distinct_starts = true, .max_steps = batch.steps()};
  const int64_t rows = batch.batch().instances * int64_t{one.trajectories};
  const Rolled there(rows, batch.steps());
  const Rolled here(rows, batch.steps());
  ASSERT_TRUE(Cuda()->Rollout(batch.batch(), request, there.view()).ok());
  ASSERT_TRUE(MakeSerialBatchDecoder<float>()->Rollout(batch.batch(), request, here.view()).ok());
  Wait();
  int64_t different = 0;  // by rounding, where two nodes are as likely
  for (int64_t row = 0; row < rows; ++row) {
    const int32_t* const a = there.choices.data() + row * batch.steps();
    const int32_t* const b = here.choices.data() + row * batch.steps();
    different += std::equal(a, a + batch.steps(), b) ? 0 : 1;
  }
  EXPECT_LE(different, rows / 50);
}

INSTANTIATE_TEST_SUITE_P(Cases, BatchDecoderGpuTest, testing::ValuesIn(GpuCases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vrp
