// TensorBoard event files, without TensorFlow: records as TFRecord frames them (length and content,
// each with its masked CRC-32C), each an Event message in protobuf's wire format.
// Source of the formats: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto,
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

struct TensorBoardScalar {
  std::string tag;  // "loss", "cost/train"
  double value = 0;
};

// One event file of one attempt of a job. A run's files lie in one folder and are read in the order
// of their names; nothing of an earlier file is changed, so a file that a crash cut off does no
// harm. Not thread-safe; blocks on the disk.
class TensorBoardWriter {
 public:
  struct Options {
    std::string folder;        // made when absent
    absl::Time time;           // stands in the file's name
    int32_t attempt = 1;       // likewise
    int64_t resumed_from = 0;  // what earlier files say of later steps is void
  };
  static absl::StatusOr<std::unique_ptr<TensorBoardWriter>> Open(const Options& options);
  ~TensorBoardWriter();
  TensorBoardWriter(const TensorBoardWriter&) = delete;
  TensorBoardWriter& operator=(const TensorBoardWriter&) = delete;

  // One record, handed to the operating system as a whole. Values that are not finite are left out.
  absl::Status Add(absl::Time time, int64_t step, std::span<const TensorBoardScalar> scalars);

 private:
  TensorBoardWriter(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  absl::Status WriteRecord(std::string_view event);

  const std::string path_;
  const int descriptor_;
};

// CRC-32C (Castagnoli), as RFC 3720 has it: of "123456789" it is 0xe3069283.
uint32_t Crc32c(std::string_view bytes);

}  // namespace vrp
