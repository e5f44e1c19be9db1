// The form in which a network reads its instances.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/instance/input_names.h"

namespace vrp {

// The order of an instance's nodes.
enum class NodeOrder {
  kAsGiven,  // for networks whose results do not depend on the order
  kByAngle,  // for sequence models: customers by angle around the depot, after the widest gap
};

// The order of the nodes, and the columns of their features.
struct BatchForm {
  // NOLINTNEXTLINE(google-explicit-constructor): most networks read only built-in inputs.
  BatchForm(NodeOrder nodes) : order(nodes) {}
  BatchForm(NodeOrder nodes, std::vector<std::string> columns)
      : order(nodes), own_columns(std::move(columns)) {}

  // Returns the number of features of a node.
  int32_t columns() const {
    return static_cast<int32_t>(kNodeFeatureNames.size() + own_columns.size());
  }

  NodeOrder order;
  // Names of the instances' feature columns that follow the built-in ones.
  std::vector<std::string> own_columns = {};
};

}  // namespace vrp
