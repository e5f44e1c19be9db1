#include "core/jobs/sweep/sweep_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "core/jobs/sweep/sweep_trials.h"
#include "core/train/config/training_config.h"

namespace vrp {
namespace {

constexpr std::string_view kIncomparable =
    "cannot vary: it changes what the validation measures, so that the costs of trials could not "
    "be compared";

// Keys that decide on which days, routes or instances a trial is validated.
constexpr std::array<std::string_view, 11> kValidatedKeys = {"dispatch.sites",
                                                             "dispatch.log",
                                                             "dispatch.requests_per_epoch",
                                                             "dispatch.epoch",
                                                             "dispatch.margin",
                                                             "estimate.min_customers",
                                                             "estimate.max_customers",
                                                             "estimate.windows",
                                                             "estimate.validation_iterations",
                                                             "estimate.validation_seconds",
                                                             "habits.history"};

// Keys of `problem` that do not change the instances of the validation.
constexpr std::array<std::string_view, 4> kTrainingOnlyKeys = {
    "problem.seed", "problem.augment", "problem.demand_jitter", "problem.features"};

template <typename List>
bool Contains(const List& list, std::string_view path) {
  return std::find(list.begin(), list.end(), path) != list.end();
}

// Returns why the key cannot be varied; empty if it can.
std::string_view RefusalReason(const SweepFile& file, std::string_view path, bool own_validation) {
  if (path == "name") return "cannot vary: a sweep publishes one model; state its name as `name`";
  if (path == "training.epochs" && file.method == SweepMethod::kSuccessiveHalving) {
    return "cannot vary with successive_halving, which decides how long each trial trains";
  }
  const absl::string_view text = ToAbsl(path);
  if (absl::StartsWith(text, "validation.") || Contains(kValidatedKeys, path)) {
    return kIncomparable;
  }
  const bool changes_instances =
      absl::StartsWith(text, "problem.") && !Contains(kTrainingOnlyKeys, path);
  return changes_instances && !own_validation ? kIncomparable : "";
}

// Returns the overrides of a trial with the first values of all keys, except `value` for `varied`.
std::vector<std::string> OverridesWith(const SweepFile& file, const JobSpec& base,
                                       const SweepKey& varied, const std::string& value) {
  std::vector<std::string> overrides = base.overrides;
  for (const SweepKey& key : file.keys) {
    const std::string used = &key == &varied ? value : ExtremeValues(key).front();
    overrides.push_back(Concat(key.path, "=", used));
  }
  return overrides;
}

// Adds the errors of a configuration that name the key.
void AddErrorsOf(const SweepKey& key, std::string_view part, const absl::Status& status,
                 std::vector<std::string>& errors) {
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    absl::string_view text = line;
    // Unknown keys are quoted. They are wrong with every value.
    const bool unknown = absl::ConsumePrefix(&text, Concat("--set: ", Quoted(key.path), ": "));
    if (!unknown && !absl::ConsumePrefix(&text, Concat("--set: ", key.path, ": "))) continue;
    std::string error = Concat(key.where, ": keys.", key.path, unknown ? "" : part, ": ", text);
    if (errors.empty() || errors.back() != error) errors.push_back(std::move(error));
  }
}

}  // namespace

absl::Status CheckSweepKeys(const SweepFile& file, const JobSpec& base) {
  std::vector<std::string> errors;
  // Whether the validation has instances of its own, which the problem's keys do not change.
  const auto stated = TrainingSettings(base.config_yaml, base.config_name, base.overrides);
  const bool own_validation = stated.ok() && stated->contains("validation.file");
  for (const SweepKey& key : file.keys) {
    const std::string_view reason = RefusalReason(file, key.path, own_validation);
    if (!reason.empty()) {
      errors.push_back(Concat(key.where, ": keys.", key.path, ": ", reason));
      continue;
    }
    const std::vector<std::string> values = ExtremeValues(key);
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string part =
          key.range.has_value() ? (i == 0 ? ".min" : ".max") : Concat(".values[", i, "]");
      const auto config = ParseTrainingConfig(base.config_yaml, base.config_name,
                                              OverridesWith(file, base, key, values[i]));
      if (!config.ok()) AddErrorsOf(key, part, config.status(), errors);
    }
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

}  // namespace vrp
