// The inputs that a network reads of each node. Needs no torch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/policy/architecture.h"
#include "core/model/policy/batch_form.h"

namespace vrp {

// The inputs of a network's nodes, and where a batch holds their values.
struct NetworkInputs {
  std::vector<std::string> names;  // in order, with kVisitedInput if the architecture reads it
  // Columns of NetworkBatch::features that the embedding reads: `names` without kVisitedInput,
  // which changes from step to step.
  std::vector<int32_t> columns;
  BatchForm form;

  int32_t width() const { return static_cast<int32_t>(columns.size()); }
};

// Returns the inputs of a network whose configuration has no problem.features.
std::vector<std::string> DefaultInputs(const Architecture& architecture);

// Resolves `inputs` to built-in inputs (core/problem/instance/input_names.h) and feature columns.
// WantedInputsText must accept them. If `inputs` is empty, returns the defaults.
NetworkInputs InputsOf(const Architecture& architecture, const std::vector<std::string>& inputs);

// Returns the text of an error that says which inputs are wanted: "a list with is_visited, ...".
// Returns an empty text if `inputs` are right.
std::string WantedInputsText(const Architecture& architecture,
                             const std::vector<std::string>& inputs);

}  // namespace vrp
