// Writes TensorBoard event files without TensorFlow. Event messages in protobuf's wire format are
// framed as TFRecords: length and content, each with its masked CRC-32C. Source of the formats:
// tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto,
// tensorflow/core/framework/summary.proto.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace vrp {

// A value under a tag.
struct TensorBoardScalar {
  std::string tag;  // such as "loss" or "cost/train"
  double value = 0;
};

// One event file of one attempt of a job. TensorBoard reads the files of a run's folder in the
// order of their names. The writer never changes earlier files, so a file that a crash truncated
// does no harm. Not thread-safe; blocks on the disk.
class TensorBoardWriter {
 public:
  // The file's folder and attempt.
  struct Options {
    std::string folder;        // created if absent
    absl::Time time;           // part of the file's name
    int32_t attempt = 1;       // part of the file's name
    int64_t resumed_from = 0;  // later steps of earlier files become invalid; 0: all stay valid
  };
  static absl::StatusOr<std::unique_ptr<TensorBoardWriter>> Open(const Options& options);
  ~TensorBoardWriter();
  TensorBoardWriter(const TensorBoardWriter&) = delete;
  TensorBoardWriter& operator=(const TensorBoardWriter&) = delete;

  // Writes one record, usually in a single system call. Omits values that are not finite. Writes
  // nothing if no value is left.
  absl::Status Add(absl::Time time, int64_t step, std::span<const TensorBoardScalar> scalars);

 private:
  TensorBoardWriter(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  absl::Status WriteRecord(std::string_view event);

  const std::string path_;
  const int descriptor_;
};

// Returns the CRC-32C (Castagnoli, RFC 3720) of `bytes`. The CRC of "123456789" is 0xe3069283.
uint32_t Crc32c(std::string_view bytes);

}  // namespace vrp
