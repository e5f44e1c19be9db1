#include "core/jobs/backup/backup_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/backup/backup_index.h"
#include "core/jobs/backup/ustar.h"

namespace vrp {
namespace {

constexpr size_t kDigestDigits = 64;  // number of hex digits of a SHA-256

// Returns the bytes of a file of `size` bytes in the archive: header, content and padding.
int64_t ArchiveBytes(int64_t size) {
  return static_cast<int64_t>(kTarBlockBytes + TarPadding(size)) + size;
}

std::string SumLine(std::string_view digest, std::string_view path) {
  return Concat(digest, "  ", path, "\n");
}

size_t SumLineBytes(std::string_view path) { return kDigestDigits + 3 + path.size(); }

}  // namespace

absl::StatusOr<std::unique_ptr<BackupStream>> BackupStream::Open(const BackupSources& sources) {
  VRP_ASSIGN_OR_RETURN(StateSnapshot snapshot, TakeSnapshot(sources));
  for (const SnapshotFile& file : snapshot.files) {
    const TarEntry entry{.path = file.path, .size = file.size};
    VRP_RETURN_IF_ERROR(WriteTarHeader(entry).status());
  }
  return std::unique_ptr<BackupStream>(new BackupStream(std::move(snapshot), sources));
}

BackupStream::BackupStream(StateSnapshot snapshot, const BackupSources& sources)
    : snapshot_(std::move(snapshot)),
      created_(sources.clock->Now()),
      index_(WriteBackupIndex({.program = sources.program, .created = created_})) {
  size_t sums = SumLineBytes(kBackupIndexFile);
  total_bytes_ = ArchiveBytes(static_cast<int64_t>(index_.size())) + 2 * kTarBlockBytes;
  for (const SnapshotFile& file : snapshot_.files) {
    sums += SumLineBytes(file.path);
    total_bytes_ += ArchiveBytes(file.size);
  }
  total_bytes_ += ArchiveBytes(static_cast<int64_t>(sums));
}

absl::StatusOr<std::string> BackupStream::Next() {
  while (pending_.size() < kPieceBytes && !sums_written_) {
    if (!index_written_) {
      index_written_ = true;
      VRP_RETURN_IF_ERROR(AddText(kBackupIndexFile, index_));
      sums_ += SumLine(Sha256Hex(index_), kBackupIndexFile);
    } else if (remaining_ > 0) {
      VRP_RETURN_IF_ERROR(ReadPart());
    } else if (file_ < snapshot_.files.size()) {
      VRP_RETURN_IF_ERROR(AddNextFile());
    } else {
      VRP_RETURN_IF_ERROR(AddText(kBackupSumsFile, sums_));
      pending_.append(2 * kTarBlockBytes, '\0');
      sums_written_ = true;
    }
  }
  const size_t bytes = std::min(pending_.size(), kPieceBytes);
  std::string piece = pending_.substr(0, bytes);
  pending_.erase(0, bytes);
  return piece;
}

absl::Status BackupStream::AddText(std::string_view path, const std::string& content) {
  const TarEntry entry{.path = std::string(path),
                       .size = static_cast<int64_t>(content.size()),
                       .modified = created_};
  VRP_ASSIGN_OR_RETURN(const std::string header, WriteTarHeader(entry));
  pending_ += header;
  pending_ += content;
  pending_.append(TarPadding(entry.size), '\0');
  return absl::OkStatus();
}

absl::Status BackupStream::AddNextFile() {
  const SnapshotFile& file = snapshot_.files[file_++];
  VRP_ASSIGN_OR_RETURN(
      const std::string header,
      WriteTarHeader(
          {.path = file.path, .size = file.size, .mode = file.mode, .modified = file.modified}));
  pending_ += header;
  remaining_ = file.size;
  return remaining_ > 0 ? absl::OkStatus() : ReadPart();
}

absl::Status BackupStream::ReadPart() {
  const SnapshotFile& file = snapshot_.files[file_ - 1];
  std::string part(static_cast<size_t>(std::min<int64_t>(remaining_, kPieceBytes)), '\0');
  if (!part.empty()) {
    const ssize_t got =
        pread(file.file.descriptor(), part.data(), part.size(), file.size - remaining_);
    if (got < 0 && errno == EINTR) return absl::OkStatus();
    if (got <= 0) {
      return absl::UnavailableError(Concat(
          file.path, ": cannot be read: ", got < 0 ? std::strerror(errno) : "it became shorter"));
    }
    part.resize(static_cast<size_t>(got));
  }
  digest_.Add(part);
  pending_ += part;
  remaining_ -= static_cast<int64_t>(part.size());
  if (remaining_ > 0) return absl::OkStatus();
  pending_.append(TarPadding(file.size), '\0');
  sums_ += SumLine(digest_.TakeHex(), file.path);
  return absl::OkStatus();
}

}  // namespace vrp
