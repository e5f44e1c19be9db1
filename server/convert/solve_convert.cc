#include "server/convert/solve_convert.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/plan/gap_reference.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/solution_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

v1::Strategy StrategyMessage(Strategy strategy) {
  switch (strategy) {
    case Strategy::kAuto:
      return v1::STRATEGY_AUTO;
    case Strategy::kSeeded:
      return v1::STRATEGY_SEEDED;
    case Strategy::kGreedy:
      return v1::STRATEGY_GREEDY;
    case Strategy::kSample:
      return v1::STRATEGY_SAMPLE;
    case Strategy::kBeam:
      return v1::STRATEGY_BEAM;
    case Strategy::kSearch:
      return v1::STRATEGY_SEARCH;
    case Strategy::kMultiStart:
      return v1::STRATEGY_MULTI_START;
    case Strategy::kImproved:
      return v1::STRATEGY_IMPROVED;
  }
  return v1::STRATEGY_UNSPECIFIED;
}

v1::EndReason EndMessage(SolveEnd end) {
  switch (end) {
    case SolveEnd::kBudget:
      return v1::END_REASON_BUDGET;
    case SolveEnd::kDeadline:
      return v1::END_REASON_DEADLINE;
    case SolveEnd::kCancelled:
      return v1::END_REASON_CANCELLED;
    case SolveEnd::kLocalOptimum:
      return v1::END_REASON_LOCAL_OPTIMUM;
    case SolveEnd::kIterations:
      return v1::END_REASON_ITERATIONS;
    case SolveEnd::kFinished:
      return v1::END_REASON_FINISHED;
    case SolveEnd::kNoImprovement:
      return v1::END_REASON_NO_IMPROVEMENT;
    case SolveEnd::kTarget:
      return v1::END_REASON_TARGET;
    case SolveEnd::kOptimal:
      return v1::END_REASON_OPTIMAL;
  }
  return v1::END_REASON_UNSPECIFIED;
}

class OptionsReader {
 public:
  OptionsReader(const v1::SolveRequest& message, const SolveLimits& limits)
      : message_(message), limits_(limits) {}

  absl::StatusOr<SolveOptions> Run() && {
    ReadStrategy();
    ReadBudget();
    const int32_t threads = message_.idle_threads() ? limits_.max_threads : 1;
    options_.threads = ReadCount("threads", message_.threads(), threads, limits_.max_threads);
    options_.width = ReadCount("width", message_.width(), kDefaultWidth, kMaxWidth);
    options_.rounds = ReadCount("rounds", message_.rounds(), kDefaultRounds, kMaxRounds);
    if (message_.rounds() != 0 && options_.strategy != Strategy::kImproved) {
      invalid_.push_back({"rounds", Concat("given, but strategy ", StrategyName(options_.strategy),
                                           " has none; wanted strategy improved")});
    }
    ReadStop();
    ReadNetworkOnly();
    CheckHabitWeight();
    CheckSimilarDay();
    options_.seed = message_.seed() == 0 ? 1 : message_.seed();
    if (invalid_.empty()) return options_;
    return FieldError(absl::StatusCode::kInvalidArgument, invalid_);
  }

 private:
  void ReadStrategy() {
    switch (message_.strategy()) {
      case v1::STRATEGY_UNSPECIFIED:
      case v1::STRATEGY_AUTO:
        options_.strategy = Strategy::kAuto;
        return;
      case v1::STRATEGY_SEEDED:
        options_.strategy = Strategy::kSeeded;
        return;
      case v1::STRATEGY_GREEDY:
        options_.strategy = Strategy::kGreedy;
        return;
      case v1::STRATEGY_SAMPLE:
        options_.strategy = Strategy::kSample;
        return;
      case v1::STRATEGY_BEAM:
        options_.strategy = Strategy::kBeam;
        return;
      case v1::STRATEGY_SEARCH:
        options_.strategy = Strategy::kSearch;
        return;
      case v1::STRATEGY_MULTI_START:
        options_.strategy = Strategy::kMultiStart;
        return;
      case v1::STRATEGY_IMPROVED:
        options_.strategy = Strategy::kImproved;
        return;
      default:
        invalid_.push_back({"strategy", Concat("got ", static_cast<int>(message_.strategy()),
                                               ", which is not a value of Strategy")});
    }
  }

  void ReadBudget() {
    options_.budget = vrp::BudgetOf(message_, limits_);
    if (!message_.has_budget()) return;
    const absl::StatusOr<absl::Duration> budget =
        BudgetFromProto(message_.budget(), kMinBudget, limits_.max_budget);
    if (!budget.ok()) {
      invalid_.push_back({"budget", std::string(budget.status().message())});
    } else {
      options_.budget = *budget;
    }
  }

  // Reads max_iterations and checks the criteria that need no instance. SetStop reads the others.
  void ReadStop() {
    const v1::StoppingCriteria& stop = message_.stop();
    if (stop.max_iterations() < 0) {
      invalid_.push_back(
          {"stop.max_iterations", Concat("got ", stop.max_iterations(), ", wanted 0 or more")});
    } else if (stop.max_iterations() > 0) {
      options_.max_iterations = stop.max_iterations();
    }
    if (stop.has_no_improvement()) {
      const absl::StatusOr<absl::Duration> time = FromProto(stop.no_improvement());
      if (!time.ok()) {
        invalid_.push_back({"stop.no_improvement", std::string(time.status().message())});
      }
    }
    if (stop.no_improvement_share() != 0 && !message_.has_budget()) {
      invalid_.push_back({"stop.no_improvement_share", "given, but no budget; wanted both"});
    }
    if (!IsPolicyAlone(options_.strategy)) return;
    v1::StoppingCriteria others = stop;
    others.clear_automatic();
    if (others.ByteSizeLong() == 0) return;
    invalid_.push_back({"stop", Concat("given, but strategy ", StrategyName(options_.strategy),
                                       " does not search; wanted auto, search or seeded")});
  }

  void ReadNetworkOnly() {
    options_.network_only = message_.network_only();
    if (!message_.network_only() || IsPolicyAlone(options_.strategy)) return;
    invalid_.push_back({"network_only",
                        Concat("given, but strategy ", StrategyName(options_.strategy),
                               " searches; wanted greedy, sample, beam, multi_start or improved")});
  }

  void CheckHabitWeight() {
    if (!message_.has_habit_weight()) return;
    const double weight = message_.habit_weight();
    if (NeedsPolicy(options_.strategy)) {
      invalid_.push_back(
          {"habit_weight", Concat("given, but strategy ", StrategyName(options_.strategy),
                                  " plans by a network; wanted auto or search")});
    } else if (message_.model().empty()) {
      invalid_.push_back({"habit_weight", "given, but no model; wanted a habit model"});
    } else if (!(weight >= 0 && weight <= kMaxHabitWeight)) {
      invalid_.push_back({"habit_weight", Concat("got ", FormatNumber(weight), ", wanted 0 to ",
                                                 FormatNumber(kMaxHabitWeight))});
    }
  }

  void CheckSimilarDay() {
    if (!message_.has_similar_day()) return;
    if (IsPolicyAlone(options_.strategy)) {
      invalid_.push_back(
          {"similar_day", Concat("given, but strategy ", StrategyName(options_.strategy),
                                 " does not search; wanted auto, search or seeded")});
    } else if (message_.frozen_stops() != 0) {
      invalid_.push_back({"frozen_stops",
                          "given with similar_day, whose day is not known before; wanted "
                          "initial_solution or initial_solution_file"});
    }
  }

  // Returns the value, or `fallback` if it is 0.
  int32_t ReadCount(std::string_view field, int32_t value, int32_t fallback, int32_t max) {
    if (value == 0) return fallback;
    if (value < 1 || value > max) {
      invalid_.push_back({std::string(field), Concat("got ", value, ", wanted 1 to ", max)});
    }
    return value;
  }

  const v1::SolveRequest& message_;
  const SolveLimits limits_;
  SolveOptions options_;
  std::vector<FieldViolation> invalid_;
};

// Returns the times of the parts that ran.
v1::TimeBreakdown TimesMessage(const SolveTimes& times) {
  v1::TimeBreakdown message;
  *message.mutable_queue() = ToProto(times.queue);
  if (times.decode > absl::ZeroDuration()) *message.mutable_decode() = ToProto(times.decode);
  if (times.search > absl::ZeroDuration()) *message.mutable_search() = ToProto(times.search);
  *message.mutable_total() = ToProto(times.total);
  return message;
}

}  // namespace

absl::StatusOr<SolveOptions> SolveOptionsFromProto(const v1::SolveRequest& message,
                                                   const SolveLimits& limits) {
  return OptionsReader(message, limits).Run();
}

absl::Status SetStop(const v1::SolveRequest& message, const Instance& instance,
                     SolveOptions& options) {
  const v1::StoppingCriteria& stop = message.stop();
  StopRequest request{.no_improvement_share = stop.no_improvement_share(),
                      .automatic = stop.automatic()};
  if (stop.has_no_improvement()) {
    VRP_ASSIGN_OR_RETURN(request.no_improvement, FromProto(stop.no_improvement()));
  }
  if (stop.has_target_cost()) request.target_cost = stop.target_cost();
  if (stop.has_target_gap()) request.target_gap = stop.target_gap();
  if (HasAutomaticBudget(message)) {
    options.budget = std::min(options.budget, AutomaticStopOf(instance).limit);
  }
  absl::StatusOr<StopRule> rule = ResolveStopRule(request, instance, options.budget);
  if (!rule.ok()) return WithField(rule.status());
  options.stop = *std::move(rule);
  return absl::OkStatus();
}

bool HasAutomaticBudget(const v1::SolveRequest& message) {
  const v1::StoppingCriteria& stop = message.stop();
  return !message.has_budget() && stop.automatic() && !stop.has_no_improvement() &&
         stop.max_iterations() == 0;
}

absl::Duration BudgetOf(const v1::SolveRequest& message, const SolveLimits& limits) {
  const absl::StatusOr<absl::Duration> given = FromProto(message.budget());
  if (message.has_budget() && given.ok()) {
    return std::clamp(*given, absl::ZeroDuration(), limits.max_budget);
  }
  const v1::StoppingCriteria& stop = message.stop();
  if (HasAutomaticBudget(message)) return std::min(kMaxAutomaticTime, limits.max_budget);
  const bool ends_by_itself = stop.has_no_improvement() || stop.max_iterations() > 0;
  return ends_by_itself ? limits.max_budget : std::min(limits.default_budget, limits.max_budget);
}

absl::Duration MinSearchTimeOf(const v1::SolveRequest& message, int64_t customers,
                               const SolveLimits& limits) {
  const v1::StoppingCriteria& stop = message.stop();
  const absl::Duration budget = BudgetOf(message, limits);
  const absl::StatusOr<absl::Duration> no_improvement = FromProto(stop.no_improvement());
  const bool at_any_time =
      stop.max_iterations() > 0 || stop.has_target_cost() || stop.has_target_gap();
  if (at_any_time || !no_improvement.ok()) return absl::ZeroDuration();
  if (stop.has_no_improvement()) return std::clamp(*no_improvement, absl::ZeroDuration(), budget);
  const double share = stop.no_improvement_share();
  if (stop.automatic() && share == 0) return std::min(MinAutomaticTime(customers), budget);
  return share > 0 && share < 1 ? share * budget : budget;
}

v1::PlanHabits ToProto(const HabitGuide& habits, const PlanHabits& score) {
  v1::PlanHabits message;
  message.set_weight(habits.weight());
  message.set_leg_cost(habits.leg_cost());
  message.set_legs(score.legs);
  message.set_log_probability(score.log_probability);
  message.set_cost(score.cost);
  message.set_moved_routes(score.moved);
  message.set_turned_routes(score.turned);
  return message;
}

v1::SolveResponse ToProto(const Instance& instance, const SolveAnswer& answer) {
  v1::SolveResponse message;
  message.set_name(instance.name());
  *message.mutable_solution() = ToProto(instance, answer.solution);
  message.set_feasible(answer.check.feasible);
  for (const Violation& violation : answer.check.violations) {
    *message.add_violations() = ToProto(violation);
  }
  message.set_strategy(StrategyMessage(answer.strategy));
  message.set_seed(answer.seed);
  *message.mutable_budget() = ToProto(answer.budget);
  *message.mutable_times() = TimesMessage(answer.times);
  message.set_end_reason(EndMessage(answer.ended_by));
  message.set_policy_note(answer.policy_note);
  message.set_iterations(answer.iterations);
  message.set_threads(answer.threads);
  message.set_metric(ToProto(instance.metric()));
  message.set_objective(ToProto(instance.data().objective));
  if (instance.reference_cost().has_value()) {
    const Cost reference = *instance.reference_cost();
    message.set_reference_cost(reference);
    if (reference > 0) message.set_gap(Gap(answer.solution.cost, reference));
  }
  return message;
}

}  // namespace vrp
