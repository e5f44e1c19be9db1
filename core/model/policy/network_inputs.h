// The inputs that a network reads of each node. No torch here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/policy/batch_form.h"

namespace vrp {

struct NetworkInputs {
  std::vector<std::string> names;  // in order; of a pointer network is_visited among them
  // Columns of NetworkBatch::features that the embedding reads: `names` but is_visited, which
  // changes from step to step.
  std::vector<int32_t> columns;
  BatchForm form;

  int32_t width() const { return static_cast<int32_t>(columns.size()); }
};

// Returns the inputs of "gt" or "ptrnet" where problem.features is not given.
std::vector<std::string> UsualInputs(std::string_view architecture);

// Resolves `inputs`, which WantedInputs allows: built-in ones (core/problem/instance/input_names.h)
// and feature columns; none: the usual ones.
NetworkInputs InputsOf(std::string_view architecture, const std::vector<std::string>& inputs);

// Says what would be right in the place of `inputs`, "is_visited among them, ...", for an error;
// empty: they are right.
std::string WantedInputs(std::string_view architecture, const std::vector<std::string>& inputs);

}  // namespace vrp
