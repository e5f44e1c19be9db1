#include "core/device/cpu_info.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "core/base/isa.h"
#include "core/base/number.h"

namespace vrp {
namespace {

// Returns the start of a /proc file. Such files report no size, and 1 MiB is more than any key here
// needs.
std::string ReadProc(const char* path) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  std::ifstream file(path);
  std::string text(kMaxBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

std::string_view ProcValue(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && Trim(line.substr(0, colon)) == key) {
      return Trim(line.substr(colon + 1));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

int64_t ProcBytes(std::string_view value) {
  constexpr std::string_view kUnit = " kB";
  if (!value.ends_with(kUnit)) return 0;
  value.remove_suffix(kUnit.size());
  const std::optional<int64_t> kilobytes = ParseInteger(value);
  if (!kilobytes.has_value() || *kilobytes < 0) return 0;
  if (*kilobytes > std::numeric_limits<int64_t>::max() / 1024) return 0;
  return *kilobytes * 1024;
}

namespace {

DeviceInfo ReadCpuInfo() {
  DeviceInfo info;
  const std::string processors = ReadProc("/proc/cpuinfo");
  const std::string memory = ReadProc("/proc/meminfo");
  info.name = std::string(ProcValue(processors, "model name"));
  if (info.name.empty()) info.name = "CPU";
  info.memory_bytes = ProcBytes(ProcValue(memory, "MemTotal"));
  info.bf16 = std::any_of(RunnableBf16().begin(), RunnableBf16().end(), IsNative);
  info.amp = IsNative(UsableBf16());
  return info;
}

}  // namespace

int64_t ReadAvailableMemory() {
  const std::string memory = ReadProc("/proc/meminfo");
  return ProcBytes(ProcValue(memory, "MemAvailable"));
}

DeviceInfo DescribeCpu() {
  static const DeviceInfo info = ReadCpuInfo();  // takes a third of a millisecond
  return info;
}

}  // namespace vrp
