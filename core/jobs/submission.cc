#include "core/jobs/submission.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/registry/model_folder.h"
#include "core/train/config/yaml_tree.h"

namespace vrp {
namespace {

constexpr size_t kMaxConfigNameBytes = 256;
constexpr size_t kMaxOverrides = 1000;  // maximum number of overrides
constexpr size_t kMaxOverrideBytes = 4096;
constexpr size_t kMaxDeviceBytes = 32;
constexpr size_t kMaxRequestIdBytes = 64;
constexpr size_t kCheckDigits = 8;      // hex digits of a page token's checksum
constexpr int32_t kMaxPriority = 1000;  // maximum absolute value
constexpr absl::Duration kMinTimeLimit = absl::Seconds(1);
constexpr absl::Duration kMaxTimeLimit = absl::Hours(24 * 365 * 10);
constexpr size_t kMaxLabels = 32;      // maximum number of labels of a job or a filter
constexpr size_t kMaxLabelBytes = 63;  // maximum size of a label's key, and of its value

constexpr std::string_view kLabelKeyCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";

absl::Status InvalidUnlessEmpty(const std::vector<std::string>& errors) {
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

absl::StatusOr<TrainingConfig> ReadConfig(const JobSpec& spec) {
  VRP_ASSIGN_OR_RETURN(TrainingConfig config,
                       ParseTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides));
  const absl::Status name = CheckModelName(config.name);
  if (name.ok()) return config;
  return absl::InvalidArgumentError(Concat(spec.config_name, ": name: ", FromAbsl(name.message())));
}

}  // namespace

absl::Status CheckSizes(const JobSpec& spec) {
  std::vector<std::string> errors;
  const auto check = [&](const std::string& field, std::string_view text, size_t max_bytes) {
    if (text.size() > max_bytes) {
      errors.push_back(Concat(field, ": has ", text.size(), " bytes, wanted at most ", max_bytes));
    } else if (field != "config_yaml" && !IsPrintableUtf8(text)) {
      errors.push_back(Concat(field, ": got ", Quoted(text), ", wanted printable UTF-8"));
    }
  };
  check("config_yaml", spec.config_yaml, kMaxYamlBytes);
  check("config_name", spec.config_name, kMaxConfigNameBytes);
  check("device", spec.device, kMaxDeviceBytes);
  if (spec.overrides.size() > kMaxOverrides) {
    errors.push_back(Concat("overrides: has ", spec.overrides.size(), " entries, wanted at most ",
                            kMaxOverrides));
  }
  for (size_t i = 0; i < std::min(spec.overrides.size(), kMaxOverrides); ++i) {
    check(Concat("overrides[", i, "]"), spec.overrides[i], kMaxOverrideBytes);
  }
  return InvalidUnlessEmpty(errors);
}

absl::Status CheckLimits(const JobSpec& spec) {
  std::vector<std::string> errors;
  if (spec.priority < -kMaxPriority || spec.priority > kMaxPriority) {
    errors.push_back(
        Concat("priority: got ", spec.priority, ", wanted -", kMaxPriority, " to ", kMaxPriority));
  }
  if (spec.time_limit < kMinTimeLimit ||
      (spec.time_limit > kMaxTimeLimit && spec.time_limit != absl::InfiniteDuration())) {
    errors.push_back(Concat("time_limit: got ", absl::FormatDuration(spec.time_limit), ", wanted ",
                            absl::FormatDuration(kMinTimeLimit), " to ",
                            absl::FormatDuration(kMaxTimeLimit), ", or none"));
  }
  if (spec.epoch_limit < 0) {
    errors.push_back(
        Concat("epoch_limit: got ", spec.epoch_limit, ", wanted 1 or more, or 0 for none"));
  }
  if (spec.threads < 0) {
    errors.push_back(
        Concat("threads: got ", spec.threads, ", wanted 1 or more, or 0 for the daemon's share"));
  }
  return InvalidUnlessEmpty(errors);
}

absl::Status CheckLabels(const std::map<std::string, std::string>& labels) {
  std::vector<std::string> errors;
  if (labels.size() > kMaxLabels) {
    return absl::InvalidArgumentError(
        Concat("labels: has ", labels.size(), " entries, wanted at most ", kMaxLabels));
  }
  for (const auto& [key, value] : labels) {
    if (key.empty() || key.size() > kMaxLabelBytes ||
        key.find_first_not_of(kLabelKeyCharacters) != std::string::npos) {
      errors.push_back(Concat("labels: got the key ", Quoted(key), ", wanted 1 to ", kMaxLabelBytes,
                              " characters of a-z A-Z 0-9 . _ / -"));
    } else if (value.size() > kMaxLabelBytes || !IsPrintableUtf8(value)) {
      errors.push_back(Concat("labels: got ", Quoted(value), " for ", key, ", wanted at most ",
                              kMaxLabelBytes, " bytes of printable UTF-8"));
    }
  }
  return InvalidUnlessEmpty(errors);
}

absl::StatusOr<TrainingConfig> ValidateSpec(const JobSpec& spec) {
  std::vector<std::string> errors;
  const auto add_error = [&errors](const absl::Status& status) {
    if (!status.ok()) errors.emplace_back(status.message());
  };
  const absl::Status sizes = CheckSizes(spec);
  add_error(sizes);
  add_error(CheckLimits(spec));
  add_error(CheckLabels(spec.labels));
  if (sizes.ok()) {
    absl::StatusOr<TrainingConfig> config = ReadConfig(spec);
    const bool no_other_error = errors.empty();
    if (no_other_error && !absl::IsInvalidArgument(config.status())) return config;
    add_error(config.status());
    if (!spec.device.empty()) add_error(ResolveDevice(spec.device).status());
  }
  return InvalidUnlessEmpty(errors);
}

absl::StatusOr<TrainingConfig> ParseStoredConfig(const JobSpec& spec) {
  return ParseTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides,
                             ConfigOrigin::kKept);
}

absl::Status CheckRequestId(std::string_view request_id) {
  if (request_id.size() <= kMaxRequestIdBytes && IsPrintableUtf8(request_id))
    return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("request_id: got ", Quoted(request_id),
                                           ", wanted at most ", kMaxRequestIdBytes,
                                           " bytes of printable UTF-8"));
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
