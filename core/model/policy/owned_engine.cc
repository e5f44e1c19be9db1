#include "core/model/policy/owned_engine.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "core/base/status_macros.h"

namespace vrp {
namespace {

// A runner of an engine's work on the executor of the engine's device.
class ExecutorLane {
 public:
  ExecutorLane(DeviceExecutor& executor, Priority priority)
      : executor_(&executor), priority_(priority) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) const {
    return executor_->Run(priority_, [work] { return work(); }).get();
  }
  template <typename T>
  absl::StatusOr<T> RunAndGet(absl::FunctionRef<absl::StatusOr<T>()> work) const {
    absl::StatusOr<T> result = absl::CancelledError();
    VRP_RETURN_IF_ERROR(Run([&] {
      result = work();
      return absl::OkStatus();
    }));
    return result;
  }
  // Runs work for destructors, which cannot report errors.
  void RunUnchecked(absl::FunctionRef<void()> work) const {
    static_cast<void>(Run([work] {
      work();
      return absl::OkStatus();
    }));
  }
  void ReleaseCachedMemory() const { executor_->ReleaseCachedMemory(); }

 private:
  DeviceExecutor* executor_;
  Priority priority_;
};

class OwnedSteps final : public CapturedSteps {
 public:
  OwnedSteps(std::unique_ptr<CapturedSteps> steps, ExecutorLane lane)
      : steps_(std::move(steps)), lane_(lane) {}
  ~OwnedSteps() override {
    lane_.RunUnchecked([this] { steps_.reset(); });
  }

  absl::Status Load(const CapturedStepsState& state) override {
    return lane_.Run([&] { return steps_->Load(state); });
  }
  // Waits on this thread, not on the executor's, so that other work can use the device.
  absl::Status WaitForReportSlot() override { return steps_->WaitForReportSlot(); }
  absl::Status Step(StepBaseline baseline, const NetworkBatch& batch) override {
    VRP_RETURN_IF_ERROR(WaitForReportSlot());
    return lane_.Run([&] { return steps_->Step(baseline, batch); });
  }
  absl::Status Step(StepBaseline baseline) override {
    VRP_RETURN_IF_ERROR(WaitForReportSlot());
    return lane_.Run([&] { return steps_->Step(baseline); });
  }
  absl::Status StepOnLabels(const StepLabels& labels, const NetworkBatch& batch) override {
    VRP_RETURN_IF_ERROR(WaitForReportSlot());
    return lane_.Run([&] { return steps_->StepOnLabels(labels, batch); });
  }
  std::vector<CapturedStepReport> TakeReports() override { return steps_->TakeReports(); }
  absl::Status Save(CapturedStepsState& state) override {
    return lane_.Run([&] { return steps_->Save(state); });
  }
  int64_t batch_bytes() const override { return steps_->batch_bytes(); }
  int64_t matrix_bytes() const override { return steps_->matrix_bytes(); }

 private:
  std::unique_ptr<CapturedSteps> steps_;
  const ExecutorLane lane_;
};

class OwnedEngine final : public PolicyEngine {
 public:
  OwnedEngine(std::unique_ptr<PolicyEngine> engine, ExecutorLane lane)
      : engine_(std::move(engine)), lane_(lane) {}
  ~OwnedEngine() override {
    lane_.RunUnchecked([this] { engine_.reset(); });
    lane_.ReleaseCachedMemory();
  }

  std::string_view architecture() const override { return engine_->architecture(); }
  const NetworkInputs& inputs() const override { return engine_->inputs(); }
  bool HasBf16() const override { return engine_->HasBf16(); }
  FlatParameters& parameters() override { return engine_->parameters(); }
  const FlatParameters& parameters() const override { return std::as_const(*engine_).parameters(); }
  absl::Status ParametersChanged() override {
    return lane_.Run([this] { return engine_->ParametersChanged(); });
  }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    return lane_.RunAndGet<Trajectories>([&] { return engine_->Run(batch, request); });
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    return lane_.RunAndGet<GradientOutcome>(
        [&] { return engine_->AddGradient(batch, request, weigh); });
  }

  bool can_capture_steps() const override { return engine_->can_capture_steps(); }
  absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest& request) override {
    CapturedStepsRequest engine_request = request;
    if (const auto* const owned = dynamic_cast<const OwnedEngine*>(request.baseline)) {
      engine_request.baseline = owned->engine_.get();
    }
    using Steps = std::unique_ptr<CapturedSteps>;
    VRP_ASSIGN_OR_RETURN(Steps steps, lane_.RunAndGet<Steps>([&] {
      return engine_->MakeCapturedSteps(engine_request);
    }));
    return Steps(std::make_unique<OwnedSteps>(std::move(steps), lane_));
  }

  absl::StatusOr<std::map<std::string, double>> ScalarState() const override {
    return lane_.RunAndGet<std::map<std::string, double>>([&] { return engine_->ScalarState(); });
  }
  absl::Status Restore(const std::map<std::string, double>& numbers) override {
    return lane_.Run([&] { return engine_->Restore(numbers); });
  }

 private:
  std::unique_ptr<PolicyEngine> engine_;
  const ExecutorLane lane_;
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority) {
  return std::make_unique<OwnedEngine>(std::move(engine), ExecutorLane(executor, priority));
}

}  // namespace vrp
