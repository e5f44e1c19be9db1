#include "core/jobs/submission.h"

#include <limits>
#include <optional>

#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/registry/model_folder.h"

namespace vrp {
namespace {

constexpr size_t kMaxConfigBytes = 256 << 10;
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxOverrides = 256;
constexpr size_t kMaxOverrideBytes = 4096;
constexpr size_t kMaxRequestIdBytes = 64;
constexpr size_t kCheckDigits = 8;

absl::Status CheckSize(std::string_view what, size_t got, size_t wanted) {
  if (got <= wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(what, ": got ", got, ", wanted at most ", wanted));
}

absl::Status CheckSizes(const JobSpec& spec) {
  VRP_RETURN_IF_ERROR(
      CheckSize("bytes of the configuration", spec.config_yaml.size(), kMaxConfigBytes));
  VRP_RETURN_IF_ERROR(
      CheckSize("bytes of the configuration's name", spec.config_name.size(), kMaxNameBytes));
  VRP_RETURN_IF_ERROR(CheckSize("number of overrides", spec.overrides.size(), kMaxOverrides));
  for (const std::string& setting : spec.overrides) {
    VRP_RETURN_IF_ERROR(CheckSize("bytes of an override", setting.size(), kMaxOverrideBytes));
    if (!IsPrintableUtf8(setting)) {
      return absl::InvalidArgumentError(
          Concat("override: got ", Quoted(setting), ", wanted printable UTF-8"));
    }
  }
  if (IsPrintableUtf8(spec.config_name)) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("name of the configuration: got ",
                                           Quoted(spec.config_name), ", wanted printable UTF-8"));
}

}  // namespace

absl::StatusOr<TrainingConfig> ValidateSpec(const JobSpec& spec) {
  VRP_RETURN_IF_ERROR(CheckSizes(spec));
  VRP_ASSIGN_OR_RETURN(TrainingConfig config,
                       ParseTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides));
  const absl::Status name = CheckModelName(config.name);
  if (!name.ok())
    return absl::InvalidArgumentError(
        Concat(spec.config_name, ": name: ", FromAbsl(name.message())));
  const absl::Status device =
      spec.device.empty() ? absl::OkStatus() : ResolveDevice(spec.device).status();
  if (absl::IsInvalidArgument(device)) return device;
  return config;
}

absl::Status CheckRequestId(std::string_view request_id) {
  if (request_id.size() <= kMaxRequestIdBytes && IsPrintableUtf8(request_id))
    return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("request_id: got ", Quoted(request_id),
                                           ", wanted at most ", kMaxRequestIdBytes,
                                           " printable characters"));
}

std::string WritePageToken(int64_t job_number) {
  return Concat(job_number, "-",
                Sha256Hex(Concat("jobs page ", job_number)).substr(0, kCheckDigits));
}

absl::StatusOr<int64_t> ParsePageToken(std::string_view token) {
  if (token.empty()) return std::numeric_limits<int64_t>::max();
  const std::optional<int64_t> number = ParseInteger(token.substr(0, token.find('-')));
  if (number && token == WritePageToken(*number)) return *number;
  return absl::InvalidArgumentError(
      Concat("page_token: got ", Quoted(token),
             ", wanted the next_page_token of an earlier answer, or none"));
}

}  // namespace vrp
