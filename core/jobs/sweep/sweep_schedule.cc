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

// Returns the active trials, in order.
std::vector<size_t> FindActive(std::span<const TrialStatus> trials) {
  std::vector<size_t> active;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (IsActive(trials[i])) active.push_back(i);
  }
  return active;
}

// Whether the trial's job was asked to end or to pause, and has not done so yet.
bool IsEnding(const TrialStatus& trial) {
  return trial.ending || trial.state == JobState::kStopping ||
         trial.state == JobState::kCancelling || trial.state == JobState::kPausing;
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

// Whether an earlier step let an active trial go on after the selection at `pause_epoch`; 0 is the
// end of the training.
bool WasSelected(const TrialStatus& trial, int64_t pause_epoch) {
  return pause_epoch > 0 && (trial.pause_epoch == 0 || trial.pause_epoch > pause_epoch);
}

// Returns the trials of `contenders` that go on after a selection, the best ones, in order. Trials
// that went on already are among them: the others were dropped then, and costs never rise.
std::vector<size_t> Select(std::span<const TrialStatus> trials,
                           const std::vector<size_t>& contenders, int32_t factor) {
  std::vector<size_t> ranked;
  for (const size_t i : contenders) {
    // Failed and cancelled trials have lost their weights.
    if (trials[i].held || HasModel(trials[i]) || IsActive(trials[i])) ranked.push_back(i);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return trials[a].cost < trials[b].cost; });
  const size_t kept = std::max<size_t>(1, contenders.size() / static_cast<size_t>(factor));
  ranked.resize(std::min(ranked.size(), kept));
  std::sort(ranked.begin(), ranked.end());
  return ranked;
}

// Returns the step with which a contender comes to its next selection; nullopt if it is on its way,
// is there or has ended. `pause_epoch` is that of the selection; 0 is the end of the training.
std::optional<SweepStep> Advance(const TrialStatus& trial, size_t index, int64_t pause_epoch) {
  if (!trial.submitted) {
    return SweepStep{.kind = Kind::kSubmit, .trial = index, .pause_epoch = pause_epoch};
  }
  if (!trial.held) return std::nullopt;
  if (pause_epoch > 0 && trial.pause_epoch >= pause_epoch) return std::nullopt;
  return SweepStep{.kind = Kind::kContinue, .trial = index, .pause_epoch = pause_epoch};
}

// Returns the next step of a sweep whose trials all may train. A selection compares all contenders,
// so it waits for those that are on their way to it.
SweepStep RunNext(const SweepShape& shape, std::span<const TrialStatus> trials) {
  const std::vector<size_t> active = FindActive(trials);
  std::vector<size_t> contenders(trials.size());
  std::iota(contenders.begin(), contenders.end(), size_t{0});
  for (size_t round = 0; !contenders.empty(); ++round) {
    // A single trial has no other to be compared with.
    const bool last = round >= shape.selections.size() || contenders.size() == 1;
    const int64_t pause_epoch = last ? 0 : shape.selections[round];
    bool waits = false;
    for (const size_t i : contenders) {
      const auto step = Advance(trials[i], i, pause_epoch);
      if (step.has_value() && static_cast<int32_t>(active.size()) < shape.at_once) return *step;
      waits = waits || step.has_value() ||
              (IsActive(trials[i]) && !WasSelected(trials[i], pause_epoch));
    }
    if (waits) return {.kind = Kind::kWait, .trial = active.front()};
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

// Ends the active trials: those that ran with a model, the others without.
SweepStep EndActive(std::span<const TrialStatus> trials, const std::vector<size_t>& active) {
  for (const size_t i : active) {
    if (IsEnding(trials[i])) continue;
    return {.kind = trials[i].started ? Kind::kStop : Kind::kDrop, .trial = i};
  }
  return {.kind = Kind::kWait, .trial = active.front()};
}

SweepStep PauseActive(std::span<const TrialStatus> trials, const std::vector<size_t>& active) {
  std::optional<size_t> ending;
  for (const size_t i : active) {
    if (trials[i].state == JobState::kPaused) continue;
    if (!IsEnding(trials[i])) return {.kind = Kind::kPause, .trial = i};
    if (!ending.has_value()) ending = i;
  }
  if (!ending.has_value()) return {.kind = Kind::kPaused};
  return {.kind = Kind::kWait, .trial = *ending};
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
  if (goal == SweepGoal::kRun) return RunNext(shape, trials);
  const std::vector<size_t> active = FindActive(trials);
  if (goal == SweepGoal::kPause) return PauseActive(trials, active);
  return active.empty() ? EndNext(trials) : EndActive(trials, active);
}

std::optional<size_t> BestTrial(std::span<const TrialStatus> trials) {
  return Best(trials, HasModel);
}

}  // namespace vrp
