#include "core/jobs/sweep/sweep_schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/jobs/held_trial.h"

namespace vrp {
namespace {

using Kind = SweepStep::Kind;

// Whether the trial's job waits, runs or ends now, rather than waiting for a selection.
bool IsActive(const TrialStatus& trial) {
  return trial.submitted && !IsFinal(trial.state) && !trial.held;
}

std::optional<size_t> FindActive(std::span<const TrialStatus> trials) {
  const auto found = std::find_if(trials.begin(), trials.end(), IsActive);
  if (found == trials.end()) return std::nullopt;
  return static_cast<size_t>(found - trials.begin());
}

// Returns the best of the trials that `may_win` accepts.
template <typename MayWin>
std::optional<size_t> Best(std::span<const TrialStatus> trials, MayWin may_win) {
  std::optional<size_t> best;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (!may_win(trials[i])) continue;
    if (!best.has_value() || trials[i].cost < trials[*best].cost) best = i;
  }
  return best;
}

bool HasModel(const TrialStatus& trial) { return trial.state == JobState::kSucceeded; }

SweepStep Finish(std::span<const TrialStatus> trials) {
  const std::optional<size_t> best = BestTrial(trials);
  if (!best.has_value()) return {.kind = Kind::kNoModel};
  return {.kind = Kind::kFinish, .trial = *best};
}

// Returns the trials of `contenders` that go on after a selection, the best ones, in order.
std::vector<size_t> Select(std::span<const TrialStatus> trials,
                           const std::vector<size_t>& contenders, int32_t factor) {
  std::vector<size_t> ranked;
  for (const size_t i : contenders) {
    // Failed and cancelled trials have lost their weights.
    if (trials[i].held || HasModel(trials[i])) ranked.push_back(i);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return trials[a].cost < trials[b].cost; });
  const size_t kept = std::max<size_t>(1, contenders.size() / static_cast<size_t>(factor));
  ranked.resize(std::min(ranked.size(), kept));
  std::sort(ranked.begin(), ranked.end());
  return ranked;
}

// Returns the step with which a contender comes to its next selection; nullopt if it is there or
// has ended. `pause_epoch` is that of the selection; 0 is the end of the training.
std::optional<SweepStep> Advance(const TrialStatus& trial, size_t index, int64_t pause_epoch) {
  if (!trial.submitted) {
    return SweepStep{.kind = Kind::kSubmit, .trial = index, .pause_epoch = pause_epoch};
  }
  if (!trial.held) return std::nullopt;
  if (pause_epoch > 0 && trial.pause_epoch >= pause_epoch) return std::nullopt;
  return SweepStep{.kind = Kind::kContinue, .trial = index, .pause_epoch = pause_epoch};
}

SweepStep RunNext(const SweepShape& shape, std::span<const TrialStatus> trials) {
  std::vector<size_t> contenders(trials.size());
  std::iota(contenders.begin(), contenders.end(), size_t{0});
  for (size_t round = 0; !contenders.empty(); ++round) {
    // A single trial has no other to be compared with.
    const bool last = round >= shape.selections.size() || contenders.size() == 1;
    const int64_t pause_epoch = last ? 0 : shape.selections[round];
    for (const size_t i : contenders) {
      if (const auto step = Advance(trials[i], i, pause_epoch)) return *step;
    }
    if (last) break;
    const std::vector<size_t> selected = Select(trials, contenders, shape.factor);
    for (const size_t i : contenders) {
      const bool goes_on = std::binary_search(selected.begin(), selected.end(), i);
      if (trials[i].held && !goes_on) return {.kind = Kind::kDrop, .trial = i};
    }
    contenders = selected;
  }
  return Finish(trials);
}

SweepStep EndNext(std::span<const TrialStatus> trials) {
  const std::optional<size_t> best =
      Best(trials, [](const TrialStatus& trial) { return trial.held || HasModel(trial); });
  for (size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].held) continue;
    // Only a job that ends by itself has a model to publish.
    return {.kind = i == *best ? Kind::kStop : Kind::kDrop, .trial = i};
  }
  return Finish(trials);
}

SweepStep EndActive(const TrialStatus& trial, size_t index) {
  const bool ends = trial.ending || trial.state == JobState::kStopping ||
                    trial.state == JobState::kCancelling || trial.state == JobState::kPausing;
  if (ends) return {.kind = Kind::kWait, .trial = index};
  return {.kind = trial.started ? Kind::kStop : Kind::kDrop, .trial = index};
}

SweepStep PauseActive(const TrialStatus& trial, size_t index) {
  if (trial.state == JobState::kPaused) return {.kind = Kind::kPaused};
  const bool ends = trial.ending || trial.state == JobState::kStopping ||
                    trial.state == JobState::kCancelling || trial.state == JobState::kPausing;
  return {.kind = ends ? Kind::kWait : Kind::kPause, .trial = index};
}

}  // namespace

TrialStatus StatusOfTrial(const Job& job) {
  TrialStatus status{.submitted = true,
                     .state = job.state,
                     .started = job.attempt > 0,
                     .ending = job.stop_requested,
                     .held = IsHeld(job),
                     .pause_epoch = job.spec.pause_epoch};
  double cost = status.cost;
  if (job.best.has_value()) cost = job.best->validation_cost;
  // The weights that a job ended with may be others than the best ones: `training.publish: last`.
  if (job.published.has_value() && job.published->validation_cost > 0) {
    cost = job.published->validation_cost;
  }
  if (std::isfinite(cost)) status.cost = cost;
  return status;
}

SweepStep NextStep(const SweepShape& shape, std::span<const TrialStatus> trials, SweepGoal goal) {
  const std::optional<size_t> active = FindActive(trials);
  switch (goal) {
    case SweepGoal::kPause:
      return active.has_value() ? PauseActive(trials[*active], *active)
                                : SweepStep{.kind = Kind::kPaused};
    case SweepGoal::kEnd:
      return active.has_value() ? EndActive(trials[*active], *active) : EndNext(trials);
    case SweepGoal::kRun:
      break;
  }
  if (active.has_value()) return {.kind = Kind::kWait, .trial = *active};
  return RunNext(shape, trials);
}

std::optional<size_t> BestTrial(std::span<const TrialStatus> trials) {
  return Best(trials, HasModel);
}

}  // namespace vrp
