// Finds matrices that an instance refers to by name, `matrices/{id}`, instead of holding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// Matrices, [size, size] row-major. All values are finite and not negative.
struct Matrices {
  int32_t size = 0;
  std::vector<double> distances = {};
  std::vector<double> durations = {};  // empty means distance / speed
};

// A store of named matrices. Implementations are thread-safe.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;
  // Returns the matrices called `name`. Returns kInvalidArgument for a malformed name, kNotFound
  // for an unknown one, and kDataLoss for damaged matrices. Returns the file system's code for
  // matrices that cannot be read now. The message begins with `got "NAME"`.
  virtual absl::StatusOr<std::shared_ptr<const Matrices>> Find(std::string_view name) const = 0;
};

// Returns the matrices called `name` for an instance of `nodes` nodes (0: any number). Errors are
// kInvalidArgument and do not name a field: `got "matrices/x", ...`. A null `source` has no
// matrices, so every name is an error.
absl::StatusOr<std::shared_ptr<const Matrices>> FindMatrices(const MatrixSource* source,
                                                             std::string_view name, size_t nodes);

}  // namespace vrp
