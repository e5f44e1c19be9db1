#include "core/jobs/sweep/sweep_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/sweep/sweep_keys.h"
#include "core/train/config/data_files.h"

namespace vrp {
namespace {

// Makes a plan and checks its trials.
class Planner {
 public:
  Planner(const SweepRequest& request, const JobManager& jobs, ConfigCheck check)
      : request_(request), jobs_(jobs), check_(check) {}

  absl::StatusOr<SweepPlan> Plan(uint64_t seed) && {
    VRP_ASSIGN_OR_RETURN(file_, ParseSweepFile(request_.sweep_yaml, request_.sweep_name));
    VRP_RETURN_IF_ERROR(TakeBase());
    VRP_RETURN_IF_ERROR(CheckSweepKeys(file_, plan_.base));
    plan_.method = file_.method;
    plan_.seed = file_.seed.value_or(file_.draws() ? seed : 0);
    for (const SweepKey& key : file_.keys) plan_.keys.push_back(key.path);
    VRP_ASSIGN_OR_RETURN(plan_.trials, ExpandTrials(file_, plan_.seed, request_.sweep_name));
    VRP_RETURN_IF_ERROR(CheckTrials());
    return std::move(plan_);
  }

 private:
  absl::Status TakeBase() {
    plan_.base = request_.base;
    const bool is_sent = !plan_.base.config_yaml.empty();
    if (is_sent && !file_.config_yaml.empty()) {
      return Refusal("config",
                     "contains a configuration, but another one was given too; leave "
                     "one of them out");
    }
    if (!is_sent && file_.config_yaml.empty()) {
      return Refusal("config", file_.names_config
                                   ? "names a configuration, but its text was not sent; write "
                                     "`config: PATH` or `preset: NAME` on a line of its own"
                                   : "absent, wanted the path of a training configuration or its "
                                     "keys; or state a preset");
    }
    if (!is_sent) {
      plan_.base.config_yaml = file_.config_yaml;
      plan_.base.config_name = request_.sweep_name;
    }
    return absl::OkStatus();
  }

  absl::Status Refusal(std::string_view field, std::string_view text) const {
    return absl::InvalidArgumentError(Concat(request_.sweep_name, ": ", field, ": ", text));
  }

  // Returns how errors name a trial.
  std::string TrialName(size_t trial) const {
    return Concat("trial ", trial + 1, " (", absl::StrJoin(plan_.trials[trial], " "), ")");
  }

  absl::Status CheckTrials() {
    std::map<std::map<std::string, std::string>, size_t> known;
    for (size_t trial = 0; trial < plan_.trials.size(); ++trial) {
      const absl::Status checked = CheckTrial(trial, known);
      if (absl::IsInvalidArgument(checked)) {
        std::vector<std::string> lines;
        for (const absl::string_view line : absl::StrSplit(checked.message(), '\n')) {
          lines.push_back(Concat(TrialName(trial), ": ", FromAbsl(line)));
        }
        return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
      }
      VRP_RETURN_IF_ERROR(checked);
    }
    return absl::OkStatus();
  }

  absl::Status CheckTrial(size_t trial,
                          std::map<std::map<std::string, std::string>, size_t>& known) {
    if (trial == 0 && plan_.name.empty()) VRP_RETURN_IF_ERROR(TakeNameAndSelections());
    const JobSpec spec = plan_.TrialSpec("", trial);
    VRP_ASSIGN_OR_RETURN(const TrainingConfig config, jobs_.Validate(spec));
    VRP_RETURN_IF_ERROR(check_(config));
    const std::vector<NamedData> data_read = DataReadBy(config);
    for (const NamedData& data : data_read) {
      if (IsDataset(data.name)) plan_.datasets.insert(data.name);
    }
    // Reading the same files for each trial would take long.
    const bool checked = trial > 0 && !data_read.empty() && KeysKeepInputs();
    if (!checked) VRP_RETURN_IF_ERROR(jobs_.CheckStart(spec, config).status());
    VRP_ASSIGN_OR_RETURN(const ResolvedConfig resolved,
                         ResolveTrainingConfig(spec.config_yaml, spec.config_name, spec.overrides));
    const auto [other, added] = known.emplace(resolved.settings, trial);
    if (added) return absl::OkStatus();
    return absl::InvalidArgumentError(Concat("has the same settings as trial ", other->second + 1,
                                             "; state each combination once"));
  }

  // Whether all trials read the same files and models in the same way.
  bool KeysKeepInputs() const {
    return std::all_of(plan_.keys.begin(), plan_.keys.end(), [](const std::string& key) {
      return absl::StartsWith(key, "training.") && key != "training.initial_model" &&
             key != "training.method";
    });
  }

  absl::Status TakeNameAndSelections() {
    plan_.name = file_.name;
    JobSpec spec = plan_.TrialSpec("", 0);
    if (file_.name.empty()) spec.overrides.pop_back();
    VRP_ASSIGN_OR_RETURN(const TrainingConfig config, jobs_.Validate(spec));
    plan_.name = config.name;
    if (file_.method != SweepMethod::kSuccessiveHalving) return absl::OkStatus();
    plan_.factor = file_.factor;
    const int64_t limit = plan_.base.epoch_limit;
    const int64_t epochs = limit > 0 ? std::min(limit, config.epochs) : config.epochs;
    plan_.selections = SelectionEpochs(file_.first_epochs, file_.factor, epochs);
    if (!plan_.selections.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(Concat("first_epochs: got ", file_.first_epochs,
                                             ", wanted less than the ", epochs,
                                             " epochs of a trial"));
  }

  const SweepRequest& request_;
  const JobManager& jobs_;
  const ConfigCheck check_;
  SweepFile file_;
  SweepPlan plan_;
};

}  // namespace

JobSpec SweepPlan::TrialSpec(std::string_view sweep, size_t trial) const {
  JobSpec spec = base;
  spec.overrides.insert(spec.overrides.end(), trials[trial].begin(), trials[trial].end());
  spec.overrides.push_back(Concat("name=", name));
  spec.labels["sweep"] = name;
  spec.labels["trial"] = Concat(trial + 1);
  spec.sweep = sweep;
  spec.trial = static_cast<int32_t>(trial) + 1;
  return spec;
}

absl::StatusOr<SweepPlan> MakeSweepPlan(const SweepRequest& request, const JobManager& jobs,
                                        ConfigCheck check, uint64_t seed) {
  return Planner(request, jobs, check).Plan(seed);
}

}  // namespace vrp
