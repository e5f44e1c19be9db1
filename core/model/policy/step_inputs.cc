#include "core/model/policy/step_inputs.h"

#include <array>
#include <string_view>

#include "core/kernels/routing/pointer_observation.h"
#include "core/kernels/routing/routing_problem.h"

namespace vrp {
namespace {

// Each node as seen from the vehicle; is_visited is among its inputs (network_inputs.h).
constexpr std::array<std::string_view, kPointerDynamic - 1> kPointerObservationNames = {
    "distance_to_node", "node_to_depot", "wait", "slack"};
constexpr std::array<std::string_view, kPointerContext> kPointerContextNames = {
    "load_left", "time_gone", "share_unvisited"};
constexpr std::array<std::string_view, kContextShares> kShareNames = {
    "load_left", "time_gone", "distance_left", "picking_up"};

template <typename Names>
void Append(const Names& names, std::vector<std::string>& to) {
  for (const std::string_view name : names) to.emplace_back(name);
}

}  // namespace

std::vector<std::string> StepInputs(std::string_view architecture) {
  std::vector<std::string> inputs;
  if (architecture == "ptrnet") {
    Append(kPointerObservationNames, inputs);
    Append(kPointerContextNames, inputs);
  } else {
    inputs = {"graph_mean", "last_node", "first_node"};
    Append(kShareNames, inputs);
  }
  return inputs;
}

}  // namespace vrp
