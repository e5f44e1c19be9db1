// The trainer of a build without LibTorch.
#include "core/train/trainer.h"

namespace vrp {
namespace {

class NoTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest&, const StopCondition&,
                                       TrainingObserver&) override {
    return absl::UnimplementedError("this program was built without LibTorch and cannot train");
  }
  absl::StatusOr<int64_t> ResumeStep(const std::string&) override { return 0; }
};

}  // namespace

std::unique_ptr<Trainer> MakeTrainer() { return std::make_unique<NoTrainer>(); }

}  // namespace vrp
