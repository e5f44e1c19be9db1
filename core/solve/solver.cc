#include "core/solve/solver.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cpu_pool.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/search/search.h"
#include "core/solve/parallel_search.h"
#include "core/solve/policy_plan.h"
#include "core/solve/unserved.h"

namespace vrp {
namespace {

constexpr absl::Duration kLeastBudget = absl::Milliseconds(1);
constexpr absl::Duration kMostBudget = absl::Hours(24);
constexpr int32_t kMostWidth = 10'000;
// What the answer needs on its way back to a caller who will not wait longer.
constexpr absl::Duration kWayBack = absl::Milliseconds(20);
// A seeded search waits for the policy for this share of what is left.
constexpr double kPolicyShare = 0.2;
// Samples that guide it, and how many times a greedy tour's time they may take by a guess.
constexpr int32_t kGuides = 32;
constexpr double kGuidesTime = 8;
constexpr const char* kNoGain =
    "no gain from it is known at any size and budget; seeded starts the search from its plan";
// Left for the solution's times and the checker after the search: per node, where there are more
// rules than loads and windows twice that, and at most that share of the budget.
constexpr absl::Duration kClosingPerNode = absl::Microseconds(1);
constexpr double kClosingShare = 0.1;

absl::Status OutOfRange(const char* field, std::string got, std::string wanted) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": got ", got, ", wanted ", wanted));
}

absl::Status CheckRanges(const SolveOptions& options) {
  if (options.budget < kLeastBudget || options.budget > kMostBudget) {
    return OutOfRange("budget", absl::FormatDuration(options.budget), "1ms to 24h");
  }
  const int32_t most_threads =
      std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
  if (options.threads < 1 || options.threads > most_threads) {
    return OutOfRange("threads", absl::StrCat(options.threads),
                      absl::StrCat("1 to ", most_threads));
  }
  if (options.width < 1 || options.width > kMostWidth) {
    return OutOfRange("width", absl::StrCat(options.width), absl::StrCat("1 to ", kMostWidth));
  }
  if (options.max_iterations < 0) {
    return OutOfRange("max_iterations", absl::StrCat(options.max_iterations), "0 or more");
  }
  return absl::OkStatus();
}

absl::Status CheckStrategy(const SolveOptions& options) {
  const bool needs_policy = NeedsPolicy(options.strategy);
  if (!options.initial.empty() && needs_policy && options.strategy != Strategy::kSeeded) {
    return absl::InvalidArgumentError(absl::StrCat(
        "initial_solution: given, but strategy ", ToAbsl(StrategyName(options.strategy)),
        " does not start from a plan; wanted strategy auto, search or seeded"));
  }
  if (needs_policy && options.policy == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("strategy: ", ToAbsl(StrategyName(options.strategy)),
                     " needs a model, none was given; name one, or use search"));
  }
  return absl::OkStatus();
}

// One call of Solve.
class Solving {
 public:
  Solving(const Instance& instance, const SolveOptions& options)
      : instance_(instance),
        options_(options),
        started_(SteadyNow()),
        received_(options.received == absl::Time() ? started_ : options.received) {
    const absl::Time by_budget = received_ + options.budget;
    const absl::Time by_caller = options.deadline - kWayBack;
    caller_is_sooner_ = by_caller < by_budget;
    stop_ = StopCondition(std::min(by_budget, by_caller), options.cancel);
    answer_.budget = std::max(stop_.deadline() - received_, absl::ZeroDuration());
    answer_.seed = options.seed;
    answer_.times.queue = started_ - received_;
  }

  absl::StatusOr<SolveAnswer> Run() {
    Plan plan;
    switch (options_.strategy) {
      case Strategy::kSearch: {
        VRP_ASSIGN_OR_RETURN(plan, SearchPlan({}));
        break;
      }
      case Strategy::kAuto: {
        if (options_.policy_named) answer_.policy_note = kNoGain;
        VRP_ASSIGN_OR_RETURN(plan, SearchPlan({}));
        break;
      }
      case Strategy::kSeeded: {
        VRP_ASSIGN_OR_RETURN(plan, SearchPlan(AskPolicy()));
        break;
      }
      case Strategy::kGreedy:
      case Strategy::kSample:
      case Strategy::kBeam:
      case Strategy::kMultiStart: {
        VRP_ASSIGN_OR_RETURN(plan, NetworkPlan(options_.strategy, stop_));
        break;
      }
    }
    return Close(plan);
  }

 private:
  // `seeds`: a policy's plans, the best first, to start from the first beside those that were given
  // and to be guided by all.
  absl::StatusOr<Plan> SearchPlan(std::vector<Plan> seeds) {
    const absl::Time begun = SteadyNow();
    const absl::Duration closing =
        std::min(kClosingPerNode * (IsPlain(instance_) ? 1 : 2) * instance_.num_nodes(),
                 answer_.budget * kClosingShare);
    SearchOptions search;
    search.stop = stop_.Sooner(stop_.deadline() - closing);
    search.max_iterations = options_.max_iterations;
    search.seed = options_.seed;
    search.initial = options_.initial;
    answer_.strategy = seeds.empty() ? Strategy::kSearch : Strategy::kSeeded;
    if (!seeds.empty()) search.initial.push_back(seeds.front());
    if (seeds.size() > 1) search.samples = std::move(seeds);
    VRP_ASSIGN_OR_RETURN(SearchResult result, ParallelSearch(instance_, search, options_.threads,
                                                             options_.on_improvement));
    answer_.iterations = result.iterations;
    answer_.ended_by = EndOf(result.ended_by);
    answer_.times.search = SteadyNow() - begun;
    return std::move(result.plan);
  }

  // Leaves the answer's strategy and end as those of the network.
  absl::StatusOr<Plan> NetworkPlan(Strategy strategy, const StopCondition& stop) {
    DecodeOptions decode;
    decode.stop = stop;
    if (strategy == Strategy::kMultiStart) {
      decode.method = DecodeMethod::kMultiStart;
      decode.width = 0;
      decode.augmentations = kMaxAugmentations;
    } else if (strategy != Strategy::kGreedy) {
      decode.method = strategy == Strategy::kSample ? DecodeMethod::kSample : DecodeMethod::kBeam;
      decode.width = options_.width;
    }
    VRP_ASSIGN_OR_RETURN(DecodedPlan decoded, Decode(decode));
    answer_.strategy = strategy;
    answer_.ended_by = SolveEnd::kComplete;
    return std::move(decoded.plan);
  }

  absl::StatusOr<DecodedPlan> Decode(DecodeOptions decode) {
    const absl::Time begun = SteadyNow();
    decode.seed = options_.seed;
    // One greedy tour is work for one thread; samples, beams and starts are shared.
    std::optional<CpuPool> pool;
    if (options_.threads > 1 && decode.method != DecodeMethod::kGreedy) {
      decode.pool = &pool.emplace(options_.threads);
    }
    absl::StatusOr<DecodedPlan> decoded = PolicyPlan(*options_.policy, instance_, decode);
    answer_.times.decode += SteadyNow() - begun;
    return decoded;
  }

  // The policy's greedy plan, and where there is time for them samples; the best first. Nothing,
  // and a note, where it gives none in its share of the time.
  std::vector<Plan> AskPolicy() {
    const absl::Time now = SteadyNow();
    if (stop_.ShouldStop()) {
      answer_.policy_note = "no time was left for the policy";
      return {};
    }
    DecodeOptions decode;
    decode.stop = stop_.Sooner(now + (stop_.deadline() - now) * kPolicyShare);
    absl::StatusOr<DecodedPlan> greedy = Decode(decode);
    if (!greedy.ok()) {
      answer_.policy_note = std::string(greedy.status().message());
      return {};
    }
    std::vector<Plan> plans = {std::move(greedy->plan)};
    if (SteadyNow() + kGuidesTime * answer_.times.decode > decode.stop.deadline()) return plans;
    decode.method = DecodeMethod::kSample;
    decode.width = kGuides;
    decode.others = kGuides - 1;
    absl::StatusOr<DecodedPlan> samples = Decode(decode);
    if (!samples.ok()) return plans;  // too late after all
    const bool is_better = PlanCost(instance_, samples->plan) < PlanCost(instance_, plans.front());
    plans.insert(is_better ? plans.begin() : plans.end(), std::move(samples->plan));
    std::move(samples->others.begin(), samples->others.end(), std::back_inserter(plans));
    return plans;
  }

  SolveEnd EndOf(SearchEnd end) const {
    switch (end) {
      case SearchEnd::kDeadline:
        return caller_is_sooner_ ? SolveEnd::kDeadline : SolveEnd::kBudget;
      case SearchEnd::kCancelled:
        return SolveEnd::kCancelled;
      case SearchEnd::kIterations:
        return SolveEnd::kIterations;
      case SearchEnd::kLocalOptimum:
        return SolveEnd::kLocalOptimum;
    }
    return SolveEnd::kComplete;
  }

  absl::StatusOr<SolveAnswer> Close(const Plan& plan) {
    VRP_ASSIGN_OR_RETURN(Solution solution, MakeSolution(instance_, plan));
    answer_.solution = WithReasons(instance_, std::move(solution));
    answer_.check = CheckPlan(instance_, plan, answer_.solution.cost);
    for (const Violation& violation : answer_.check.violations) {
      if (violation.kind == ViolationKind::kMissingCustomer) continue;
      return absl::InternalError(absl::StrCat("the checker refuses the plan found by ",
                                              ToAbsl(StrategyName(answer_.strategy)), ": ",
                                              violation.message));
    }
    answer_.times.total = SteadyNow() - received_;
    return std::move(answer_);
  }

  const Instance& instance_;
  const SolveOptions& options_;
  const absl::Time started_;
  const absl::Time received_;
  StopCondition stop_;
  bool caller_is_sooner_ = false;
  SolveAnswer answer_;
};

}  // namespace

bool NeedsPolicy(Strategy strategy) {
  return strategy != Strategy::kAuto && strategy != Strategy::kSearch;
}

std::string_view StrategyName(Strategy strategy) {
  switch (strategy) {
    case Strategy::kAuto:
      return "auto";
    case Strategy::kSeeded:
      return "seeded";
    case Strategy::kGreedy:
      return "greedy";
    case Strategy::kSample:
      return "sample";
    case Strategy::kBeam:
      return "beam";
    case Strategy::kSearch:
      return "search";
    case Strategy::kMultiStart:
      return "multi_start";
  }
  return "";
}

std::string_view SolveEndName(SolveEnd end) {
  switch (end) {
    case SolveEnd::kBudget:
      return "budget";
    case SolveEnd::kDeadline:
      return "deadline";
    case SolveEnd::kCancelled:
      return "cancelled";
    case SolveEnd::kLocalOptimum:
      return "local_optimum";
    case SolveEnd::kIterations:
      return "iterations";
    case SolveEnd::kComplete:
      return "complete";
  }
  return "";
}

absl::Status CheckSolveOptions(const SolveOptions& options) {
  VRP_RETURN_IF_ERROR(CheckRanges(options));
  return CheckStrategy(options);
}

absl::StatusOr<SolveAnswer> Solve(const Instance& instance, const SolveOptions& options) {
  VRP_RETURN_IF_ERROR(CheckSolveOptions(options));
  return Solving(instance, options).Run();
}

}  // namespace vrp
