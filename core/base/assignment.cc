#include "core/base/assignment.h"

#include <limits>

namespace vrp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The dual prices and the partial assignment. Row and column 0 stand for none, so that the others
// count from 1.
struct Duals {
  Duals(size_t rows, size_t columns)
      : row_prices(rows + 1, 0), column_prices(columns + 1, 0), row_of(columns + 1, 0) {}

  std::vector<double> row_prices;
  std::vector<double> column_prices;
  std::vector<size_t> row_of;  // by column
};

// Gives `row` a column, by the shortest path of reduced costs to a free column.
void Augment(std::span<const double> values, size_t row, Duals& duals) {
  const size_t columns = duals.row_of.size() - 1;
  std::vector<double> distances(columns + 1, kInfinity);
  std::vector<size_t> before(columns + 1, 0);
  std::vector<bool> done(columns + 1, false);
  duals.row_of[0] = row;
  size_t at = 0;
  while (duals.row_of[at] != 0) {
    done[at] = true;
    const size_t from = duals.row_of[at];
    size_t next = 0;
    double least = kInfinity;
    for (size_t j = 1; j <= columns; ++j) {
      if (done[j]) continue;
      const double reduced =
          -values[(from - 1) * columns + j - 1] - duals.row_prices[from] - duals.column_prices[j];
      if (reduced < distances[j]) {
        distances[j] = reduced;
        before[j] = at;
      }
      if (distances[j] < least) {
        least = distances[j];
        next = j;
      }
    }
    for (size_t j = 0; j <= columns; ++j) {
      if (done[j]) {
        duals.row_prices[duals.row_of[j]] += least;
        duals.column_prices[j] -= least;
      } else {
        distances[j] -= least;
      }
    }
    at = next;
  }
  while (at != 0) {
    duals.row_of[at] = duals.row_of[before[at]];
    at = before[at];
  }
}

}  // namespace

std::vector<int32_t> BestAssignment(std::span<const double> values, size_t rows, size_t columns) {
  Duals duals(rows, columns);
  for (size_t row = 1; row <= rows; ++row) Augment(values, row, duals);
  std::vector<int32_t> result(rows, 0);
  for (size_t j = 1; j <= columns; ++j) {
    if (duals.row_of[j] != 0) result[duals.row_of[j] - 1] = static_cast<int32_t>(j - 1);
  }
  return result;
}

}  // namespace vrp
