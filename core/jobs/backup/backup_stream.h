// A snapshot as a tar archive, made as it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/base/digest.h"
#include "core/jobs/backup/snapshot.h"

namespace vrp {

// The archive: backup.json (see BackupIndex), jobs.db, the other files by path, SHA256SUMS; the
// names and their order are the format. Not thread-safe; blocks on the disk.
class BackupStream {
 public:
  static constexpr size_t kPieceBytes = size_t{1} << 20;

  // Takes the snapshot; errors as of TakeSnapshot.
  static absl::StatusOr<std::unique_ptr<BackupStream>> Open(const BackupSources& sources);

  // The next kPieceBytes, or what is left; empty: the end. kUnavailable: a file became shorter.
  absl::StatusOr<std::string> Next();
  int64_t total_bytes() const { return total_bytes_; }
  int64_t file_count() const { return static_cast<int64_t>(snapshot_.files.size()) + 2; }
  const StateSnapshot& snapshot() const { return snapshot_; }

 private:
  BackupStream(StateSnapshot snapshot, const BackupSources& sources);

  absl::Status AddNextFile();  // its header; what is in it comes by ReadPart
  absl::Status ReadPart();
  absl::Status AddText(std::string_view path, const std::string& content);

  const StateSnapshot snapshot_;
  const absl::Time created_;
  const std::string index_;
  int64_t total_bytes_ = 0;
  std::string pending_;  // made, and not yet read
  size_t file_ = 0;      // the next one of the snapshot
  int64_t left_ = 0;     // bytes of the file before it
  bool begun_ = false;
  bool ended_ = false;
  Sha256 digest_;     // of the file that is being read
  std::string sums_;  // SHA256SUMS so far
};

}  // namespace vrp
