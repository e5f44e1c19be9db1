// Matrices that instances name instead of holding them: `matrices/{id}`.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/formats.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// [size, size] row-major, finite and not negative.
struct Matrices {
  int32_t size = 0;
  std::vector<double> distances = {};
  std::vector<double> durations = {};  // empty: distance / speed
};

// Where they are kept. Implementations are thread-safe.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  // kInvalidArgument for what is no such name, kNotFound, kDataLoss: the text says what it got.
  virtual absl::StatusOr<std::shared_ptr<const Matrices>> Find(std::string_view name) const = 0;
};

// The matrices that `name` stands for, for an instance of `nodes` nodes (0: any number). The error
// is without a field: `got "matrices/x", ...`. Null `source`: nothing is kept.
absl::StatusOr<std::shared_ptr<const Matrices>> FindMatrices(const MatrixSource* source,
                                                             std::string_view name, size_t nodes);

// As in formats.h. In our JSON the key `matrices`, of the instance or a vehicle, stands for
// distance_matrix and duration_matrix.
absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format, const MatrixSource* matrices);
absl::StatusOr<Instance> ParseJson(std::string_view text, std::string_view name,
                                   const MatrixSource* matrices);

}  // namespace vrp
