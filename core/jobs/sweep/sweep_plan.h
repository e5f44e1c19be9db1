// A checked sweep, as the store keeps it: the base configuration and the settings of each trial.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "core/jobs/job_manager.h"
#include "core/jobs/sweep/sweep_file.h"
#include "core/jobs/sweep/sweep_schedule.h"
#include "core/jobs/sweep/sweep_trials.h"

namespace vrp {

// A sweep as its user submits it.
struct SweepRequest {
  std::string sweep_yaml;
  std::string sweep_name;  // name of the file, for errors
  // The base configuration, the overrides that all trials share, the device and the limits of each
  // trial. An empty config_yaml means that the file contains the base configuration.
  JobSpec base = {};
};

// A sweep whose trials were all checked.
struct SweepPlan {
  std::string name;  // of the model that the sweep publishes
  SweepMethod method = SweepMethod::kGrid;
  uint64_t seed = 0;              // of the draws
  std::vector<std::string> keys;  // in the order of the settings of each trial
  std::vector<TrialSettings> trials;
  std::vector<int64_t> selections;  // epochs after which only the best trials go on
  int32_t factor = 1;
  JobSpec base;
  std::set<std::string> datasets = {};  // that trials read; not part of the stored form

  SweepShape Shape() const {
    return {
        .trials = static_cast<int32_t>(trials.size()), .selections = selections, .factor = factor};
  }
  // Returns the job of a trial, counted from 0, of the sweep "sweeps/{id}".
  JobSpec TrialSpec(std::string_view sweep, size_t trial) const;
};

// Checks a configuration beyond what JobManager checks.
using ConfigCheck = absl::FunctionRef<absl::Status(const TrainingConfig&)>;

// Reads a sweep and checks each trial like a submitted job. `seed` is that of the draws if the file
// states none. Returns all errors of the file, else those of the keys' values, else those of the
// first wrong trial, one per line: `sweep.yaml:7: keys.training.learning_rate.min: got ...`,
// `trial 3 (training.epochs=2): ...`. Also refuses two trials with equal settings, and keys that
// change what the validation measures, because trials are compared by it. Blocks.
absl::StatusOr<SweepPlan> MakeSweepPlan(const SweepRequest& request, const JobManager& jobs,
                                        ConfigCheck check, uint64_t seed);

// Returns a text that equal requests share.
std::string WriteSweepRequest(const SweepRequest& request);

// Writes and reads the stored form. `source` names the store in errors.
std::string WriteSweepPlan(const SweepPlan& plan);
absl::StatusOr<SweepPlan> ParseSweepPlan(std::string_view text, std::string_view source);

}  // namespace vrp
