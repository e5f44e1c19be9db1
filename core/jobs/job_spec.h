// The specification of a training job, and the device and threads on which it runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace vrp {

// The specification of a training job, as submitted.
struct JobSpec {
  std::string config_name = {};  // name of the configuration file, for errors
  std::string config_yaml = {};
  std::vector<std::string> overrides = {};  // such as "training.epochs=3"
  std::string device = "auto";              // empty: the daemon's default
  int32_t priority = 0;  // higher ones start first, but after stop_requested jobs
  std::map<std::string, std::string> labels = {};
  absl::Duration time_limit = absl::InfiniteDuration();  // limit of Job::run_time
  int64_t epoch_limit = 0;                               // 0: no limit
  std::string sweep = {};   // sweep of which the job is a trial, "sweeps/{id}"; empty: none
  int32_t trial = 0;        // the trial's number, from 1
  int64_t pause_epoch = 0;  // epoch after which the trial waits for a selection; see held_trial.h
  int32_t threads = 0;      // of the host; 0: the daemon's share (see TrainingPlaces::ThreadsFor)

  bool operator==(const JobSpec&) const = default;
};

// The device and the threads of a training job's runs. A resumed run keeps them, because runs on
// another number of threads round differently.
struct RunPlace {
  std::string device;   // "cpu", "cuda:0"; empty before the first run
  int32_t threads = 0;  // 0: before the first run, or an earlier version did not record it

  bool operator==(const RunPlace&) const = default;
};

}  // namespace vrp
