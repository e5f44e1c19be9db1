// Implements the rules of matrices.
#include <cmath>
#include <span>

#include "core/base/number.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

// Without a branch for each value, as large matrices have millions.
bool AllInRange(std::span<const double> values) {
  size_t in_range = 0;
  for (const double value : values) {
    in_range += static_cast<size_t>(value >= 0) & static_cast<size_t>(value <= kMaxMagnitude);
  }
  return in_range == values.size();
}

}  // namespace

void CheckMatrixSize(const MatrixField& matrix, size_t nodes, FieldErrors& errors) {
  if (matrix.values.empty()) return;
  if (nodes > kMaxMatrixNodes) {
    errors.Add(matrix.path, nodes, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
  } else if (matrix.values.size() != nodes * nodes) {
    errors.Add(matrix.path, "has ", matrix.values.size(), " entries, wanted ", nodes, " x ", nodes);
  }
}

void CheckMatrixValues(const MatrixField& matrix, Metric metric, FieldErrors& errors) {
  const double unit = matrix.distances ? MetricUnit(metric) : 0;
  if (unit == 0 && AllInRange(matrix.values)) return;
  const auto nodes = static_cast<size_t>(std::lround(std::sqrt(matrix.values.size())));
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    const double value = matrix.values[i];
    const bool in_range = value >= 0 && value <= kMaxMagnitude;
    if (in_range && (unit == 0 || MetricSum(metric, value) == value)) continue;
    const std::string path = Concat(matrix.path.ToString(), "[", i / nodes, "][", i % nodes, "]");
    if (errors.CheckValue(path, value, 0)) {
      errors.Add(path, "got ", FormatNumber(value), ", wanted a multiple of ", FormatNumber(unit),
                 ", the unit of metric ", MetricName(metric));
    }
  }
}

}  // namespace vrp
