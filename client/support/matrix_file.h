// Matrices in a file, as the daemon takes them.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp::client {

struct MatrixFile {
  int32_t size = 0;
  std::vector<double> distances = {};  // [size, size] row-major
  std::vector<double> durations = {};  // the same, or empty
};

// A JSON object with `distance_matrix`, and `duration_matrix` where there is one, as in an
// instance, whose other keys are passed over. The text is read as it comes and never held.
// kInvalidArgument: `duration_matrix[3]: has 4 numbers, wanted 5`.
absl::StatusOr<MatrixFile> ReadMatrixFile(std::istream& stream);

// The messages of an upload, one after the other. `file` outlives it.
class MatrixMessages {
 public:
  explicit MatrixMessages(const MatrixFile& file) : file_(file) {}
  absl::StatusOr<std::optional<v1::UploadMatricesRequest>> Next();

 private:
  const MatrixFile& file_;
  bool begun_ = false;
  size_t sent_ = 0;  // values, of distances and then of durations
};

}  // namespace vrp::client
