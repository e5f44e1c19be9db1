// A snapshot as a tar archive that is generated while it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/base/digest.h"
#include "core/jobs/backup/snapshot.h"

namespace vrp {

// A stream of an archive with backup.json (see BackupIndex), jobs.db, the other files in the
// snapshot's order, and SHA256SUMS. These names and their order are the format. Not thread-safe;
// blocks on the disk.
class BackupStream {
 public:
  // Size of a piece, in bytes. The last piece may be smaller.
  static constexpr size_t kPieceBytes = size_t{1} << 20;

  // Takes the snapshot. Returns the same errors as TakeSnapshot, and kInvalidArgument if tar cannot
  // hold a path or a file (see WriteTarHeader).
  static absl::StatusOr<std::unique_ptr<BackupStream>> Open(const BackupSources& sources);

  // Returns the next kPieceBytes or the rest; an empty string at the end. Returns kUnavailable if a
  // file cannot be read or became shorter.
  absl::StatusOr<std::string> Next();
  // Returns the size of the archive, in bytes.
  int64_t total_bytes() const { return total_bytes_; }
  // Returns the number of files, including backup.json and SHA256SUMS.
  int64_t file_count() const { return static_cast<int64_t>(snapshot_.files.size()) + 2; }
  const StateSnapshot& snapshot() const { return snapshot_; }

 private:
  BackupStream(StateSnapshot snapshot, const BackupSources& sources);

  absl::Status AddNextFile();  // adds the file's header; ReadPart adds its content
  absl::Status ReadPart();
  absl::Status AddText(std::string_view path, const std::string& content);

  const StateSnapshot snapshot_;
  const absl::Time created_;
  const std::string index_;
  int64_t total_bytes_ = 0;
  std::string pending_;    // generated, not read yet
  size_t file_ = 0;        // index of the snapshot's next file
  int64_t remaining_ = 0;  // remaining bytes of the current file
  bool index_written_ = false;
  bool sums_written_ = false;
  Sha256 digest_;     // digest of the current file
  std::string sums_;  // lines of SHA256SUMS of all files before the current one
};

}  // namespace vrp
