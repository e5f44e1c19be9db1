// Bounds the files that the check of a submission reads.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace vrp {

// The bytes that a check may still read, so that its answer comes within seconds.
class InputBudget {
 public:
  // Returns whether `file` is within the bytes that are left, and subtracts it from them. Returns
  // an error if the file is not regular or cannot be opened.
  absl::StatusOr<bool> MayRead(const std::string& file);

 private:
  int64_t bytes_left_ = int64_t{64} << 20;
};

}  // namespace vrp
