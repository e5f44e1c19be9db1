#include "core/model/pointer_network/pointer_architecture.h"

#include <array>

#include "core/base/status_macros.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/pointer_network/pointer_layout.h"
#include "core/model/pointer_network/pointer_network_options.h"
#include "core/problem/instance/input_names.h"

namespace vrp {
namespace {

constexpr std::array<NetworkOption, 4> kPointerOptions = {{
    {.key = "hidden", .low = kWidthMultiple, .high = kMaxHidden, .multiple_of = kWidthMultiple},
    {.key = "layers", .low = 1, .high = kMaxLayers},
    {.key = "dropout", .low = 0, .high = kMaxDropout},
    {.key = "logit_clip", .low = kMinLogitClip, .high = kMaxLogitClip},
}};
constexpr std::array<std::string_view, 8> kPointerInputs = {
    "x", "y", "demand", "window_open", "window_close", "service", "is_depot", kVisitedInput};
// Features of each node at the step without is_visited, then the features of the step itself.
constexpr std::array<std::string_view, kPointerDynamic - 1 + kPointerContext> kPointerStepInputs = {
    "distance_to_node", "node_to_depot", "wait",           "slack",
    "load_left",        "time_gone",     "share_unvisited"};

NetworkSizes PointerSizes(const PointerNetworkOptions& options) {
  // No weight depends on dropout, so resumed training may change its rate.
  PointerNetworkOptions fixed = options;
  fixed.dropout = 0;
  return {.json = WritePointerNetworkOptions(options),
          .fixed_json = WritePointerNetworkOptions(fixed),
          .inputs = options.inputs,
          .dropout = options.dropout};
}

absl::StatusOr<NetworkSizes> ParsePointerSizes(std::string_view json, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const PointerNetworkOptions options, ParsePointerNetworkOptions(json, name));
  return PointerSizes(options);
}

constexpr Architecture kPointerNetwork = {
    .name = "ptrnet",
    .display_name = "pointer network",
    .section = "network",
    .options = kPointerOptions,
    .node_order = NodeOrder::kByAngle,
    .default_inputs = kPointerInputs,
    .reads_visited = true,
    .step_inputs = kPointerStepInputs,
    .serves_backhauls = false,
    .reads_own_choices = true,
    .checkpoints_layers = false,
    .default_sizes = [] { return PointerSizes({}); },
    .parse_sizes = ParsePointerSizes,
    .layout =
        [](const NetworkSizes& sizes) {
          return PointerLayout(*ParsePointerNetworkOptions(sizes.json, "sizes"));
        },
};

}  // namespace

const Architecture& PointerArchitecture() { return kPointerNetwork; }

}  // namespace vrp
