// Replaces MakeTrainer, by the linker's --wrap, in a vrpd for tests. Its training jobs report a
// lost device if the file named by VRP_LOSE_DEVICE exists, and remove the file. Tests can thus
// check the daemon's reaction to a lost device without a GPU.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/status_macros.h"
#include "core/device/device_loss.h"
#include "core/model/make_engine.h"
#include "core/model/policy/owned_engine.h"
#include "core/train/run/trainer.h"

namespace vrp {
namespace {

// Removes the file that requests the loss. Returns whether it existed.
bool TakeLossRequest() {
  const char* const file = std::getenv("VRP_LOSE_DEVICE");
  std::error_code error;
  return file != nullptr && std::filesystem::remove(file, error);
}

// An executor that runs work on the CPU. If a loss is requested, the next work fails as on a GPU
// after a sticky CUDA error.
class LosingExecutor final : public DeviceExecutor {
 public:
  std::future<absl::Status> Run(Priority priority,
                                absl::AnyInvocable<absl::Status()> work) override {
    if (!TakeLossRequest()) return executor_->Run(priority, std::move(work));
    return executor_->Run(priority, [] {
      return ReportDeviceLoss(absl::InternalError("an illegal memory access, made up"));
    });
  }
  void ReleaseCachedMemory() override { executor_->ReleaseCachedMemory(); }
  void Shutdown() override { executor_->Shutdown(); }

 private:
  const std::unique_ptr<DeviceExecutor> executor_ = MakeInlineExecutor();
};

}  // namespace

std::unique_ptr<Trainer> MakeLosingTrainer(DeviceExecutors* executors) asm(
    "__wrap__ZN3vrp11MakeTrainerEPNS_15DeviceExecutorsE");

std::unique_ptr<Trainer> MakeLosingTrainer(DeviceExecutors* /*executors*/) {
  return MakeTrainerOn(
      [executor = std::make_shared<LosingExecutor>()](
          const TrainingConfig& config, DeviceId device,
          const EngineOptions& options) -> absl::StatusOr<std::unique_ptr<PolicyEngine>> {
        VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine,
                             MakeEngine({.architecture = config.architecture->name,
                                         .architecture_json = config.sizes.json,
                                         .device = device,
                                         .seed = config.seed,
                                         .options = options}));
        return MakeOwnedEngine(std::move(engine), *executor, Priority::kTraining);
      });
}

}  // namespace vrp
