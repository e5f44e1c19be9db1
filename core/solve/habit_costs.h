// Measures what planning by habits gains and costs, on past days whose routes are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/cpu_pool.h"
#include "core/habits/driven_day.h"
#include "core/habits/habit_guide.h"
#include "core/habits/history.h"
#include "core/problem/instance/instance.h"

namespace vrp {

inline constexpr int32_t kMaxHabitCostDays = 1'000;
inline constexpr size_t kMaxHabitCostWeights = 8;
inline constexpr int64_t kMaxHabitCostIterations = 100'000'000;
// Largest budget of a search.
inline constexpr absl::Duration kMaxHabitCostBudget = absl::Minutes(1);

struct HabitCostOptions {
  int32_t days = 7;                           // the number of days to plan
  std::vector<double> weights = {0.1, 0.3};   // each above 0
  int64_t max_iterations = 20'000;            // of each search
  absl::Duration budget = absl::Seconds(10);  // of each search
  int32_t threads = 1;
};

// Returns kInvalidArgument naming the option that is out of range: `weights[2]: ...`.
absl::Status CheckHabitCostOptions(const HabitCostOptions& options);

// The figures of the plans with one weight, or of the driven routes: means over the days.
struct HabitCostRow {
  double weight = 0;
  LegShares shares = {};
  // Standard errors of the differences of the shares to those at weight 0.
  LegShares gain_errors = {};
  double extra_distance = 0;  // mean of the distance over that at weight 0, less 1
  double extra_distance_error = 0;
};

struct HabitCosts {
  int64_t days = 0;
  int64_t skipped_days = 0;
  std::string skip_reason = {};         // of the first skipped day
  int64_t late_plans = 0;               // whose searches ended by the budget
  std::vector<HabitCostRow> rows = {};  // weight 0, then the given weights in their order
  HabitCostRow driven = {};             // the driven routes; all shares are 1
};

// Plans days without habits and with each weight, in steps, so that its caller can report progress
// and cancel. Every search has one thread, the same seed and the same number of iterations. Not
// thread-safe.
class HabitCostEvaluation {
 public:
  // Returns the habits of an instance at a weight, from several threads at once.
  using GuideFn = std::function<absl::StatusOr<std::shared_ptr<const HabitGuide>>(
      const Instance& instance, double weight)>;

  // Takes the first `options.days` days that MakeDrivenDay accepts, from route number `first` on.
  // Returns the errors of CheckHabitCostOptions, and kInvalidArgument if it accepts none, with the
  // reason for the first day. `history` must outlive the evaluation.
  static absl::StatusOr<std::unique_ptr<HabitCostEvaluation>> Create(GuideFn guide,
                                                                     const RouteHistory& history,
                                                                     size_t first,
                                                                     HabitCostOptions options);

  // Makes more plans, one on each thread, but fewer if they need more memory than the largest
  // instance that habits can guide. Returns kInternal if a search fails.
  absl::Status Step();
  bool finished() const { return done_ == total(); }
  int64_t done() const { return done_; }  // number of finished plans
  int64_t total() const { return static_cast<int64_t>(results_.size()); }

  // Returns the figures of the days on which each plan serves all stops, and habits can guide the
  // search. Returns kInvalidArgument if there are none. Must be called only once the evaluation
  // is finished.
  absl::StatusOr<HabitCosts> Result() const;

 private:
  struct PlanResult {
    absl::Status status;  // kInvalidArgument or kUnimplemented: the day is skipped
    LegShares shares = {};
    double distance = 0;
    double driven_distance = 0;
    bool late = false;
  };
  // Sums over days.
  struct Sums;

  HabitCostEvaluation(GuideFn guide, const RouteHistory& history, HabitCostOptions options);

  void FindDays(size_t first);
  void Skip(const absl::Status& reason, HabitCosts& costs) const;
  size_t PlansPerDay() const { return options_.weights.size() + 1; }
  // Returns 0 for the first plan of a day.
  double WeightOf(size_t plan) const { return plan == 0 ? 0 : options_.weights[plan - 1]; }
  int64_t PlansOfStep() const;
  PlanResult MakePlan(std::span<const PastRoute> day, double weight) const;
  absl::Status StatusOfDay(std::span<const PlanResult> plans) const;

  const GuideFn guide_;
  const RouteHistory& history_;
  const HabitCostOptions options_;
  CpuPool pool_;
  std::vector<std::span<const PastRoute>> days_;
  HabitCosts passed_over_;           // the skipped days that FindDays met
  std::vector<PlanResult> results_;  // by day, then plan
  int64_t done_ = 0;
};

}  // namespace vrp
