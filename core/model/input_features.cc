#include "core/model/input_features.h"

#include <array>

#include "core/kernels/pointer_observation.h"
#include "core/kernels/routing_problem.h"
#include "core/model/network_batch.h"
#include "core/model/pointer_layout.h"

namespace vrp {
namespace {

// Of each node, as seen from the vehicle; is_visited is among the features.
constexpr std::array<std::string_view, kPointerDynamic - 1> kPointerSightNames = {
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

std::vector<std::string> InputFeatures(std::string_view architecture) {
  if (architecture != "ptrnet") return {kNodeFeatureNames.begin(), kNodeFeatureNames.end()};
  std::vector<std::string> features(kPointerInputNames.begin(), kPointerInputNames.end());
  features.emplace_back("is_visited");
  return features;
}

std::vector<std::string> StepInputs(std::string_view architecture) {
  std::vector<std::string> inputs;
  if (architecture == "ptrnet") {
    Append(kPointerSightNames, inputs);
    Append(kPointerContextNames, inputs);
  } else {
    inputs = {"graph_mean", "last_node", "first_node"};
    Append(kShareNames, inputs);
  }
  return inputs;
}

}  // namespace vrp
