// Chooses the smoothing of a counting habit model by the likelihood of held-out routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/counts/count_model.h"
#include "core/habits/evaluation.h"

namespace vrp {

// The candidates of each parameter, in increasing order.
struct ParameterCandidates {
  std::vector<double> half_lives = {};
  std::vector<double> availabilities = {};
  std::vector<double> powers = {};
  std::vector<double> strengths = {};  // of each of the four levels

  // Returns the number of models that one pass of ParameterSearch tries.
  int64_t TriesPerPass() const;
};
// Returns the default candidates with the given half-lives.
ParameterCandidates CandidatesWith(std::vector<double> half_lives);

// Returns the mean, over all next stops of the cases, of the logarithm of its probability, see
// HabitScore. The same value as EvaluateHabits, sooner.
double MeanLogProbability(const CountModel& model, std::span<const HabitCase> cases, CpuPool& pool);

// A coordinate search for the parameters. Not thread-safe.
class ParameterSearch {
 public:
  // All arguments must outlive the object.
  ParameterSearch(const LegCounter& counter, std::span<const HabitCase> held_out,
                  const ParameterCandidates& candidates, CpuPool& pool);

  // Tries each candidate of each parameter in turn, the others fixed. Calls `tried` after each;
  // stops once it returns an error, and returns it. Returns whether the parameters changed.
  absl::StatusOr<bool> Pass(absl::FunctionRef<absl::Status()> tried);

  const CountParameters& best() const { return best_; }
  double best_log_probability() const { return best_score_; }

 private:
  void Score(const CountModel& model);

  const LegCounter& counter_;
  const std::span<const HabitCase> held_out_;
  const ParameterCandidates& candidates_;
  CpuPool& pool_;
  CountParameters best_;
  double best_score_ = 0;
};

}  // namespace vrp
