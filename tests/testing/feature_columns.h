// Adds feature columns to instances.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp::test {

// Returns `instance` with columns of these names. Their values, from -1 to 1, differ by column and
// node.
inline Instance WithFeatures(const Instance& instance, const std::vector<std::string>& names) {
  InstanceData data = instance.data();
  for (size_t c = 0; c < names.size(); ++c) {
    FeatureColumn& column = data.features.emplace_back();
    column.name = names[c];
    for (int32_t node = 0; node < instance.num_nodes(); ++node) {
      column.values.push_back(std::sin(1.7 * node + 0.9 * static_cast<double>(c) + 1));
    }
  }
  return *Instance::Create(std::move(data));
}

inline std::vector<Instance> WithFeatures(std::vector<Instance> instances,
                                          const std::vector<std::string>& names) {
  for (Instance& instance : instances) instance = WithFeatures(instance, names);
  return instances;
}

}  // namespace vrp::test
