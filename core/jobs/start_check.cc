#include "core/jobs/start_check.h"

#include <optional>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/jobs/dataset_use.h"
#include "core/registry/alias_store.h"

namespace vrp {

absl::StatusOr<std::string> InitialModelVersion(const std::string& initial_model,
                                                const Registry& registry) {
  const std::optional<ModelReference> alias = ParseAliasResource(initial_model);
  if (!alias.has_value()) return initial_model;
  const absl::StatusOr<ModelVersion> version = registry.Resolve(*alias);
  if (version.ok()) return ModelResourceName(version->name, version->version);
  return absl::Status(version.status().code(),
                      Concat("training.initial_model: ", FromAbsl(version.status().message())));
}

absl::StatusOr<DeviceId> CheckStart(const JobSpec& spec, const TrainingConfig& config,
                                    const JobRunContext& context) {
  std::vector<std::string> errors;
  const auto add_error = [&errors](const absl::Status& status) {
    if (!status.ok()) errors.emplace_back(status.message());
  };
  const absl::StatusOr<DeviceId> device = context.places->Resolve(spec);
  add_error(device.status());
  add_error(context.places->CheckThreads(spec));
  TrainingRequest request;
  request.config = config;
  request.device = device.value_or(DeviceId{});
  request.models_directories = context.registry->Roots();
  absl::StatusOr<std::string> model = InitialModelVersion(config.initial_model, *context.registry);
  add_error(model.status());
  request.config.initial_model = model.ok() ? *std::move(model) : "";
  if (config.dispatch.has_value() && !config.dispatch->log.empty()) {
    // A log is checked against its site. CheckDatasets reports datasets that are not there.
    request.datasets = FindDatasets(config, context.datasets).value_or(DatasetPaths());
  }
  const absl::Status inputs = context.trainer->CheckInputs(request);
  // The specification is not at fault: the same request may succeed later.
  if (absl::IsResourceExhausted(inputs)) return inputs;
  add_error(inputs);
  add_error(CheckDatasets(config, context.datasets));
  if (errors.empty()) return device;
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

}  // namespace vrp
