// One run of a training job of a habit model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/habits/counts/choose_parameters.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/evaluation.h"
#include "core/habits/history.h"
#include "core/train/run/epoch_pace.h"
#include "core/train/run/run_context.h"
#include "core/train/run/trainer.h"

namespace vrp {

// A run that counts the routes before the last days, chooses the smoothing by the likelihood of the
// last days, and writes the model. A step tries one set of parameters, an epoch each candidate of
// each parameter. Costs are means of -log(probability of the next stop), in nats.
class HabitsRun {
 public:
  // Makes a run that began at `started`. The history must have enough days. `request`, `stop` and
  // `observer` must outlive it.
  HabitsRun(const TrainingRequest& request, const StopCondition& stop, TrainingObserver& observer,
            RouteHistory history, absl::Time started);

  // May be called only once.
  absl::StatusOr<TrainingResult> Run();
  // Returns the totals of the run so far.
  TrainingTotals Totals();

 private:
  void LogBanner();
  // Computes the cost of a model that knows only distances.
  void ComputeReference();
  absl::StatusOr<TrainingEnd> Search();
  // Counts a step, reports it and serves requests for live models. Returns kCancelled if the run
  // was stopped, and kAborted if it ends early.
  absl::Status EndStep();
  void EndEpoch();
  void FillProgress();
  // Returns the reason why no further step is taken, or kUnknown.
  TrainingEnd EarlyEnd() const;
  absl::StatusOr<TrainingResult> Publish(TrainingEnd end);
  TrainingResult ResultOf(PublishReason reason) const;
  // Writes the model of the best parameters so far.
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          const TrainingResult& result);

  const absl::Time started_;
  const RouteHistory history_;
  const ParameterCandidates candidates_;
  const size_t held_out_;  // number of the first held-out route
  TrainingRequest request_;
  RunContext context_;
  const LegCounter counter_;
  const std::vector<HabitCase> cases_;
  ParameterSearch search_;
  HabitScore score_;  // of the best parameters, after an epoch
  double reference_ = 0;
  int64_t step_ = 0;
  absl::Time step_began_;
  EpochPace pace_;
  TrainingProgress progress_;
  TrainingTotals totals_;
};

}  // namespace vrp
