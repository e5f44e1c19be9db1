// The answers to the instances of one file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp::client {

// A file of JSON lines, each an object with the number `line` of the instance's line. It is written
// as PATH.part and gets its name once it is complete. Errors are kInternal with the path. Not
// thread-safe.
class AnswerFile {
 public:
  // Opens the answers of a run that may have been interrupted: drops a last line that was not
  // written completely. Returns kInvalidArgument if PATH.part has a line that is no answer.
  static absl::StatusOr<AnswerFile> Open(const std::string& path);

  bool is_complete() const { return is_complete_; }
  // Returns the number of answers that were found when the file was opened.
  int64_t found() const { return found_; }
  // Returns the number of the last answered line of the input; 0: none.
  int64_t last_line() const { return last_line_; }

  // Appends an answer, without a line break. Buffered until Flush.
  absl::Status Append(std::string_view answer);
  absl::Status Flush();
  // Makes the file durable under its name.
  absl::Status Complete();

 private:
  explicit AnswerFile(std::string path) : path_(std::move(path)) {}
  std::string PartPath() const { return path_ + ".part"; }
  absl::Status Resume();
  absl::Status Failed() const;

  std::string path_;
  std::ofstream part_;
  bool is_complete_ = false;
  int64_t found_ = 0;
  int64_t last_line_ = 0;
};

}  // namespace vrp::client
