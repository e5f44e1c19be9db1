// Reads and uploads matrix files.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "vrp/v1/dataset_service.pb.h"

namespace vrp::client {

// Square matrices over `size` nodes.
struct MatrixFile {
  int32_t size = 0;
  std::vector<double> distances = {};  // [size, size] row-major
  std::vector<double> durations = {};  // [size, size] row-major, or empty
};

// Reads a JSON object with `distance_matrix` and optionally `duration_matrix`. Ignores other keys.
// Parses the text as a stream without storing it. Returns kInvalidArgument for other JSON and for
// matrices that are not square, have more than 5,000 rows or differ in size. Names the row, as in
// `duration_matrix[3]: has 4 numbers, wanted 5`.
absl::StatusOr<MatrixFile> ReadMatrixFile(std::istream& stream);

// The messages of an upload. `file` must outlive this object.
class MatrixMessages {
 public:
  explicit MatrixMessages(const MatrixFile& file) : file_(file) {}
  // Returns the next message; nullopt after the last one. Never fails.
  absl::StatusOr<std::optional<v1::UploadMatricesRequest>> Next();

 private:
  const MatrixFile& file_;
  bool header_sent_ = false;
  size_t sent_ = 0;  // number of values sent: distances first, then durations
};

}  // namespace vrp::client
