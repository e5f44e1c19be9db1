#include "core/jobs/submission.h"

#include <cstdlib>
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
constexpr int32_t kMaxPriority = 1000;
constexpr absl::Duration kLeastTimeLimit = absl::Seconds(1);
constexpr absl::Duration kMostTimeLimit = absl::Hours(24 * 365 * 10);
constexpr size_t kMaxLabels = 32;
constexpr size_t kMaxLabelBytes = 63;

absl::Status CheckSize(std::string_view what, size_t got, size_t wanted) {
  if (got <= wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(what, ": got ", got, ", wanted at most ", wanted));
}

constexpr std::string_view kLabelKeyCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";

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

absl::StatusOr<TrainingConfig> ReadConfig(const JobSpec& spec) {
  VRP_ASSIGN_OR_RETURN(TrainingConfig config,
                       ParseTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides));
  const absl::Status name = CheckModelName(config.name);
  if (name.ok()) return config;
  return absl::InvalidArgumentError(Concat(spec.config_name, ": name: ", FromAbsl(name.message())));
}

}  // namespace

absl::Status CheckLimits(const JobSpec& spec) {
  if (std::abs(spec.priority) > kMaxPriority) {
    return absl::InvalidArgumentError(
        Concat("priority: got ", spec.priority, ", wanted -", kMaxPriority, " to ", kMaxPriority));
  }
  if (spec.time_limit < kLeastTimeLimit ||
      (spec.time_limit > kMostTimeLimit && spec.time_limit != absl::InfiniteDuration())) {
    return absl::InvalidArgumentError(Concat("time_limit: got ",
                                             absl::FormatDuration(spec.time_limit), ", wanted ",
                                             absl::FormatDuration(kLeastTimeLimit), " to ",
                                             absl::FormatDuration(kMostTimeLimit), ", or none"));
  }
  if (spec.epoch_limit >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("epoch_limit: got ", spec.epoch_limit, ", wanted 1 or more, or 0 for none"));
}

absl::Status CheckLabels(const std::map<std::string, std::string>& labels) {
  VRP_RETURN_IF_ERROR(CheckSize("number of labels", labels.size(), kMaxLabels));
  for (const auto& [key, value] : labels) {
    if (key.empty() || key.size() > kMaxLabelBytes ||
        key.find_first_not_of(kLabelKeyCharacters) != std::string::npos) {
      return absl::InvalidArgumentError(Concat("labels: got the key ", Quoted(key),
                                               ", wanted 1 to ", kMaxLabelBytes,
                                               " of a-z A-Z 0-9 . _ / -"));
    }
    if (value.size() > kMaxLabelBytes || !IsPrintableUtf8(value)) {
      return absl::InvalidArgumentError(Concat("labels: got ", Quoted(value), " for ", key,
                                               ", wanted at most ", kMaxLabelBytes,
                                               " printable characters"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TrainingConfig> ValidateSpec(const JobSpec& spec) {
  VRP_RETURN_IF_ERROR(CheckSizes(spec));
  VRP_RETURN_IF_ERROR(CheckLimits(spec));
  VRP_RETURN_IF_ERROR(CheckLabels(spec.labels));
  absl::StatusOr<TrainingConfig> config = ReadConfig(spec);
  if (!absl::IsInvalidArgument(config.status()) || spec.device.empty()) return config;
  const absl::Status device = ResolveDevice(spec.device).status();
  if (device.ok()) return config;
  return absl::InvalidArgumentError(
      Concat(FromAbsl(config.status().message()), "\n", FromAbsl(device.message())));
}

absl::StatusOr<TrainingConfig> KeptConfig(const JobSpec& spec) {
  return ParseTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides,
                             ConfigOrigin::kKept);
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
