#include "core/jobs/backup/unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/digest.h"
#include "core/base/file.h"
#include "core/base/open_file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/base/write_all.h"
#include "core/jobs/backup/snapshot.h"
#include "core/jobs/backup/ustar.h"

namespace vrp {
namespace {

constexpr size_t kMaxPathBytes = 255;                 // maximum length of a path
constexpr size_t kPieceBytes = size_t{1} << 18;       // maximum number of bytes read at once
constexpr int64_t kMaxIndexBytes = int64_t{1} << 16;  // maximum size of backup.json
constexpr int64_t kMaxSumsBytes = int64_t{1} << 30;   // maximum size of SHA256SUMS
constexpr std::string_view kFolders[] = {"jobs",     "labels",      "matrices",
                                         "datasets", kBackupModels, "tensorboard"};
constexpr std::string_view kFiles[] = {kBackupIndexFile, kBackupDatabase, kBackupSumsFile};

absl::Status TruncatedError(std::string_view where) {
  return absl::DataLossError(Concat("the archive is cut off ", where, ": copy it again"));
}

// A sequential reader of an archive.
class BackupReader {
 public:
  BackupReader(OpenFile archive, std::string directory, WatchFn watch, StopCondition stop)
      : archive_(std::move(archive)),
        directory_(std::move(directory)),
        watch_(std::move(watch)),
        stop_(std::move(stop)) {}

  absl::StatusOr<UnpackedBackup> Run() {
    while (true) {
      VRP_ASSIGN_OR_RETURN(const std::string block, Read(kTarBlockBytes));
      if (block.size() < kTarBlockBytes) return TruncatedError("before its end");
      VRP_ASSIGN_OR_RETURN(const std::optional<TarEntry> entry, ParseTarHeader(block));
      if (!entry.has_value()) break;
      VRP_RETURN_IF_ERROR(ReadEntry(*entry));
    }
    VRP_RETURN_IF_ERROR(CheckTrailingZeros());
    if (!has_sums_) return TruncatedError(Concat("before ", kBackupSumsFile));
    return std::move(backup_);
  }

 private:
  absl::Status ReadEntry(const TarEntry& entry) {
    VRP_RETURN_IF_ERROR(CheckBackupPath(entry.path));
    const auto watched = BeginWatch(watch_, "restore", entry.path);
    const bool first = digests_.empty();
    if (has_sums_ || first != (entry.path == kBackupIndexFile)) {
      return absl::InvalidArgumentError(Concat(entry.path, ": is in the wrong position, wanted ",
                                               kBackupIndexFile, " first and ", kBackupSumsFile,
                                               " last"));
    }
    if (digests_.contains(entry.path)) {
      return absl::InvalidArgumentError(
          Concat(entry.path, ": occurs twice, wanted each path once; make the backup again"));
    }
    if (entry.path == kBackupIndexFile) return ReadIndex(entry);
    if (entry.path == kBackupSumsFile) return CheckSums(entry);
    VRP_RETURN_IF_ERROR(WriteFile(entry));
    AddToTotals(entry);
    return absl::OkStatus();
  }

  void AddToTotals(const TarEntry& entry) {
    ++backup_.files;
    backup_.bytes += entry.size;
  }

  absl::Status ReadIndex(const TarEntry& entry) {
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadText(entry, kMaxIndexBytes));
    VRP_ASSIGN_OR_RETURN(backup_.index, ParseBackupIndex(text));
    digests_[entry.path] = Sha256Hex(text);
    AddToTotals(entry);
    return absl::OkStatus();
  }

  absl::Status CheckSums(const TarEntry& entry) {
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadText(entry, kMaxSumsBytes));
    AddToTotals(entry);
    has_sums_ = true;
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> parts =
          absl::StrSplit(line, absl::MaxSplits("  ", 1));
      const auto found = digests_.find(std::string(parts.second));
      if (found == digests_.end()) {
        return absl::DataLossError(Concat(Escaped(FromAbsl(parts.second)),
                                          ": is missing from the archive; copy it again"));
      }
      if (found->second != FromAbsl(parts.first)) {
        return absl::DataLossError(Concat(
            found->first, ": its SHA-256 is ", found->second, ", but in ", kBackupSumsFile,
            " it is ", Escaped(FromAbsl(parts.first)), ": the archive is damaged; copy it again"));
      }
      digests_.erase(found);
    }
    if (digests_.empty()) return absl::OkStatus();
    return absl::DataLossError(Concat(digests_.begin()->first, ": is not in ", kBackupSumsFile,
                                      ": the archive is damaged; copy it again"));
  }

  // Checks that only zeros follow the last file.
  absl::Status CheckTrailingZeros() {
    bool end = false;
    for (bool first = true; !end; first = false) {
      VRP_ASSIGN_OR_RETURN(const std::string block, Read(kTarBlockBytes));
      end = block.empty();
      if (first && block.size() < kTarBlockBytes) return TruncatedError("in its last block");
      if (block.find_first_not_of('\0') != std::string::npos) {
        return absl::DataLossError("the archive has data after its end: copy it again");
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadText(const TarEntry& entry, int64_t max_bytes) {
    if (entry.size > max_bytes) {
      return absl::InvalidArgumentError(
          Concat(entry.path, ": has ", entry.size, " bytes, wanted at most ", max_bytes));
    }
    std::string text;
    while (static_cast<int64_t>(text.size()) < entry.size) {
      VRP_ASSIGN_OR_RETURN(
          const std::string piece,
          Read(std::min(kPieceBytes, static_cast<size_t>(entry.size) - text.size())));
      if (piece.empty()) return TruncatedError(Concat("in ", entry.path));
      text += piece;
    }
    VRP_RETURN_IF_ERROR(SkipPadding(entry));
    return text;
  }

  absl::Status WriteFile(const TarEntry& entry) {
    const std::string path = Concat(directory_, "/", entry.path);
    VRP_RETURN_IF_ERROR(EnsureDirectory(path.substr(0, path.rfind('/'))));
    // The file is readable to others only if the original was, and never executable.
    const OpenFile file(
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (entry.mode & 0044) | 0600));
    if (file.descriptor() < 0) return absl::ErrnoToStatus(errno, Concat("create ", path));
    Sha256 digest;
    for (int64_t left = entry.size; left > 0;) {
      VRP_ASSIGN_OR_RETURN(const std::string piece,
                           Read(static_cast<size_t>(std::min<int64_t>(left, kPieceBytes))));
      if (piece.empty()) return TruncatedError(Concat("in ", entry.path));
      digest.Add(piece);
      VRP_RETURN_IF_ERROR(WriteAll(file.descriptor(), piece, path));
      left -= static_cast<int64_t>(piece.size());
    }
    digests_[entry.path] = digest.TakeHex();
    const timespec modified = absl::ToTimespec(entry.modified);
    const timespec times[] = {modified, modified};
    // Users see the times of matrices. An error here does not matter.
    futimens(file.descriptor(), times);
    return SkipPadding(entry);
  }

  absl::Status SkipPadding(const TarEntry& entry) {
    VRP_ASSIGN_OR_RETURN(const std::string zeros, Read(TarPadding(entry.size)));
    if (zeros.size() < TarPadding(entry.size)) return TruncatedError(Concat("after ", entry.path));
    if (zeros.find_first_not_of('\0') == std::string::npos) return absl::OkStatus();
    return absl::DataLossError(
        Concat("after ", entry.path,
               ": got other padding than zeros; the archive is damaged: copy it again"));
  }

  // Reads up to `bytes` bytes. Returns fewer only at the end of the archive.
  absl::StatusOr<std::string> Read(size_t bytes) {
    VRP_RETURN_IF_ERROR(StopStatus(stop_.Check()));
    std::string data(bytes, '\0');
    size_t used = 0;
    while (used < bytes) {
      const ssize_t got = read(archive_.descriptor(), data.data() + used, bytes - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return absl::ErrnoToStatus(errno, "read");
      if (got == 0) break;
      used += static_cast<size_t>(got);
    }
    data.resize(used);
    return data;
  }

  const OpenFile archive_;
  const std::string directory_;
  const WatchFn watch_;
  const StopCondition stop_;
  UnpackedBackup backup_;
  std::map<std::string, std::string> digests_;  // digests by path, until CheckSums compares them
  bool has_sums_ = false;
};

}  // namespace

absl::Status CheckBackupPath(std::string_view path) {
  const absl::Status refused =
      absl::InvalidArgumentError(Concat(Quoted(path), ": is not a path of a backup of vrpd"));
  if (path.empty() || path.size() > kMaxPathBytes || !IsPrintableUtf8(path)) return refused;
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(path), '/');
  for (const std::string& part : parts) {
    if (part.empty() || part == "." || part == "..") return refused;
  }
  const auto is_first = [&](std::string_view name) { return name == parts.front(); };
  const bool known = parts.size() == 1
                         ? std::any_of(std::begin(kFiles), std::end(kFiles), is_first)
                         : std::any_of(std::begin(kFolders), std::end(kFolders), is_first);
  return known ? absl::OkStatus() : refused;
}

absl::StatusOr<UnpackedBackup> UnpackBackup(const std::string& archive,
                                            const std::string& directory, const WatchFn& watch,
                                            const StopCondition& stop) {
  OpenFile file(open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) return absl::ErrnoToStatus(errno, "open");
  return BackupReader(std::move(file), directory, watch, stop).Run();
}

}  // namespace vrp
