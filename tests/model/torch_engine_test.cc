#include <c10/core/Allocator.h>
#include <c10/util/Exception.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device_loss.h"
#include "core/device/device_warnings.h"
#include "core/model/torch/engine.h"
#include "core/model/torch/engines.h"
#include "core/model/torch/guard.h"
#include "gtest/gtest.h"
#include "tests/model/torch_testing.h"

namespace vrp {
namespace {

using test::BatchOf;
using test::RelativeDifference;
using test::SmallTransformer;
using test::TransformerEngine;
using test::Values;
using test::Variants;
using test::WeighByCost;

// A network on a device with memory for at most `limit` instances. Memory runs out in the forward
// pass or, if `late`, in the backward pass after it has added some gradients.
class LimitedMemoryNetwork final : public TorchNetwork {
 public:
  LimitedMemoryNetwork(std::unique_ptr<TorchNetwork> inner, int64_t limit, bool late)
      : inner_(std::move(inner)), limit_(limit), late_(late) {}

  std::string_view architecture() const override { return inner_->architecture(); }
  const NetworkInputs& inputs() const override { return inner_->inputs(); }
  bool wants_edges() const override { return inner_->wants_edges(); }
  ObservationKind observation_kind() const override { return inner_->observation_kind(); }
  bool recurrent() const override { return inner_->recurrent(); }
  std::unique_ptr<TorchDecoder> Encode(const TorchParameters& parameters, const TorchBatch& batch,
                                       const EncodeOptions& options) const override {
    if (batch.features.size(0) <= limit_) return inner_->Encode(parameters, batch, options);
    // The forward pass fails in torch's allocator, the backward pass in cuBLAS.
    if (!late_) TORCH_CHECK_WITH(OutOfMemoryError, false, "too small");
    TorchBatch failing = batch;
    failing.features = batch.features.detach().clone().set_requires_grad(true);
    failing.features.register_hook([](const at::Tensor& gradient) -> at::Tensor {
      TORCH_CHECK(false, "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasX`");
      return gradient;
    });
    return inner_->Encode(parameters, failing, options);
  }

 private:
  const std::unique_ptr<TorchNetwork> inner_;
  const int64_t limit_;
  const bool late_;
};

std::unique_ptr<TorchEngine> LimitedMemoryEngine(int64_t limit, bool late) {
  const GraphTransformerOptions sizes = SmallTransformer();
  auto engine = std::make_unique<TorchEngine>(
      std::make_unique<LimitedMemoryNetwork>(MakeTorchGraphTransformer(sizes), limit, late),
      FlatParameters(GraphTransformerLayout(sizes), 5), at::TensorOptions(at::kDouble),
      EngineOptions());
  engine->parameters().TrackGradient();
  return engine;
}

const GradientRequest kSampling = {.rollout = {.choice = Choice::kSample, .trajectories = 2}};

TEST(TorchEngineTest, GivesTheSameGradientInSmallerPartsWhenMemoryRunsOut) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto unlimited = TransformerEngine(at::kDouble, SmallTransformer());
  const auto expected = unlimited->AddGradient(batch, kSampling, WeighByCost);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const bool late : {false, true}) {
    const auto limited = LimitedMemoryEngine(3, late);
    const auto actual = limited->AddGradient(batch, kSampling, WeighByCost);
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_LT(RelativeDifference(Values(unlimited->tensors().gradient()),
                                 Values(limited->tensors().gradient())),
              1e-12);
    EXPECT_EQ(actual->trajectories.choices, expected->trajectories.choices);
    EXPECT_EQ(actual->trajectories.lengths, expected->trajectories.lengths);
    EXPECT_NEAR(actual->loss, expected->loss, 1e-9);
  }
}

TEST(TorchEngineTest, ReportsLackOfMemoryForOneInstance) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto engine = LimitedMemoryEngine(0, false);
  const auto outcome = engine->AddGradient(batch, kSampling, WeighByCost);
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(TorchEngineTest, GivesTheSameGradientInMicroBatches) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto whole = TransformerEngine(at::kDouble, SmallTransformer());
  const auto parts = TransformerEngine(at::kDouble, SmallTransformer());
  GradientRequest request = kSampling;
  ASSERT_TRUE(whole->AddGradient(batch, request, WeighByCost).ok());
  request.micro_batch = 3;
  ASSERT_TRUE(parts->AddGradient(batch, request, WeighByCost).ok());
  EXPECT_LT(
      RelativeDifference(Values(whole->tensors().gradient()), Values(parts->tensors().gradient())),
      1e-12);
}

TEST(TorchEngineTest, AddsToTheHostsGradient) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  ASSERT_TRUE(engine->AddGradient(batch, kSampling, WeighByCost).ok());
  const std::vector<float> once(engine->parameters().gradient().begin(),
                                engine->parameters().gradient().end());
  ASSERT_TRUE(engine->AddGradient(batch, kSampling, WeighByCost).ok());
  for (size_t i = 0; i < once.size(); ++i) {
    ASSERT_EQ(engine->parameters().gradient()[i], once[i] + once[i]);
  }
}

TEST(TorchEngineTest, CopiesNothingOnTheCpu) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  const auto outcome = engine->AddGradient(batch, kSampling, WeighByCost);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->copies, 0);
  EXPECT_EQ(outcome->copied_bytes, 0);
  EXPECT_EQ(outcome->matrix_bytes, 0);
  EXPECT_EQ(engine->tensors().flat().const_data_ptr(), engine->parameters().values().data());
}

TEST(TransfersTest, CountBytesCopiedToAnotherDevice) {
  Transfers transfers{at::Device(at::kMeta)};  // a device without memory
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  MakeTorchBatch(batch, {.count = batch.size(), .options = at::kFloat, .edges = false}, transfers);
  const int64_t nodes = batch.size() * batch.longest();
  const int64_t wanted = nodes * kNodeFeatures * 4 + batch.size() * 8 + batch.size();
  EXPECT_EQ(transfers.bytes(), wanted);
  EXPECT_EQ(transfers.copies(), 3);
  EXPECT_EQ(transfers.matrix_bytes(), 0);
  transfers.CountMatrix(100);
  EXPECT_EQ(transfers.matrix_bytes(), 100);
}

TEST(TorchEngineTest, NamesAForbiddenChoice) {
  const NetworkBatch batch = BatchOf({Variants()[0]}, NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  const std::vector<std::vector<int32_t>> choices = {{1, 2, 1}};
  const auto run = engine->Run(batch, {.choice = Choice::kForced, .choices = choices});
  EXPECT_EQ(run.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run.status().message(),
            "choices[0][2]: got 1, wanted a node that is allowed at this step");
}

TEST(TorchEngineTest, RefusesBeamSearchAndNamesAlternatives) {
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  const auto run = engine->Run(BatchOf(Variants(), NodeOrder::kAsGiven), {.choice = Choice::kBeam});
  EXPECT_EQ(run.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(run.status().message().find("samples or several starts"), absl::string_view::npos);
}

TEST(TorchEngineTest, NamesAnUnreachableCustomer) {
  const NetworkBatch batch =
      BatchOf({Variants()[0], test::AnInstance().WithCustomers(3).MaxDistance(1).Build()},
              NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  const auto run = engine->Run(batch, {});
  EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(run.status().message(),
            "instances[1]: customer 1 cannot be served by a route of its own");
}

TEST(TorchEngineTest, RefusesForcedChoicesAfterTheEnd) {
  const std::vector<Instance> instances = {test::AnInstance().WithCustomers(3).Build(),
                                           test::AnInstance().WithCustomers(8).Build()};
  test::ExpectEndOfForcedChoices(*TransformerEngine(at::kFloat, SmallTransformer()),
                                 BatchOf(instances));
  const auto pointer = *test::TorchPointer({.hidden = 16}, {});
  test::ExpectEndOfForcedChoices(*pointer, BatchOf(instances, NodeOrder::kByAngle));
}

TEST(TorchEngineTest, StopsOnRequest) {
  const NetworkBatch batch = BatchOf(Variants(), NodeOrder::kAsGiven);
  const auto engine = TransformerEngine(at::kFloat, SmallTransformer());
  auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  const auto run = engine->Run(batch, {.stop = StopCondition(absl::InfiniteFuture(), flag)});
  EXPECT_EQ(run.status().code(), absl::StatusCode::kCancelled);
}

TEST(TorchEngineTest, RefusesFp16OnTheCpu) {
  const auto engine = test::TorchTransformer(
      SmallTransformer(), {.device = {}, .options = {.precision = Precision::kFp16}});
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
}

// A reporter of the peak of torch's memory on the CPU.
class PeakMemory final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) override {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t held_ = 0;
  int64_t peak_ = 0;
};

int64_t PeakMemoryOf(const EngineOptions& options) {
  GraphTransformerOptions sizes = SmallTransformer();
  sizes.layers = 6;
  const auto engine = TransformerEngine(at::kFloat, sizes, options);
  const NetworkBatch batch = BatchOf(
      std::vector<Instance>(8, test::AnInstance().WithCustomers(40).RandomDemands().Build()),
      NodeOrder::kAsGiven);
  auto memory = std::make_shared<PeakMemory>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
  EXPECT_TRUE(engine->AddGradient(batch, {}, WeighByCost).ok());
  return memory->peak();
}

TEST(TorchEngineTest, NeedsLessMemoryWithCheckpointing) {
  EXPECT_LT(PeakMemoryOf({.gradient_checkpointing = true}),
            0.7 * static_cast<double>(PeakMemoryOf({})));
}

absl::Status StatusOfTorchError(const char* message) {
  return GuardTorch([message]() -> absl::Status { TORCH_CHECK(false, message); });
}

TEST(GuardTorchTest, RecognisesOutOfMemoryErrorsOfLibraries) {
  for (const char* const message :
       {"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasSetWorkspace(handle, ...)`",
        "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"}) {
    const absl::Status status = StatusOfTorchError(message);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_NE(status.message().find(message), std::string::npos) << status;
  }
  for (const char* const message :
       {"CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(...)`",
        "cuDNN error: CUDNN_STATUS_BAD_PARAM", "no shape to allocate"}) {
    EXPECT_EQ(StatusOfTorchError(message).code(), absl::StatusCode::kInternal) << message;
  }
}

TEST(GuardTorchTest, LogsARepeatedWarningOnce) {
  std::vector<std::string> logged;
  SetDeviceWarningListener([&](std::string_view text) { logged.emplace_back(text); });
  for (int call = 0; call < 3; ++call) {
    const absl::Status status = GuardTorch([] {
      TORCH_WARN("weights are misaligned");
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
  }
  SetDeviceWarningListener(nullptr);
  EXPECT_EQ(logged, std::vector<std::string>{"torch: weights are misaligned"});
}

TEST(GuardTorchTest, RecognisesALostDeviceBehindALibrarysError) {
  const absl::Status status = TorchStatus("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED", 700);
  EXPECT_TRUE(IsDeviceLost(status)) << status;
  EXPECT_TRUE(IsDeviceLost(TorchStatus("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", 719)));
  EXPECT_EQ(TorchStatus("no", 0).code(), absl::StatusCode::kInternal);
}

absl::Status StatusOfCudaError(int32_t code) {
  return GuardTorch([code]() -> absl::Status {
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code, "CUDA error: made up");
  });
}

TEST(GuardTorchTest, DistinguishesOutOfMemoryErrorsAndLostDevices) {
  const absl::Status memory = StatusOfCudaError(2);
  EXPECT_EQ(memory.code(), absl::StatusCode::kResourceExhausted) << memory;
  EXPECT_EQ(memory.message(), "torch: CUDA error: made up");
  EXPECT_EQ(StatusOfCudaError(1).code(), absl::StatusCode::kInternal);  // cudaErrorInvalidValue
  const absl::Status lost = StatusOfCudaError(700);                     // cudaErrorIllegalAddress
  EXPECT_TRUE(IsDeviceLost(lost)) << lost;
}

}  // namespace
}  // namespace vrp
