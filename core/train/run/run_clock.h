// A clock that attributes the wall time of a training run to phases.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "absl/time/time.h"
#include "core/base/cpu_pool.h"

namespace vrp {

// A part of a run's wall time. Each moment belongs to exactly one part.
enum class RunPhase {
  kPreparation,  // engine, labels, references, loading of a checkpoint
  kData,         // the run waits for its next batch
  kSteps,
  kValidation,
  kBaseline,  // comparison of policy and baseline after an epoch
  kCheckpoints,
  kPublication,
  kOther,
};
inline constexpr std::array<std::string_view, 8> kRunPhaseNames = {
    "preparation",         "waiting_for_data", "steps",       "validation",
    "baseline_evaluation", "checkpoints",      "publication", "other"};

struct RunPhaseTime {
  double wall_seconds = 0;
  // Time summed over threads: the training thread, including its waiting, and its helpers.
  double thread_seconds = 0;
};
using RunPhaseTimes = std::array<RunPhaseTime, kRunPhaseNames.size()>;

// A clock that attributes wall time to phases from its construction on. Not thread-safe.
class RunClock {
 public:
  // Starts the clock. `pool` must compute only for this run, and must outlive the clock.
  explicit RunClock(const CpuPool& pool);

  // A span of time that belongs to `phase`, except for the spans nested in it. Scopes must end in
  // the reverse order of their construction.
  class Scope {
   public:
    Scope(RunClock& clock, RunPhase phase) : clock_(clock), before_(clock.Switch(phase)) {}
    ~Scope() { clock_.Switch(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RunClock& clock_;
    const RunPhase before_;
  };

  // Adds the time of threads outside of the pool.
  void AddThreadSeconds(RunPhase phase, double seconds) { Of(phase).thread_seconds += seconds; }
  // Returns a time of the training thread and the pool's other threads, in seconds. Only the
  // difference of two calls has a meaning: the thread time between them.
  double ThreadSeconds() const;
  // Returns the times up to now. Their wall_seconds add up to the time since construction.
  const RunPhaseTimes& Read();

 private:
  RunPhase Switch(RunPhase next);
  RunPhaseTime& Of(RunPhase phase) { return times_[static_cast<size_t>(phase)]; }

  const CpuPool& pool_;
  const absl::Time begun_;
  RunPhase current_ = RunPhase::kOther;
  absl::Time phase_start_;
  double extra_since_;  // pool_.extra_thread_seconds() at phase_start_
  RunPhaseTimes times_{};
};

}  // namespace vrp
