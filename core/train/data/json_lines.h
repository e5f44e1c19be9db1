// JSON lines: one instance a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/train/config/data_files.h"

namespace vrp {

inline constexpr int64_t kMaxLineBytes = int64_t{32} << 20;

// Takes text that comes in pieces apart into lines. One thread.
class LineSplitter {
 public:
  // Called with each line that is not blank, without its end, and its number from 1. False: no more
  // lines are wanted.
  using Take = absl::FunctionRef<absl::StatusOr<bool>(std::string_view line, int64_t number)>;

  // Gives the lines that are whole; false as soon as `take` says so. kInvalidArgument: a line of
  // more than kMaxLineBytes.
  absl::StatusOr<bool> Add(std::string_view piece, Take take);
  // Gives the last line, where the text does not end with a line break.
  absl::StatusOr<bool> Finish(Take take);
  // Returns the bytes of the incomplete line once `more` bytes have arrived.
  int64_t BufferedBytes(size_t more) const { return static_cast<int64_t>(held_.size() + more); }

 private:
  absl::StatusOr<bool> Give(std::string_view line, Take take);

  std::string held_;
  int64_t number_ = 0;
};

// Gives the lines of a file, which is never held as a whole. kInvalidArgument for a file without
// any; errors of the file name it as `file.name`.
absl::Status ForEachLine(const DataFile& file, LineSplitter::Take take);

}  // namespace vrp
