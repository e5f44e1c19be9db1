#include "core/model/policy/owned_engine.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "core/base/status_macros.h"

namespace vrp {
namespace {

// Where an engine's work is done.
class Place {
 public:
  Place(DeviceExecutor& executor, Priority priority) : executor_(&executor), priority_(priority) {}

  absl::Status Do(absl::FunctionRef<absl::Status()> work) const {
    return executor_->Run(priority_, [work] { return work(); }).get();
  }
  template <typename T>
  absl::StatusOr<T> Get(absl::FunctionRef<absl::StatusOr<T>()> work) const {
    absl::StatusOr<T> result = absl::CancelledError();
    VRP_RETURN_IF_ERROR(Do([&] {
      result = work();
      return absl::OkStatus();
    }));
    return result;
  }
  // For destructors, which have nobody to tell.
  void Touch(absl::FunctionRef<void()> work) const {
    static_cast<void>(Do([work] {
      work();
      return absl::OkStatus();
    }));
  }
  void ReleaseCachedMemory() const { executor_->ReleaseCachedMemory(); }

 private:
  DeviceExecutor* executor_;
  Priority priority_;
};

class OwnedSteps final : public WholeSteps {
 public:
  OwnedSteps(std::unique_ptr<WholeSteps> steps, Place place)
      : steps_(std::move(steps)), place_(place) {}
  ~OwnedSteps() override {
    place_.Touch([this] { steps_.reset(); });
  }

  absl::Status Load(const WholeStepsState& state) override {
    return place_.Do([&] { return steps_->Load(state); });
  }
  // The wait is this thread's, so that requests have the device meanwhile.
  absl::Status WaitForRoom() override { return steps_->WaitForRoom(); }
  absl::Status Step(StepBaseline baseline, const NetworkBatch& batch) override {
    VRP_RETURN_IF_ERROR(WaitForRoom());
    return place_.Do([&] { return steps_->Step(baseline, batch); });
  }
  absl::Status Step(StepBaseline baseline) override {
    VRP_RETURN_IF_ERROR(WaitForRoom());
    return place_.Do([&] { return steps_->Step(baseline); });
  }
  absl::Status StepAlong(const StepLabels& labels, const NetworkBatch& batch) override {
    VRP_RETURN_IF_ERROR(WaitForRoom());
    return place_.Do([&] { return steps_->StepAlong(labels, batch); });
  }
  std::vector<WholeStepReport> TakeReports() override { return steps_->TakeReports(); }
  absl::Status Save(WholeStepsState& state) override {
    return place_.Do([&] { return steps_->Save(state); });
  }
  int64_t batch_bytes() const override { return steps_->batch_bytes(); }
  int64_t matrix_bytes() const override { return steps_->matrix_bytes(); }

 private:
  std::unique_ptr<WholeSteps> steps_;
  const Place place_;
};

class OwnedEngine final : public PolicyEngine {
 public:
  OwnedEngine(std::unique_ptr<PolicyEngine> engine, Place place)
      : engine_(std::move(engine)), place_(place) {}
  ~OwnedEngine() override {
    place_.Touch([this] { engine_.reset(); });
    place_.ReleaseCachedMemory();
  }

  std::string_view architecture() const override { return engine_->architecture(); }
  const NetworkInputs& inputs() const override { return engine_->inputs(); }
  bool HasBf16() const override { return engine_->HasBf16(); }
  FlatParameters& parameters() override { return engine_->parameters(); }
  const FlatParameters& parameters() const override { return std::as_const(*engine_).parameters(); }
  absl::Status ParametersChanged() override {
    return place_.Do([this] { return engine_->ParametersChanged(); });
  }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    return place_.Get<Trajectories>([&] { return engine_->Run(batch, request); });
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    return place_.Get<GradientOutcome>([&] { return engine_->AddGradient(batch, request, weigh); });
  }

  bool takes_whole_steps() const override { return engine_->takes_whole_steps(); }
  absl::StatusOr<std::unique_ptr<WholeSteps>> MakeWholeSteps(
      const WholeStepsRequest& request) override {
    WholeStepsRequest own = request;
    if (const auto* const owned = dynamic_cast<const OwnedEngine*>(request.baseline)) {
      own.baseline = owned->engine_.get();
    }
    using Steps = std::unique_ptr<WholeSteps>;
    VRP_ASSIGN_OR_RETURN(Steps steps,
                         place_.Get<Steps>([&] { return engine_->MakeWholeSteps(own); }));
    return Steps(std::make_unique<OwnedSteps>(std::move(steps), place_));
  }

  absl::StatusOr<std::map<std::string, double>> Numbers() const override {
    return place_.Get<std::map<std::string, double>>([&] { return engine_->Numbers(); });
  }
  absl::Status Restore(const std::map<std::string, double>& numbers) override {
    return place_.Do([&] { return engine_->Restore(numbers); });
  }

 private:
  std::unique_ptr<PolicyEngine> engine_;
  const Place place_;
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeOwnedEngine(std::unique_ptr<PolicyEngine> engine,
                                              DeviceExecutor& executor, Priority priority) {
  return std::make_unique<OwnedEngine>(std::move(engine), Place(executor, priority));
}

}  // namespace vrp
