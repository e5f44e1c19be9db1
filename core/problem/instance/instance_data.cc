#include "core/problem/instance/instance_data.h"

#include <utility>

#include "core/problem/instance/choices.h"

namespace vrp {
namespace {

// Returns the number of rows of a square matrix.
int32_t RowsOf(const std::vector<double>& matrix) {
  size_t count = 0;
  while (count * count < matrix.size()) ++count;
  return static_cast<int32_t>(count);
}

}  // namespace

int32_t NodeCount(const InstanceData& data) {
  if (!data.positions.empty()) return static_cast<int32_t>(data.positions.size());
  if (!data.matrix_rows.empty()) return static_cast<int32_t>(data.matrix_rows.size());
  return RowsOf(data.distance_matrix);
}

int32_t MatrixSize(const InstanceData& data) {
  if (data.matrix_rows.empty()) return NodeCount(data);
  if (!data.distance_matrix.empty()) return RowsOf(data.distance_matrix);
  if (!data.duration_matrix.empty()) return RowsOf(data.duration_matrix);
  if (!data.duration_matrices.empty()) return RowsOf(data.duration_matrices.front().durations);
  if (!data.length_matrix.empty()) return RowsOf(data.length_matrix);
  for (const VehicleType& vehicle : data.vehicles) {
    if (!vehicle.distance_matrix.empty()) return RowsOf(vehicle.distance_matrix);
    if (!vehicle.duration_matrix.empty()) return RowsOf(vehicle.duration_matrix);
    if (!vehicle.duration_matrices.empty()) {
      return RowsOf(vehicle.duration_matrices.front().durations);
    }
    if (!vehicle.length_matrix.empty()) return RowsOf(vehicle.length_matrix);
  }
  return 0;
}

const std::vector<TimedMatrix>& TimedMatricesOf(const InstanceData& data,
                                                const VehicleType& vehicle) {
  const bool has_own = !vehicle.duration_matrix.empty() || !vehicle.duration_matrices.empty();
  return has_own ? vehicle.duration_matrices : data.duration_matrices;
}

void ExpandMatrices(InstanceData& data) {
  if (data.matrix_rows.empty()) return;
  const auto size = static_cast<size_t>(MatrixSize(data));
  const auto expand = [&](std::vector<double>& matrix) {
    if (matrix.empty()) return;
    std::vector<double> expanded;
    expanded.reserve(data.matrix_rows.size() * data.matrix_rows.size());
    for (const int32_t from : data.matrix_rows) {
      const double* const row = matrix.data() + static_cast<size_t>(from) * size;
      for (const int32_t to : data.matrix_rows) expanded.push_back(row[to]);
    }
    matrix = std::move(expanded);
  };
  const auto expand_all = [&](auto& owner) {
    expand(owner.distance_matrix);
    expand(owner.length_matrix);
    expand(owner.duration_matrix);
    for (TimedMatrix& timed : owner.duration_matrices) expand(timed.durations);
  };
  expand_all(data);
  for (VehicleType& vehicle : data.vehicles) expand_all(vehicle);
  data.matrix_rows.clear();
}

std::string_view KindName(ProblemKind kind) { return ChoiceName(kind); }

std::optional<ProblemKind> KindFromName(std::string_view name) {
  return ChoiceFromName<ProblemKind>(name);
}

}  // namespace vrp
