#include "core/device/cpu_info.h"

#include <cpuid.h>

#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "core/base/number.h"

namespace vrp {
namespace {

// /proc files have no size to ask for; 1 MiB is far more than what is looked for needs.
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

// The register states that the operating system saves (XCR0).
uint64_t EnabledStates() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
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

bool CpuHasBf16() {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  constexpr uint32_t kOsSaves = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsSaves) == 0) return false;
  const uint64_t states = EnabledStates();
  constexpr uint64_t kAvx512States = 0xE6;   // SSE, AVX, opmask, upper ZMM
  constexpr uint64_t kAmxStates = 3u << 17;  // tile configuration and data
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr uint32_t kAmxBf16 = 1u << 22;
  if ((d & kAmxBf16) != 0 && (states & kAmxStates) == kAmxStates) return true;
  if (a < 1 || __get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  constexpr uint32_t kAvx512Bf16 = 1u << 5;
  return (a & kAvx512Bf16) != 0 && (states & kAvx512States) == kAvx512States;
}

namespace {

DeviceInfo ReadCpu() {
  DeviceInfo info;
  const std::string processors = ReadProc("/proc/cpuinfo");
  const std::string memory = ReadProc("/proc/meminfo");
  info.name = std::string(ProcValue(processors, "model name"));
  if (info.name.empty()) info.name = "CPU";
  info.memory_bytes = ProcBytes(ProcValue(memory, "MemTotal"));
  info.bf16 = CpuHasBf16();
  info.amp = info.bf16;  // emulated bf16 is slower than fp32
  return info;
}

}  // namespace

DeviceInfo DescribeCpu() {
  static const DeviceInfo info = ReadCpu();  // cpuid and two files: a third of a millisecond
  return info;
}

}  // namespace vrp
