#include "core/registry/number_file.h"

#include <stdio.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/registry/model_folder.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = 64;

// New names on the way to `folder` are durable too.
absl::Status MakeDurableFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(EnsureDirectory(folder.string()));
  VRP_RETURN_IF_ERROR(SyncPath(folder.parent_path().string()));
  return SyncPath(folder.parent_path().parent_path().string());
}

}  // namespace

absl::StatusOr<int32_t> ReadNumberFile(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return absl::NotFoundError(Concat(path, ": there is no such file"));
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  const std::optional<int64_t> number =
      ParseInteger(FromAbsl(absl::StripTrailingAsciiWhitespace(text)));
  if (number && *number >= 1 && *number <= kMaxModelVersion) return static_cast<int32_t>(*number);
  return absl::DataLossError(
      Concat(path, ": got ", Quoted(text), ", wanted a version's number; set it again"));
}

absl::Status WriteNumberFile(const std::string& path, int32_t number, StagingArea& staging) {
  const fs::path folder = fs::path(path).parent_path();
  VRP_RETURN_IF_ERROR(MakeDurableFolder(folder));
  VRP_ASSIGN_OR_RETURN(const std::string made_in, staging.Add());
  const absl::Cleanup discard = [&] { staging.Remove(made_in); };
  const std::string temporary = Concat(made_in, "/number");
  VRP_RETURN_IF_ERROR(AtomicWriteFile(temporary, Concat(number, "\n")));
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, Concat("rename ", temporary, " to ", path));
  }
  return SyncPath(folder.string());
}

}  // namespace vrp
