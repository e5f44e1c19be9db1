#include "core/solve/habit_costs.h"

#include <algorithm>
#include <utility>

#include "core/base/moments.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/leg_probabilities.h"
#include "core/problem/plan/plan_value.h"
#include "core/solve/solver.h"

namespace vrp {
namespace {

// Returns about how many numbers the matrices of a guided search for the day have.
int64_t NumbersOf(std::span<const PastRoute> day) {
  int64_t nodes = 1;
  for (const PastRoute& route : day) nodes += std::ssize(route.stops);
  constexpr int64_t kOtherMatrices = 3;  // besides those of each driver
  return nodes * nodes * (std::ssize(day) + kOtherMatrices);
}

bool SkipsTheDay(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsUnimplemented(status);
}

}  // namespace

absl::Status CheckHabitCostOptions(const HabitCostOptions& options) {
  const auto refuse = [](const auto&... parts) {
    return absl::InvalidArgumentError(Concat(parts...));
  };
  if (options.days < 1 || options.days > kMaxHabitCostDays) {
    return refuse("max_days: got ", options.days, ", wanted 1 to ", kMaxHabitCostDays);
  }
  const size_t weights = options.weights.size();
  if (weights < 1 || weights > kMaxHabitCostWeights) {
    return refuse("weights: got ", weights, ", wanted 1 to ", kMaxHabitCostWeights);
  }
  for (size_t i = 0; i < weights; ++i) {
    const double weight = options.weights[i];
    if (weight > 0 && weight <= kMaxHabitWeight) continue;
    return refuse("weights[", i, "]: got ", FormatNumber(weight), ", wanted above 0, to ",
                  FormatNumber(kMaxHabitWeight), "; weight 0 is always measured");
  }
  if (options.max_iterations < 1 || options.max_iterations > kMaxHabitCostIterations) {
    return refuse("max_iterations: got ", options.max_iterations, ", wanted 1 to ",
                  kMaxHabitCostIterations);
  }
  if (options.budget < kMinBudget || options.budget > kMaxHabitCostBudget) {
    return refuse("budget: got ", absl::FormatDuration(options.budget), ", wanted 1ms to 1m");
  }
  return absl::OkStatus();
}

// The sums of one row.
struct HabitCostEvaluation::Sums {
  Moments either_way, same_way, either_way_gain, same_way_gain, extra_distance;

  void Add(const LegShares& shares, double distance, const PlanResult& plain) {
    either_way.Add(shares.either_way);
    same_way.Add(shares.same_way);
    either_way_gain.Add(shares.either_way - plain.shares.either_way);
    same_way_gain.Add(shares.same_way - plain.shares.same_way);
    extra_distance.Add(distance / plain.distance - 1);
  }

  HabitCostRow Row(double weight) const {
    return {.weight = weight,
            .shares = {.either_way = either_way.Mean(), .same_way = same_way.Mean()},
            .gain_errors = {.either_way = either_way_gain.StandardError(),
                            .same_way = same_way_gain.StandardError()},
            .extra_distance = extra_distance.Mean(),
            .extra_distance_error = extra_distance.StandardError()};
  }
};

HabitCostEvaluation::HabitCostEvaluation(GuideFn guide, const RouteHistory& history,
                                         HabitCostOptions options)
    : guide_(std::move(guide)),
      history_(history),
      options_(std::move(options)),
      pool_(options_.threads) {}

absl::StatusOr<std::unique_ptr<HabitCostEvaluation>> HabitCostEvaluation::Create(
    GuideFn guide, const RouteHistory& history, size_t first, HabitCostOptions options) {
  VRP_RETURN_IF_ERROR(CheckHabitCostOptions(options));
  std::unique_ptr<HabitCostEvaluation> evaluation(
      new HabitCostEvaluation(std::move(guide), history, std::move(options)));
  evaluation->FindDays(first);
  if (!evaluation->days_.empty()) return evaluation;
  return absl::InvalidArgumentError(evaluation->passed_over_.skip_reason);
}

void HabitCostEvaluation::FindDays(size_t first) {
  const std::span<const PastRoute> routes(history_.routes);
  for (size_t begin = first; begin < routes.size() && std::ssize(days_) < options_.days;) {
    size_t end = begin;
    while (end < routes.size() && routes[end].day == routes[begin].day) ++end;
    const auto day = routes.subspan(begin, end - begin);
    const absl::Status made = MakeDrivenDay(history_, day).status();
    if (made.ok()) days_.push_back(day);
    if (!made.ok()) Skip(made, passed_over_);
    begin = end;
  }
  results_.resize(days_.size() * PlansPerDay());
}

void HabitCostEvaluation::Skip(const absl::Status& reason, HabitCosts& costs) const {
  if (costs.skipped_days++ == 0) costs.skip_reason = FromAbsl(reason.message());
}

int64_t HabitCostEvaluation::PlansOfStep() const {
  const int64_t most = std::min<int64_t>(options_.threads, total() - done_);
  int64_t numbers = 0;
  for (int64_t count = 0; count < most; ++count) {
    numbers += NumbersOf(days_[static_cast<size_t>(done_ + count) / PlansPerDay()]);
    if (numbers > kMaxGuidedNumbers) return std::max<int64_t>(1, count);
  }
  return most;
}

absl::Status HabitCostEvaluation::Step() {
  const int64_t count = PlansOfStep();
  pool_.ParallelFor(count, [&](int64_t i) {
    const auto index = static_cast<size_t>(done_ + i);
    const size_t plan = index % PlansPerDay();
    results_[index] = MakePlan(days_[index / PlansPerDay()], WeightOf(plan));
  });
  for (const PlanResult& result :
       std::span(results_).subspan(static_cast<size_t>(done_), static_cast<size_t>(count))) {
    if (!result.status.ok() && !SkipsTheDay(result.status)) return result.status;
  }
  done_ += count;
  return absl::OkStatus();
}

HabitCostEvaluation::PlanResult HabitCostEvaluation::MakePlan(std::span<const PastRoute> routes,
                                                              double weight) const {
  PlanResult result;
  const auto skip = [&](const absl::Status& status) {
    const std::string_view problem = FromAbsl(status.message());
    result.status = absl::Status(status.code(), Concat(DayText(routes.front().day), ": ", problem));
    return result;
  };
  const absl::StatusOr<DrivenDay> day = MakeDrivenDay(history_, routes);
  if (!day.ok()) return skip(day.status());
  SolveOptions options;
  options.strategy = Strategy::kSearch;
  options.budget = options_.budget;
  options.max_iterations = options_.max_iterations;
  if (weight > 0) {
    absl::StatusOr<std::shared_ptr<const HabitGuide>> guide = guide_(day->instance, weight);
    if (!guide.ok()) return skip(guide.status());
    options.habits = *std::move(guide);
  }
  const absl::StatusOr<SolveAnswer> answer = Solve(day->instance, options);
  if (!answer.ok()) return skip(answer.status());
  const size_t unserved = answer->solution.unserved.size();
  if (unserved > 0) {
    return skip(absl::InvalidArgumentError(
        Concat("the search left ", unserved, " stops without a vehicle; give it more iterations")));
  }
  result.shares = SharesOfDrivenLegs(*day, PlanOf(day->instance, answer->solution));
  result.distance = answer->solution.cost;
  result.driven_distance = PlanCost(day->instance, day->driven);
  result.late = answer->ended_by == SolveEnd::kBudget;
  if (!(result.distance > 0)) {
    return skip(absl::InvalidArgumentError("its stops are all at the depot"));
  }
  return result;
}

absl::Status HabitCostEvaluation::StatusOfDay(std::span<const PlanResult> plans) const {
  for (const PlanResult& plan : plans) VRP_RETURN_IF_ERROR(plan.status);
  return absl::OkStatus();
}

absl::StatusOr<HabitCosts> HabitCostEvaluation::Result() const {
  HabitCosts costs = passed_over_;
  std::vector<Sums> sums(PlansPerDay());
  Sums driven;
  for (size_t d = 0; d < days_.size(); ++d) {
    const auto plans = std::span(results_).subspan(d * PlansPerDay(), PlansPerDay());
    if (const absl::Status status = StatusOfDay(plans); !status.ok()) {
      Skip(status, costs);
      continue;
    }
    ++costs.days;
    const PlanResult& plain = plans.front();
    driven.Add({.either_way = 1, .same_way = 1}, plain.driven_distance, plain);
    for (size_t p = 0; p < plans.size(); ++p) {
      sums[p].Add(plans[p].shares, plans[p].distance, plain);
      costs.late_plans += plans[p].late ? 1 : 0;
    }
  }
  if (costs.days == 0) return absl::InvalidArgumentError(costs.skip_reason);
  for (size_t p = 0; p < sums.size(); ++p) costs.rows.push_back(sums[p].Row(WeightOf(p)));
  costs.driven = driven.Row(0);
  return costs;
}

}  // namespace vrp
