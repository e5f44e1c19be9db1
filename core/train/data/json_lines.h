// Reads JSON lines: one instance per line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/train/config/data_files.h"

namespace vrp {

// Largest size of a line in bytes, without its line break.
inline constexpr int64_t kMaxLineBytes = int64_t{32} << 20;

// A splitter that divides a text into lines while the text arrives in pieces. Not thread-safe.
class LineSplitter {
 public:
  // A function that gets each non-blank line, without its line break, and its number from 1. It
  // returns false if it wants no more lines.
  using LineFn = absl::FunctionRef<absl::StatusOr<bool>(std::string_view line, int64_t number)>;

  // Passes the complete lines to `take`. Returns false as soon as `take` does. Returns the errors
  // of `take`, and kInvalidArgument if a line has more than kMaxLineBytes.
  absl::StatusOr<bool> Add(std::string_view piece, LineFn take);
  // Passes the last line to `take` if the text does not end with a line break, and returns the
  // result of `take`. Otherwise returns true.
  absl::StatusOr<bool> Finish(LineFn take);
  // Returns the largest possible size of the incomplete line, in bytes, once `more` bytes have
  // arrived.
  int64_t BufferedBytes(size_t more) const {
    return static_cast<int64_t>(partial_line_.size() + more);
  }

 private:
  absl::StatusOr<bool> PassLine(std::string_view line, LineFn take);

  std::string partial_line_;
  int64_t number_ = 0;
};

// Passes the lines of a file to `take`, without loading the whole file, until `take` returns false.
// Returns the errors of `take` and of the disk, and kInvalidArgument if the file has only blank
// lines or a line above kMaxLineBytes. Its own errors name the file as `file.name`; those of `take`
// are unchanged.
absl::Status ForEachLine(const DataFile& file, LineSplitter::LineFn take);

}  // namespace vrp
