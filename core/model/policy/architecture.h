// A network architecture for the other folders: names, sizes, inputs and capabilities. Code outside
// the architecture's own folder reads these members instead of comparing names. Needs no torch.
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/model/policy/batch_form.h"
#include "core/model/policy/network_sizes.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// A network architecture. Each has one instance, which lives as long as the program; compare
// addresses.
struct Architecture {
  std::string_view name;                           // name in configurations and model cards
  std::string_view display_name;                   // name in texts for people, after "a"
  std::span<const std::string_view> aliases = {};  // other names that configurations may use
  std::string_view section;  // section of a configuration that holds the network's sizes
  std::span<const NetworkOption> options;  // in the order in which they are written

  NodeOrder node_order = NodeOrder::kAsGiven;
  std::span<const std::string_view> default_inputs;  // default inputs of a node
  bool reads_visited = false;  // whether kVisitedInput must be an input; otherwise it must not
  // The decoder's inputs before each choice of a node, besides the nodes' own inputs.
  std::span<const std::string_view> step_inputs;

  // Whether instances may have backhauls.
  bool serves_backhauls = false;
  // Whether the decoder's next step reads the node chosen last, so that scheduled sampling
  // (RolloutRequest::teacher_forcing) changes what is learned.
  bool reads_own_choices = false;
  // Whether EngineOptions::gradient_checkpointing saves memory.
  bool checkpoints_layers = false;

  NetworkSizes (*default_sizes)() = nullptr;
  // Parses sizes in `json`. Returns the errors of ReadNetworkSizes; `name` is the file's name.
  absl::StatusOr<NetworkSizes> (*parse_sizes)(std::string_view json,
                                              std::string_view name) = nullptr;
  // Returns the parameters of a network of `sizes`: names, shapes and offsets.
  ParameterLayout (*layout)(const NetworkSizes& sizes) = nullptr;
};

}  // namespace vrp
