#include "server/service/dispatch_models.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {

absl::StatusOr<DispatchPolicySettings> ResolvePolicy(const Registry& registry,
                                                     DispatchPolicySettings policy) {
  if (policy.is_default) {
    const absl::StatusOr<ModelVersion> shipped =
        registry.Resolve({std::string(kDefaultDispatchModel)});
    if (!shipped.ok()) return policy;
    return DispatchPolicySettings{.kind = DispatchPolicyKind::kModel,
                                  .model = ModelReference{shipped->name, shipped->version}};
  }
  if (policy.kind != DispatchPolicyKind::kModel) return policy;
  VRP_ASSIGN_OR_RETURN(
      const ModelVersion version,
      registry.Resolve(policy.model.value_or(ModelReference{std::string(kDefaultDispatchModel)})));
  policy.model = ModelReference{version.name, version.version};
  return policy;
}

std::string PolicyModelName(const DispatchPolicySettings& policy) {
  return policy.model.has_value() ? ModelResourceName(policy.model->name, policy.model->version)
                                  : "";
}

absl::Status LoadModels(const Registry& registry, SimulationSettings& settings) {
  for (SimulationSettings::Policy& policy : settings.policies) {
    if (!policy.settings.model.has_value()) continue;
    VRP_ASSIGN_OR_RETURN(DispatchModel model, registry.LoadDispatch(*policy.settings.model));
    policy.model = std::make_shared<const DispatchModel>(std::move(model));
  }
  return absl::OkStatus();
}

}  // namespace vrp
