#include "core/registry/number_file.h"

#include <filesystem>
#include <optional>

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

constexpr int64_t kMaxBytes = 64;  // maximum size of a number file

// Creates `folder` and its parents. Flushes the entries of `folder` and its parent to the disk.
absl::Status MakeDurableFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(EnsureDirectory(folder.string()));
  VRP_RETURN_IF_ERROR(SyncPath(folder.parent_path().string()));
  return SyncPath(folder.parent_path().parent_path().string());
}

}  // namespace

absl::StatusOr<int32_t> ReadNumberFile(const std::string& path, std::string_view remedy) {
  std::error_code error;
  if (!fs::exists(path, error)) return absl::NotFoundError(Concat(path, ": there is no such file"));
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  const std::optional<int64_t> number =
      ParseInteger(FromAbsl(absl::StripTrailingAsciiWhitespace(text)));
  if (number && *number >= 1 && *number <= kMaxModelVersion) return static_cast<int32_t>(*number);
  return absl::DataLossError(
      Concat(path, ": got ", Quoted(text), ", wanted a version number; ", remedy));
}

absl::Status WriteNumberFile(const std::string& path, int32_t number, StagingArea& staging) {
  VRP_RETURN_IF_ERROR(MakeDurableFolder(fs::path(path).parent_path()));
  return staging.ReplaceFile(path, Concat(number, "\n"));
}

}  // namespace vrp
