#include "client/mcp/folders.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/support/files.h"
#include "client/support/text.h"

namespace vrp::client::mcp {
namespace {

namespace fs = std::filesystem;

bool IsInside(const fs::path& file, const fs::path& folder) {
  const auto [folder_end, file_end] =
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return folder_end == folder.end() && file_end != file.end();
}

}  // namespace

absl::StatusOr<Folders> Folders::Create(const std::vector<std::string>& paths) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const std::string& path : paths) {
    const fs::path folder = fs::canonical(path, error);
    if (error || !fs::is_directory(folder, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--allow-folder: ", path, " is not a folder, wanted an existing one"));
    }
    folders.push_back(folder);
  }
  if (!paths.empty()) return Folders(std::move(folders));
  const fs::path working = fs::canonical(fs::current_path(error), error);
  if (!error && working != working.root_path()) folders.push_back(working);
  return Folders(std::move(folders));
}

std::string Folders::Text() const {
  std::string text;
  for (const fs::path& folder : folders_) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", ToValidUtf8(folder.native()));
  }
  return text.empty() ? "none" : text;
}

absl::StatusOr<std::string> Folders::Read(const std::string& path) const {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(fs::absolute(path, error), error);
  const bool allowed = !error && std::any_of(folders_.begin(), folders_.end(),
                                             [&](const fs::path& f) { return IsInside(file, f); });
  if (!allowed) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, " is outside the allowed folders (", Text(),
                     "); pass the content as text, or ask the user to start the server with "
                     "`vrpctl mcp --allow-folder DIR`"));
  }
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file, wanted one"));
  }
  const absl::Status readable = CheckReadable(file.native());
  if (!readable.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", readable.message()));
  }
  std::ifstream stream(file, std::ios::binary);
  return ReadStream(stream);
}

}  // namespace vrp::client::mcp
