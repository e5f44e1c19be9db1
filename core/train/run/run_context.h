// The request, observer, threads and clock that all parts of a training run share.
#pragma once

#include <cstdint>

#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/exchange/rank_group.h"
#include "core/train/config/training_config.h"
#include "core/train/run/run_clock.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The context of one run, which must outlive the run's parts. Only the training thread may use it,
// except for `pool`.
struct RunContext {
  // Makes a context. All arguments must outlive it.
  RunContext(const TrainingRequest& run_request, const StopCondition& stop_condition,
             TrainingObserver& run_observer)
      : request(run_request),
        config(run_request.config),
        stop(stop_condition),
        observer(run_observer),
        steps_per_epoch(config.StepsPerEpoch()),
        pool(run_request.threads),
        clock(pool),
        ranks(run_request.exchange) {}

  // Returns the number of steps of all epochs.
  int64_t Steps() const { return config.epochs * steps_per_epoch; }
  // Returns the epoch (from 1) of step `step` (from 1).
  int64_t EpochOf(int64_t step) const { return (step - 1) / steps_per_epoch + 1; }

  const TrainingRequest& request;
  const TrainingConfig& config;
  const StopCondition& stop;
  TrainingObserver& observer;
  const int64_t steps_per_epoch;
  CpuPool pool;
  RunClock clock;
  RankGroup ranks;
};

}  // namespace vrp
