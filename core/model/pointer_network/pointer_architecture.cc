#include "core/model/pointer_network/pointer_architecture.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/kernels/routing/pointer_observation.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/policy/network_sizes.h"
#include "core/problem/instance/input_names.h"
#include "nlohmann/json.hpp"

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

std::string WritePointerNetworkOptions(const PointerNetworkOptions& options) {
  nlohmann::ordered_json json;
  json["hidden"] = options.hidden;
  json["layers"] = options.layers;
  json["dropout"] = options.dropout;
  json["logit_clip"] = options.logit_clip;
  if (!options.inputs.empty()) json[kInputsKey] = options.inputs;
  return json.dump();
}

absl::StatusOr<PointerNetworkOptions> ParsePointerNetworkOptions(std::string_view text,
                                                                 std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json,
                       ReadNetworkSizes(text, name, PointerArchitecture()));
  return PointerNetworkOptions{.hidden = json.at("hidden").get<int32_t>(),
                               .layers = json.at("layers").get<int32_t>(),
                               .dropout = json.at("dropout").get<double>(),
                               .logit_clip = json.at("logit_clip").get<double>(),
                               .inputs = StatedInputs(json)};
}

ParameterLayout PointerLayout(const PointerNetworkOptions& options) {
  const int64_t hidden = options.hidden;
  std::vector<ParameterShape> shapes;
  const auto add = [&shapes](std::string name, std::vector<int64_t> shape, int64_t in) {
    shapes.push_back({.name = std::move(name),
                      .shape = std::move(shape),
                      .bound = 1 / std::sqrt(static_cast<double>(in))});
  };
  const auto lstm = [&](const char* name) {
    for (int32_t layer = 0; layer < options.layers; ++layer) {
      add(Concat(name, ".weight_ih_l", layer), {4 * hidden, hidden}, hidden);
      add(Concat(name, ".weight_hh_l", layer), {4 * hidden, hidden}, hidden);
      add(Concat(name, ".bias_ih_l", layer), {4 * hidden}, hidden);
      add(Concat(name, ".bias_hh_l", layer), {4 * hidden}, hidden);
    }
  };
  const int64_t inputs = InputsOf(PointerArchitecture(), options.inputs).width();
  add("embed.weight", {hidden, inputs}, inputs);
  add("embed.bias", {hidden}, inputs);
  lstm("encoder");
  const int64_t states = int64_t{2} * options.layers * hidden;
  add("start.weight", {states, hidden}, hidden);
  add("start.bias", {states}, hidden);
  add("context.weight", {hidden, kPointerContext}, kPointerContext);
  lstm("decoder");
  for (const char* name : {"glimpse.query", "glimpse.key", "glimpse.value", "glimpse.out"}) {
    add(Concat(name, ".weight"), {hidden, hidden}, hidden);
  }
  add("glimpse.dynamic.weight", {kPointerHeads, kPointerDynamic}, kPointerDynamic);
  add("pointer.query.weight", {hidden, hidden}, hidden);
  add("pointer.key.weight", {hidden, hidden}, hidden);
  add("pointer.dynamic.weight", {kPointerDynamic, hidden}, hidden);
  add("pointer.dynamic.bias", {kPointerDynamic}, hidden);
  return ParameterLayout(std::move(shapes));
}

}  // namespace vrp
