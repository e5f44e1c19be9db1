// Tests that steps do not wait for the device from the fourth one on. Torch's debug mode turns each
// wait into an error. This mode does not see our own launches of the optimiser and decoder, but a
// capture rejects their waits.
#include <c10/cuda/CUDAFunctions.h>

#include <memory>
#include <vector>

#include "core/model/torch/engines.h"
#include "core/problem/generate/generators.h"
#include "tests/gpu/gpu_testing.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

// A scope in which torch reports each wait for the device as an error.
class SyncErrorScope {
 public:
  SyncErrorScope() { Set(c10::cuda::SyncDebugMode::L_ERROR); }
  ~SyncErrorScope() { Set(c10::cuda::SyncDebugMode::L_DISABLED); }
  SyncErrorScope(const SyncErrorScope&) = delete;
  SyncErrorScope& operator=(const SyncErrorScope&) = delete;

 private:
  static void Set(c10::cuda::SyncDebugMode mode) {
    c10::cuda::warning_state().set_sync_debug_mode(mode);
  }
};

class CudaGraphEngineGpuTest : public test::GpuTest {
 protected:
  static std::unique_ptr<PolicyEngine> Transformer(const EngineOptions& options = {}) {
    return *test::TorchTransformer(test::SmallTransformer(),
                                   {.device = {.kind = DeviceKind::kCuda}, .options = options});
  }
  static std::unique_ptr<PolicyEngine> Pointer(double dropout, int32_t hidden = 64) {
    return *test::TorchPointer({.hidden = hidden, .layers = 2, .dropout = dropout},
                               {.device = {.kind = DeviceKind::kCuda}, .options = {}});
  }

  // Takes steps with copied or drawn instances. Only the first three steps may wait.
  void TakeSteps(std::unique_ptr<PolicyEngine> engine, bool draws, int32_t parts = 1) {
    std::vector<float> mean(static_cast<size_t>(engine->parameters().size()));
    std::vector<float> square = mean;
    CapturedStepsState state = {.mean = mean, .square = square};
    CapturedStepsRequest request = {.instances = 8,
                                    .nodes = 21,
                                    .parts = parts,
                                    .trajectories = 20,
                                    .distinct_starts = true,
                                    .learning_rates = {1e-4},
                                    .report_every = 4};
    if (draws) {
      request.drawn =
          UniformInstances{.seed = 3, .customers = 20, .min_capacity = 30, .max_capacity = 30};
    }
    const auto steps = engine->MakeCapturedSteps(request);
    ASSERT_TRUE(steps.ok()) << steps.status();
    ASSERT_TRUE((*steps)->Load(state).ok());
    const std::vector<Instance> instances = *GenerateInstances({.customers = 20, .seed = 3}, 8);
    const NetworkBatch batch = test::BatchOf(instances, engine->batch_form());
    const auto take = [&](int count) {
      for (int step = 0; step < count; ++step) {
        const absl::Status begun = draws ? (*steps)->Step(StepBaseline::kShared)
                                         : (*steps)->Step(StepBaseline::kShared, batch);
        ASSERT_TRUE(begun.ok()) << begun;
      }
    };
    take(3);  // an uncaptured, a captured and a replayed step
    {
      const SyncErrorScope error;
      take(20);
    }
    ASSERT_TRUE((*steps)->Save(state).ok());
    EXPECT_EQ(state.updates, 23);
  }
};

TEST_F(CudaGraphEngineGpuTest, ReplaysStepsWithoutSynchronising) {
  TakeSteps(Transformer(), false);
}

TEST_F(CudaGraphEngineGpuTest, ReplaysRecomputedLayersWithoutSynchronising) {
  TakeSteps(Transformer({.gradient_checkpointing = true}), true);
}

TEST_F(CudaGraphEngineGpuTest, DrawsInstancesWithoutSynchronising) {
  TakeSteps(Transformer(), true);
}

TEST_F(CudaGraphEngineGpuTest, ReplaysStepsInPartsWithoutSynchronising) {
  TakeSteps(Transformer(), true, 3);
  TakeSteps(Pointer(0), false, 3);
}

TEST_F(CudaGraphEngineGpuTest, ReplaysAPointerNetworksStepsWithoutSynchronising) {
  TakeSteps(Pointer(0), false);
}

// Beyond a width of 192, cuDNN uses other algorithms.
TEST_F(CudaGraphEngineGpuTest, ReplaysAWidePointerNetworksStepsWithoutSynchronising) {
  TakeSteps(Pointer(0, 256), false);
}

TEST_F(CudaGraphEngineGpuTest, ReplaysSupervisedStepsWithoutSynchronising) {
  const auto engine = Pointer(0.2, 256);
  std::vector<float> mean(static_cast<size_t>(engine->parameters().size()));
  std::vector<float> square = mean;
  CapturedStepsState state = {.mean = mean, .square = square};
  const auto steps = engine->MakeCapturedSteps({.instances = 8,
                                                .nodes = 21,
                                                .labels = true,
                                                .dropout = true,
                                                .learning_rates = {1e-4},
                                                .report_every = 4});
  ASSERT_TRUE(steps.ok()) << steps.status();
  ASSERT_TRUE((*steps)->Load(state).ok());
  const std::vector<Instance> instances = *GenerateInstances({.customers = 20, .seed = 3}, 8);
  const NetworkBatch batch = test::BatchOf(instances, NodeOrder::kByAngle);
  const auto labels = test::SampleLabels(batch);
  const StepLabels task = {
      .choices = labels, .steps = test::ChoicesIn(labels), .teacher_forcing = 0.7};
  for (int step = 0; step < 3; ++step) {  // an uncaptured, a captured and a replayed step
    ASSERT_TRUE((*steps)->StepOnLabels(task, batch).ok());
  }
  {
    const SyncErrorScope error;
    for (int step = 0; step < 20; ++step) {
      const absl::Status begun = (*steps)->StepOnLabels(task, batch);
      ASSERT_TRUE(begun.ok()) << begun;
    }
  }
  ASSERT_TRUE((*steps)->Save(state).ok());
  EXPECT_EQ(state.updates, 23);
}

}  // namespace
}  // namespace vrp
