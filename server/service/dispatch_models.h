// Chooses and loads the models of dispatch policies.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/registry/registry.h"
#include "server/convert/dispatch_policy.h"
#include "server/convert/simulation_convert.h"

namespace vrp {

// The model of policies that name none.
inline constexpr std::string_view kDefaultDispatchModel = "dispatch-ortec";

// Returns `policy` with the version of its model. The default policy becomes kDefaultDispatchModel
// if the registry has a version of it that can be used, else `sampling`. Returns the errors of
// Registry::Resolve.
absl::StatusOr<DispatchPolicySettings> ResolvePolicy(const Registry& registry,
                                                     DispatchPolicySettings policy);

// Returns the name of the policy's model, `models/{name}/versions/{n}`; empty: it has none. The
// policy must be resolved.
std::string PolicyModelName(const DispatchPolicySettings& policy);

// Loads the models of the policies, which must be resolved. Returns the errors of
// Registry::LoadDispatch.
absl::Status LoadModels(const Registry& registry, SimulationSettings& settings);

}  // namespace vrp
