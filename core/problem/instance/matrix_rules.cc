// Implements the rules of matrices.
#include <cmath>
#include <span>
#include <string>

#include "core/base/number.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

// Bounds the relative rounding of sums of times. TravelTime allows ten times as much.
constexpr double kTimeRounding = 1e-13;

// Without a branch for each value, as large matrices have millions.
bool AllInRange(std::span<const double> values) {
  size_t in_range = 0;
  for (const double value : values) {
    in_range += static_cast<size_t>(value >= 0) & static_cast<size_t>(value <= kMaxMagnitude);
  }
  return in_range == values.size();
}

// Checks that whoever leaves at the time of `entry` arrives no earlier than whoever leaves at the
// time of the entry before.
void CheckFall(const FieldPath& path, const TimedMatrix& before, const TimedMatrix& entry,
               size_t rows, FieldErrors& errors) {
  const double gap = entry.at - before.at;
  for (size_t i = 0; i < entry.durations.size(); ++i) {
    const double fall = before.durations[i] - entry.durations[i];
    if (fall <= gap + kTimeRounding * (entry.at + before.durations[i])) continue;
    errors.Add(Concat(path.ToString(), "[", i / rows, "][", i % rows, "]"), "got ",
               FormatNumber(entry.durations[i]), " at ", FormatNumber(entry.at),
               ", which is less than ", FormatNumber(before.durations[i]), " at ",
               FormatNumber(before.at), " by more than the ", FormatNumber(gap),
               " between them, so that leaving later would arrive earlier; wanted at least ",
               FormatNumber(before.durations[i] - gap));
  }
}

// Checks one entry; `before` is null for the first one.
void CheckTimedMatrix(const FieldPath& path, const TimedMatrix* before, const TimedMatrix& entry,
                      size_t rows, FieldErrors& errors) {
  const FieldPath at(path, "at");
  const FieldPath durations(path, "durations");
  bool ordered = errors.CheckTime(at, entry.at);
  if (ordered && before != nullptr && !(entry.at > before->at)) {
    errors.Add(at, "got ", FormatNumber(entry.at), ", wanted more than ", FormatNumber(before->at),
               ", the time of the entry before");
    ordered = false;
  }
  if (entry.durations.empty()) errors.Add(durations, "absent, wanted ", rows, " x ", rows);
  CheckMatrixSize({durations, entry.durations}, rows, errors);
  if (entry.durations.size() != rows * rows) return;
  CheckMatrixValues({durations, entry.durations, false}, Metric::kExact, errors);
  if (before == nullptr || !ordered || before->durations.size() != entry.durations.size()) return;
  CheckFall(durations, *before, entry, rows, errors);
}

}  // namespace

void CheckTimedMatrices(const FieldPath& path, const std::vector<TimedMatrix>& list, size_t rows,
                        const std::vector<double>& duration_matrix, FieldErrors& errors) {
  if (list.empty()) return;
  if (!duration_matrix.empty()) {
    errors.Add(path, "given together with duration_matrix; wanted only one of them");
  }
  if (list.size() > kMaxTimedMatrices) {
    errors.Add(path, "has ", list.size(), " entries, wanted at most ", kMaxTimedMatrices);
  } else if (rows <= kMaxMatrixNodes && list.size() * rows * rows > kMaxTimedValues) {
    errors.Add(path, list.size(), " entries of ", rows, " x ", rows,
               " numbers exceed the limit of ", kMaxTimedValues, " numbers; wanted fewer entries");
  } else {
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string entry = Concat(path.ToString(), "[", i, "]");
      CheckTimedMatrix(entry, i == 0 ? nullptr : &list[i - 1], list[i], rows, errors);
    }
  }
}

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
