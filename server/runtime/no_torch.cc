#include "server/runtime/no_torch.h"

namespace vrp {
namespace {

class RefusingTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest&, const StopCondition&,
                                       TrainingObserver&) override {
    return BuiltWithoutTorch();
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string&) override { return 0; }
};

}  // namespace

absl::Status BuiltWithoutTorch() {
  return absl::UnimplementedError(
      "this vrpd was built without LibTorch: it solves by search, and neither trains nor runs "
      "networks; build it with "
      "VRP_WITH_TORCH=ON");
}

PolicyLoader RefusingPolicyLoader() {
  return [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
    return BuiltWithoutTorch();
  };
}

std::unique_ptr<Trainer> MakeRefusingTrainer() { return std::make_unique<RefusingTrainer>(); }

}  // namespace vrp
