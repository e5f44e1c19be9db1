#include "core/device/device.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// The driver that CUDA 13 requires. The CUDA preset builds with CUDA 13.
constexpr char kRequiredDriver[] = "driver 580 or newer";

std::string VersionName(int32_t version) {
  return Concat(version / 1000, ".", version % 1000 / 10);
}

// Returns the index in "cuda:N", or 0 for "cuda"; nullopt for other words and an N above 1023.
std::optional<int32_t> CudaIndex(std::string_view text) {
  if (text == "cuda") return 0;
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<int64_t> index = ParseInteger(text);
  if (!index.has_value() || *index > 1023) return std::nullopt;
  return static_cast<int32_t>(*index);
}

}  // namespace

std::string DeviceId::ToString() const {
  return kind == DeviceKind::kCpu ? "cpu" : Concat("cuda:", index);
}

std::string GpuUuid(std::span<const uint8_t, 16> bytes) {
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto part = [&](size_t first, size_t digits) { return hex.substr(first, digits); };
  return Concat("GPU-", part(0, 8), "-", part(8, 4), "-", part(12, 4), "-", part(16, 4), "-",
                part(20, 12));
}

std::string ExplainMissingCuda(const CudaVersions& versions, std::string_view error) {
  if (versions.built == 0) return "this program was built without CUDA: see ./dev build cuda";
  if (versions.driver == 0) return Concat("no NVIDIA driver answers; wanted ", kRequiredDriver);
  if (versions.driver / 1000 < versions.built / 1000) {
    return Concat("the NVIDIA driver is too old: it supports CUDA ", VersionName(versions.driver),
                  ", this program is built with ", VersionName(versions.built), "; wanted ",
                  kRequiredDriver);
  }
  return error.empty() ? "the NVIDIA driver reports no device" : Concat("CUDA reports: ", error);
}

std::string JoinDeviceIds(const std::vector<DeviceInfo>& devices) {
  std::string names;
  for (const DeviceInfo& device : devices) {
    if (!names.empty()) names += ", ";
    names += device.id.ToString();
  }
  return names;
}

absl::StatusOr<DeviceId> ResolveDevice(std::string_view text) {
  return ResolveDevice(text, ListDevices());
}

absl::StatusOr<DeviceId> ResolveDevice(std::string_view text,
                                       const std::vector<DeviceInfo>& devices) {
  if (text == "cpu") return DeviceId{};
  if (text == "auto") return devices.size() > 1 ? devices[1].id : devices[0].id;
  const std::optional<int32_t> index = CudaIndex(text);
  if (!index.has_value()) {
    return absl::InvalidArgumentError(
        Concat("device: got ", Quoted(text),
               R"(, wanted "auto", "cpu", "cuda" or "cuda:N", N up to 1023)"));
  }
  const DeviceId wanted{DeviceKind::kCuda, *index};
  for (const DeviceInfo& device : devices) {
    if (device.id == wanted) return wanted;
  }
  const std::string why = devices.size() > 1 ? "" : ExplainMissingCuda();
  return absl::FailedPreconditionError(
      Concat("device: ", wanted.ToString(), " does not exist; this machine has ",
             JoinDeviceIds(devices), why.empty() ? "" : "; ", why));
}

}  // namespace vrp
