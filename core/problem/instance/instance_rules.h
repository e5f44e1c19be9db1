// The rules for an instance's data, in parts that Instance::Validate calls. Each function adds an
// error for every field that breaks a rule. The per-node vectors must have the right sizes.
#pragma once

#include <cstddef>
#include <vector>

#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// Checks the per-node fields other than ids.
void CheckNodes(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Checks vehicle types, including their matrices.
void CheckVehicles(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Checks shipments and groups of alternatives.
void CheckRequests(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Checks each rule between customers by itself.
void CheckCustomerRules(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Checks that no two rules between customers contradict each other or shipments. All other rules of
// this file must hold.
void CheckRuleContradictions(const InstanceData& data, size_t nodes, FieldErrors& errors);
// Checks the columns that only networks read.
void CheckFeatureColumns(const InstanceData& data, size_t nodes, FieldErrors& errors);

// A matrix of an instance's data, and the path of its field.
struct MatrixField {
  FieldPath path;
  const std::vector<double>& values;
  bool distances = true;  // whether the values are distances, multiples of the metric's unit; if
                          // not, times
};
// Accepts an empty matrix, or a matrix of `nodes` rows and columns, at most kMaxMatrixNodes.
void CheckMatrixSize(const MatrixField& matrix, size_t nodes, FieldErrors& errors);
// Checks the list `duration_matrices` of `path`, whose matrices have `rows` rows. `duration_matrix`
// is that of the same object, which excludes the list.
void CheckTimedMatrices(const FieldPath& path, const std::vector<TimedMatrix>& list, size_t rows,
                        const std::vector<double>& duration_matrix, FieldErrors& errors);
// Checks that all values are from 0 to kMaxMagnitude, and that distances are multiples of the
// metric's unit. The matrix must be square.
void CheckMatrixValues(const MatrixField& matrix, Metric metric, FieldErrors& errors);

}  // namespace vrp
