#include "core/jobs/sweep/publish_trial.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/weights/model_card.h"

namespace vrp {

absl::StatusOr<ModelVersion> PublishTrial(Registry& registry, const StateFolder& folder,
                                          const Job& trial, std::string_view name) {
  if (std::optional<ModelVersion> known = registry.FindByTrainingJob(ResourceName(trial))) {
    return *std::move(known);
  }
  const std::string from = folder.TrialModelPath(trial.id);
  VRP_ASSIGN_OR_RETURN(ModelCard card, ReadModelFiles(from));
  VRP_ASSIGN_OR_RETURN(const std::string staging, registry.StagingDirectory());
  const absl::Cleanup discard = [&registry, &staging] { registry.DiscardStaging(staging); };
  std::error_code error;
  std::filesystem::copy(
      from, staging,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing,
      error);
  if (error) return absl::ErrnoToStatus(error.value(), Concat("copy ", from, " to ", staging));
  card.sweep = trial.spec.sweep;
  card.trial = trial.spec.trial;
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(staging, "/", kCardFile), WriteModelCard(card)));
  return registry.Publish(name, staging, OtherArchitecture::kUseOtherName);
}

}  // namespace vrp
