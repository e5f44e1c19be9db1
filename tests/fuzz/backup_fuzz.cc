// Fuzzes backups. If the input begins with F, the framed paths and contents that follow become an
// archive with correct headers and checksums. Otherwise the input is an archive.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/jobs/backup/backup_index.h"
#include "core/jobs/backup/unpack.h"
#include "core/jobs/backup/ustar.h"
#include "tests/fuzz/framed.h"
#include "tests/fuzz/scratch_folder.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Adds a file unless tar has no header for its path.
void AddFile(std::string_view path, std::string_view content, std::string& archive) {
  const absl::StatusOr<std::string> header =
      WriteTarHeader({.path = std::string(path), .size = static_cast<int64_t>(content.size())});
  if (!header.ok()) return;
  archive += *header;
  archive += content;
  archive.append(TarPadding(static_cast<int64_t>(content.size())), '\0');
}

std::string ArchiveOf(std::string_view rest) {
  std::string archive, sums;
  while (const auto path = fuzz::TakeFramed(rest)) {
    const std::string_view content = fuzz::TakeFramed(rest).value_or("");
    AddFile(*path, content, archive);
    sums += Concat(Sha256Hex(content), "  ", *path, "\n");
  }
  AddFile(kBackupSumsFile, sums, archive);
  return archive.append(2 * kTarBlockBytes, '\0');
}

// Checks that the folder has as many files as the archive, only regular ones, and no more bytes.
void CheckUnpacked(const fs::path& folder, const UnpackedBackup& unpacked) {
  int64_t files = 2;  // includes index and checksums
  int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    if (!entry.is_regular_file()) std::abort();
    ++files;
    bytes += static_cast<int64_t>(entry.file_size());
  }
  if (files != unpacked.files || bytes > unpacked.bytes) std::abort();
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool framed = text.starts_with('F');
  const std::string archive =
      vrp::fuzz::WriteScratch("backup/archive", framed ? vrp::ArchiveOf(text.substr(1)) : text);
  const std::filesystem::path folder = vrp::fuzz::ScratchFolder() / "backup" / "unpacked";
  std::filesystem::create_directories(folder);
  const auto unpacked = vrp::UnpackBackup(archive, folder.string());
  if (unpacked.ok()) vrp::CheckUnpacked(folder, *unpacked);
  std::filesystem::remove_all(folder);
  // Checks that nothing is outside the folder.
  for (const auto& entry : std::filesystem::directory_iterator(folder.parent_path())) {
    if (entry.path().filename() != "archive") std::abort();
  }
  return 0;
}
