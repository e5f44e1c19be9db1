// The instances of several files, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/batch/answer_file.h"
#include "client/support/instance_flags.h"
#include "client/support/instance_source.h"
#include "vrp/v1/instance.pb.h"

namespace vrp::client {

// An instance that needs an answer.
struct BatchItem {
  int64_t number = 0;      // from 0, over all files
  size_t file_number = 0;  // the number of its file
  int64_t line = 0;        // from 1, in its file
  int64_t bytes = 0;       // of this line
  v1::InstanceFile file = {};
  absl::Status unreadable = {};  // the error of a line that cannot be sent
  int32_t losses = 0;            // number of daemons that were lost while they had it
};

// The lines of JSON-lines files that have no answer yet. Not thread-safe.
class BatchInput {
 public:
  // Reads the files at `paths`, whose answers are `answers`. `flags` must outlive the object.
  BatchInput(std::vector<std::string> paths, const std::vector<AnswerFile>& answers,
             const InstanceFlags& flags);

  // Returns the next instance; nullopt at the end. Returns kInvalidArgument for a file that cannot
  // be read or holds one instance instead of one a line.
  absl::StatusOr<std::optional<BatchItem>> Next();
  // Returns the number of bytes that were skipped because they have answers.
  int64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  // The first unanswered line of a file.
  struct Start {
    std::string path;
    bool is_complete = false;
    int64_t last_line = 0;
  };
  absl::Status OpenFile();

  std::vector<Start> starts_;
  const InstanceFlags& flags_;
  size_t file_number_ = 0;
  std::optional<InstanceSource> source_;
  int64_t next_number_ = 0;
  int64_t skipped_bytes_ = 0;
};

}  // namespace vrp::client
