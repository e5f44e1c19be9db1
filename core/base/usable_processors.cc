#include "core/base/usable_processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Returns the processors of a quota of microseconds per period; nullopt if there is no limit.
std::optional<int32_t> ProcessorsOf(std::string_view quota, std::string_view period) {
  const double allowed = ParseNumber(quota).value_or(0);
  const double length = ParseNumber(period).value_or(0);
  if (allowed <= 0 || length <= 0 || allowed / length > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(std::ceil(allowed / length));
}

std::optional<int32_t> LimitOfGroup(const std::string& folder, bool is_version_2) {
  if (!is_version_2) {
    return ProcessorsOf(FirstLine(Concat(folder, "/cpu.cfs_quota_us")),
                        FirstLine(Concat(folder, "/cpu.cfs_period_us")));
  }
  const std::vector<std::string> words = absl::StrSplit(FirstLine(Concat(folder, "/cpu.max")), ' ');
  return words.size() == 2 ? ProcessorsOf(words[0], words[1]) : std::nullopt;
}

// Returns the smallest limit of the group at `path` below `root` and of its parents.
std::optional<int32_t> LimitOfGroups(std::string path, const std::string& root, bool is_version_2) {
  std::optional<int32_t> least;
  while (true) {
    const std::optional<int32_t> limit = LimitOfGroup(root + path, is_version_2);
    if (limit.has_value()) least = std::min(*limit, least.value_or(*limit));
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

bool NamesCpu(const std::string& controllers) {
  const std::vector<std::string> names = absl::StrSplit(controllers, ',');
  return std::ranges::find(names, "cpu") != names.end();
}

}  // namespace

std::optional<int32_t> ProcessorLimit(const std::string& membership, const std::string& root) {
  std::optional<int32_t> least;
  // Lines such as "0::/user.slice" (version 2) and "4:cpu,cpuacct:/docker/1f" (version 1).
  for (const absl::string_view line : absl::StrSplit(membership, '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool is_version_2 = parts[1].empty();
    if (!is_version_2 && !NamesCpu(parts[1])) continue;
    const std::string folder = is_version_2 ? root : Concat(root, "/", parts[1]);
    const auto limit = LimitOfGroups(parts[2] == "/" ? "" : parts[2], folder, is_version_2);
    if (limit.has_value()) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

int32_t UsableProcessors() {
  // The C library counts the processors of the affinity.
  const auto processors = std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
  std::ifstream file("/proc/self/cgroup");
  const std::string membership((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
  return std::min(processors, ProcessorLimit(membership, "/sys/fs/cgroup").value_or(processors));
}

}  // namespace vrp
