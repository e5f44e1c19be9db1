#include "core/jobs/state_quota.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/text.h"
#include "core/train/run/checkpoint.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownParts = 4;  // maximum number of files and folders that an error names

// Returns the size in bytes of a file, or of all files below a folder. Skips files that are removed
// meanwhile.
int64_t BytesOf(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    const uintmax_t size = fs::file_size(path, error);
    return error ? 0 : static_cast<int64_t>(size);
  }
  int64_t bytes = 0;
  fs::recursive_directory_iterator at(path, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code missing;
    if (!at->is_regular_file(missing)) continue;
    const uintmax_t size = at->file_size(missing);
    if (!missing) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

// A file or folder directly below the state folder.
struct Part {
  std::string name;
  int64_t bytes = 0;
};

// Returns the folder's direct entries with their sizes, the largest first.
std::vector<Part> PartsOf(const std::string& folder) {
  std::vector<Part> parts;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    parts.push_back({at->path().filename().string(), BytesOf(at->path())});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
  return parts;
}

int64_t Sum(const std::vector<Part>& parts) {
  int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes;
  return bytes;
}

std::string Megabytes(int64_t bytes) {
  return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6);
}

// Returns the superseded checkpoints of all jobs, oldest first.
std::vector<std::string> AllSupersededCheckpoints(const StateFolder& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator at(folder.JobsPath(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string checkpoints = folder.CheckpointPath(at->path().filename().string());
    for (std::string& path : SupersededCheckpoints(checkpoints)) {
      std::error_code missing;
      const fs::file_time_type time = fs::last_write_time(path, missing);
      if (!missing) found.emplace_back(time, std::move(path));
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

absl::Status StateQuota::Check(int64_t more) const {
  if (bytes_ <= 0) return absl::OkStatus();
  FreeSpace(more);
  const std::vector<Part> parts = PartsOf(folder_.path());
  const int64_t used = Sum(parts);
  if (used + more <= bytes_) return absl::OkStatus();
  std::string usage;
  for (size_t i = 0; i < std::min(kShownParts, parts.size()); ++i) {
    usage += Concat(i == 0 ? "" : ", ", parts[i].name, " ", Megabytes(parts[i].bytes));
  }
  return absl::ResourceExhaustedError(
      Concat("the state folder: ", Megabytes(used), " used of a quota of ", Megabytes(bytes_), " (",
             usage, ")", more > 0 ? Concat(", and ", Megabytes(more), " more are needed") : "",
             "; delete ended jobs (vrpctl jobs delete), old models, matrices or datasets, or raise "
             "state_quota_mb"));
}

void StateQuota::FreeSpace(int64_t more) const {
  if (bytes_ <= 0) return;
  int64_t used = Sum(PartsOf(folder_.path())) + more;
  if (used <= bytes_) return;
  for (const std::string& path : AllSupersededCheckpoints(folder_)) {
    if (used <= bytes_) return;
    const int64_t freed = BytesOf(path);
    std::error_code error;
    fs::remove_all(path, error);
    if (!error) used -= freed;
  }
}

}  // namespace vrp
