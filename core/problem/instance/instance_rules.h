// The rules that an instance's data obeys, in parts; Instance::Validate calls them all. Each adds
// an error for each field that breaks one. The sizes of the per-node vectors must hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Vehicle types, their matrices included. `nodes`: how many there are.
void CheckVehicles(const InstanceData& data, size_t nodes, FieldErrors& errors);

struct MatrixField {
  std::string path;
  const std::vector<double>& values;
  bool distances = true;  // multiples of the metric's unit; else times
};
// Nothing, or `nodes` rows and columns.
void CheckMatrixSize(const MatrixField& matrix, size_t nodes, FieldErrors& errors);
// Of a matrix whose size holds: finite, not negative.
void CheckMatrixValues(const MatrixField& matrix, Metric metric, FieldErrors& errors);
// Loads, times, skills and prizes of each node.
void CheckNodes(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Columns for networks alone.
void CheckFeatureColumns(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Shipments and groups of alternatives.
void CheckRequests(const InstanceData& data, size_t nodes, FieldErrors& errors);
// What does not go together.
void CheckCombinations(const InstanceData& data, FieldErrors& errors);

}  // namespace vrp
