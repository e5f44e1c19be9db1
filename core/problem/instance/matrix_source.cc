#include "core/problem/instance/matrix_source.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<std::shared_ptr<const Matrices>> FindMatrices(const MatrixSource* source,
                                                             std::string_view name, size_t nodes) {
  if (source == nullptr) {
    return absl::InvalidArgumentError(Concat(
        "got ", Quoted(name), ", which is not supported here; wanted the matrices themselves"));
  }
  absl::StatusOr<std::shared_ptr<const Matrices>> found = source->Find(name);
  if (!found.ok()) return absl::InvalidArgumentError(found.status().message());
  if (nodes != 0 && static_cast<size_t>((*found)->size) != nodes) {
    return absl::InvalidArgumentError(Concat("got ", Quoted(name), " of ", (*found)->size,
                                             " rows, wanted the number of nodes, ", nodes));
  }
  return found;
}

}  // namespace vrp
