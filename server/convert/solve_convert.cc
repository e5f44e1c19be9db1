#include "server/convert/solve_convert.h"

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/problem/gap_reference.h"
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
    case SolveEnd::kComplete:
      return v1::END_REASON_COMPLETE;
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
    options_.threads = ReadCount("threads", message_.threads(), 1, limits_.max_threads);
    options_.width = ReadCount("width", message_.width(), 16, kMaxWidth);
    options_.rounds = ReadCount("rounds", message_.rounds(), kDefaultRounds, kMostRounds);
    if (message_.rounds() != 0 && options_.strategy != Strategy::kImproved) {
      invalid_.push_back({"rounds", Concat("given, but strategy ", StrategyName(options_.strategy),
                                           " has none; wanted strategy improved")});
    }
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
                                               ", which is no value of Strategy")});
    }
  }

  void ReadBudget() {
    options_.budget = limits_.default_budget;
    if (!message_.has_budget()) return;
    const absl::StatusOr<absl::Duration> budget = FromProto(message_.budget());
    if (!budget.ok()) {
      invalid_.push_back({"budget", std::string(budget.status().message())});
    } else if (*budget < absl::Milliseconds(1) || *budget > limits_.max_budget) {
      invalid_.push_back(
          {"budget", Concat("got ", absl::FormatDuration(*budget), ", wanted 1ms to ",
                            absl::FormatDuration(limits_.max_budget))});
    } else {
      options_.budget = *budget;
    }
  }

  // 0 stands for `fallback`.
  int32_t ReadCount(std::string_view field, int32_t value, int32_t fallback, int32_t most) {
    if (value == 0) return fallback;
    if (value < 1 || value > most) {
      invalid_.push_back({std::string(field), Concat("got ", value, ", wanted 1 to ", most)});
    }
    return value;
  }

  const v1::SolveRequest& message_;
  const SolveLimits limits_;
  SolveOptions options_;
  std::vector<FieldViolation> invalid_;
};

// Parts that did not take place stay absent.
v1::TimeSplit TimesMessage(const SolveTimes& times) {
  v1::TimeSplit message;
  *message.mutable_queue() = ToProto(times.queue);
  if (times.encode > absl::ZeroDuration()) *message.mutable_encode() = ToProto(times.encode);
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
  message.set_ended_by(EndMessage(answer.ended_by));
  message.set_policy_note(answer.policy_note);
  message.set_iterations(answer.iterations);
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
