#include "core/solve/solver.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/search/search.h"
#include "core/solve/network_time.h"
#include "core/solve/parallel_search.h"
#include "core/solve/policy_plan.h"
#include "core/solve/small_optimum.h"
#include "core/solve/stop_monitor.h"
#include "core/solve/unserved.h"

namespace vrp {
namespace {

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
constexpr double kClosingShare = 0.4;
// Kept from a policy alone, for search to construct a plan where the policy has none in time; at
// most that share of what is left.
constexpr absl::Duration kConstructing = absl::Microseconds(300);
constexpr absl::Duration kConstructingPerNode = absl::Microseconds(15);
constexpr double kConstructingShare = 0.25;
// SmallOptimum may take that share of what is left.
constexpr double kExactShare = 0.5;
constexpr const char* kNotNeeded = "the instance is so small that every plan was tried";

// One call of Solve.
class Solving {
 public:
  Solving(const Instance& instance, const SolveOptions& options)
      : instance_(instance),
        options_(options),
        started_(SteadyNow()),
        received_(options.received == absl::Time() ? started_ : options.received) {
    const absl::Time end = SolveEndsBy(received_, options.budget, options.deadline);
    caller_is_sooner_ = end < received_ + options.budget;
    stop_ = StopCondition(end, options.cancel);
    answer_.budget = std::max(stop_.deadline() - received_, absl::ZeroDuration());
    answer_.seed = options.seed;
    answer_.times.queue = started_ - received_;
  }

  absl::StatusOr<SolveAnswer> Run() {
    if (IsPolicyAlone(options_.strategy)) {
      VRP_RETURN_IF_ERROR(CheckPolicy());
      return IsHopeless() ? WithoutPolicy() : Finish(Decode(OwnDecode()));
    }
    if (options_.strategy == Strategy::kAuto && options_.policy_named) {
      answer_.policy_note = kNoGain;
    }
    if (const std::optional<Plan> best = ProvenBest(); best.has_value()) return CloseProven(*best);
    std::vector<Plan> seeds;
    if (options_.strategy == Strategy::kSeeded) seeds = AskPolicy();
    VRP_ASSIGN_OR_RETURN(const Plan plan, SearchPlan(std::move(seeds)));
    return Close(plan);
  }

  // For the policy alone, in place of Run: the request to the batcher, and the answer by its
  // outcome. If IsHopeless(), WithoutPolicy() is the answer.
  absl::StatusOr<DecodeJoin> Ask() const {
    VRP_RETURN_IF_ERROR(CheckPolicy());
    return JoinOf(OwnDecode());
  }
  absl::StatusOr<SolveAnswer> Finish(DecodeOutcome outcome) {
    return Finish(Checked(std::move(outcome)));
  }

  // Whether asking the policy would only take time from the search, because it lately took longer
  // than there is time.
  bool IsHopeless() const {
    if (options_.network_only || options_.batcher == nullptr) return false;
    const DecodeJoin join = JoinOf(OwnDecode());
    return options_.batcher->IsHopeless(join, join.options.stop.deadline() - SteadyNow());
  }

  // Search's plan in place of the policy's, which has none in time; where the caller wants no
  // other, an error. The plan comes first: the time that the policy needs may have to be measured.
  absl::StatusOr<SolveAnswer> WithoutPolicy() {
    if (options_.network_only) return BudgetTooShort(TimeOfPolicy());
    VRP_ASSIGN_OR_RETURN(const Plan plan, SearchPlan({}));
    answer_.policy_note = LateNote(TimeOfPolicy());
    return Close(plan);
  }

 private:
  std::optional<Plan> ProvenBest() const {
    const absl::Time now = SteadyNow();
    return SmallOptimum(instance_, stop_.Sooner(now + (stop_.deadline() - now) * kExactShare));
  }

  absl::StatusOr<SolveAnswer> CloseProven(const Plan& plan) {
    if (options_.strategy == Strategy::kSeeded) answer_.policy_note = kNotNeeded;
    answer_.times.search = SteadyNow() - started_;
    answer_.ended_by = SolveEnd::kOptimal;
    if (options_.on_improvement != nullptr) {
      options_.on_improvement(plan, PlanCost(instance_, plan));
    }
    return Close(plan);
  }

  // `seeds`: a policy's plans, the best first, to start from the first beside those that were given
  // and to be guided by all.
  absl::StatusOr<Plan> SearchPlan(std::vector<Plan> seeds) {
    const absl::Time begun = SteadyNow();
    StopMonitor monitor(instance_, options_.stop, stop_.Sooner(SearchEnds()), Earlier());
    SearchOptions search;
    search.stop = monitor.stop();
    search.max_iterations = options_.max_iterations;
    search.seed = options_.seed;
    search.initial = options_.initial;
    answer_.strategy = seeds.empty() ? Strategy::kSearch : Strategy::kSeeded;
    if (!seeds.empty()) search.initial.push_back(seeds.front());
    if (seeds.size() > 1) search.samples = std::move(seeds);
    const auto found = [&](const Plan& plan, Cost cost) {
      monitor.Found(plan);
      if (options_.on_improvement != nullptr) options_.on_improvement(plan, cost);
    };
    VRP_ASSIGN_OR_RETURN(SearchResult result,
                         ParallelSearch(instance_, search, options_.threads, found));
    answer_.iterations = result.iterations;
    answer_.threads = options_.threads;
    answer_.ended_by = EndOf(result.ended_by, monitor.VerdictOn(result.plan));
    answer_.times.search = SteadyNow() - begun;
    return std::move(result.plan);
  }

  StopMonitor::Earlier Earlier() const {
    StopMonitor::Earlier earlier{.since_improvement = options_.since_improvement};
    if (options_.since_improvement <= absl::ZeroDuration()) return earlier;
    for (const Plan& plan : options_.initial) {
      if (!BreaksNoRule(CheckPlan(instance_, plan))) continue;
      const PlanValue value = ValueOf(instance_, plan);
      if (!earlier.best.has_value() || value < *earlier.best) earlier.best = value;
    }
    return earlier;
  }

  absl::Time SearchEnds() const {
    const absl::Duration checking =
        kClosingPerNode * (IsPlain(instance_) ? 1 : 2) * instance_.num_nodes();
    return stop_.deadline() - std::min(options_.reserve + checking, answer_.budget * kClosingShare);
  }

  absl::Status CheckPolicy() const {
    VRP_RETURN_IF_ERROR(options_.policy->Supports(instance_));
    const bool improves = options_.strategy == Strategy::kImproved;
    return improves ? options_.policy->Improves(instance_) : absl::OkStatus();
  }

  // Leaves time for a plan by search.
  absl::Time DecodeEnds() const {
    if (options_.network_only) return stop_.deadline();
    const absl::Duration left = std::max(stop_.deadline() - SteadyNow(), absl::ZeroDuration());
    const absl::Duration construction =
        kConstructing + kConstructingPerNode * instance_.num_nodes();
    return stop_.deadline() - std::min(construction, left * kConstructingShare);
  }

  DecodeOptions OwnDecode() const {
    DecodeOptions decode;
    decode.stop = stop_;
    if (options_.strategy == Strategy::kImproved) {
      decode.improvement = {.rounds = options_.rounds, .until = SearchEnds()};
      return decode;
    }
    decode.stop = stop_.Sooner(DecodeEnds());
    if (options_.strategy == Strategy::kMultiStart) {
      decode.method = DecodeMethod::kMultiStart;
      decode.width = 0;
      decode.augmentations = kMaxAugmentations;
    } else if (options_.strategy != Strategy::kGreedy) {
      const bool samples = options_.strategy == Strategy::kSample;
      decode.method = samples ? DecodeMethod::kSample : DecodeMethod::kBeam;
      decode.width = options_.width;
    }
    return decode;
  }

  // Of the policy alone.
  absl::StatusOr<SolveAnswer> Finish(absl::StatusOr<DecodedPlan> decoded) {
    if (absl::IsDeadlineExceeded(decoded.status())) return WithoutPolicy();
    VRP_RETURN_IF_ERROR(decoded.status());
    answer_.strategy = options_.strategy;
    answer_.threads = JoinOf(OwnDecode()).threads;
    answer_.ended_by = SolveEnd::kComplete;
    if (options_.strategy == Strategy::kImproved) {
      answer_.iterations = decoded->rounds;
      answer_.times.search = decoded->improving;
      answer_.times.decode -= decoded->improving;
      answer_.ended_by =
          EndOf(decoded->rounds == options_.rounds ? SearchEnd::kIterations : SearchEnd::kDeadline,
                StopMonitor::Verdict::kNone);
    }
    return Close(decoded->plan);
  }

  DecodeJoin JoinOf(DecodeOptions decode) const {
    decode.seed = options_.seed;
    // One greedy tour is work for one thread; samples, beams and starts are shared.
    const bool shared = decode.method != DecodeMethod::kGreedy;
    return {.policy = options_.policy,
            .instance = instance_,
            .options = std::move(decode),
            .threads = shared ? options_.threads : 1,
            .importance = options_.importance};
  }

  NetworkTime TimeOfPolicy() const {
    const DecodeJoin join = JoinOf(OwnDecode());
    return {.strategy = options_.strategy,
            .customers = instance_.num_customers(),
            .needed = options_.batcher != nullptr
                          ? options_.batcher->TimeOf(join)
                          : MeasuredTime(join).value_or(absl::ZeroDuration()),
            .budget = answer_.budget,
            .by_deadline = caller_is_sooner_};
  }

  absl::StatusOr<DecodedPlan> Decode(DecodeOptions decode) {
    const DecodeJoin join = JoinOf(std::move(decode));
    if (options_.batcher != nullptr) return Checked(options_.batcher->Decode(join));
    const absl::Time begun = SteadyNow();
    DecodeOutcome outcome{.plan = DecodeAlone(join)};
    outcome.computed = SteadyNow() - begun;
    return Checked(std::move(outcome));
  }

  absl::StatusOr<DecodedPlan> Checked(DecodeOutcome outcome) {
    answer_.times.joining += outcome.waited;
    answer_.times.decode += outcome.computed;
    return CheckedPlan(*options_.policy, instance_, std::move(outcome.plan));
  }

  // The policy's greedy plan, and where there is time for them samples; the best first. Nothing,
  // and a note, where it gives none in its share of the time.
  std::vector<Plan> AskPolicy() {
    const absl::Time now = SteadyNow();
    if (stop_.ShouldStop()) {
      answer_.policy_note = "no time was left for the policy";
      return {};
    }
    if (const absl::Status known = CheckPolicy(); !known.ok()) {
      answer_.policy_note = std::string(known.message());
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

  SolveEnd EndOf(SearchEnd end, StopMonitor::Verdict verdict) const {
    if (verdict == StopMonitor::Verdict::kOptimal) return SolveEnd::kOptimal;
    if (verdict == StopMonitor::Verdict::kTarget) return SolveEnd::kTarget;
    switch (end) {
      case SearchEnd::kDeadline:
        if (verdict == StopMonitor::Verdict::kNoImprovement) return SolveEnd::kNoImprovement;
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

// A call of SolveLater.
struct PendingSolve {
  PendingSolve(Instance given, SolveOptions how)
      : instance(std::move(given)), options(std::move(how)), solving(instance, options) {}

  const Instance instance;
  const SolveOptions options;
  Solving solving;
};

}  // namespace

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
    case SolveEnd::kNoImprovement:
      return "no_improvement";
    case SolveEnd::kTarget:
      return "target";
    case SolveEnd::kOptimal:
      return "optimal";
  }
  return "";
}

absl::StatusOr<SolveAnswer> Solve(const Instance& instance, const SolveOptions& options) {
  VRP_RETURN_IF_ERROR(CheckSolveOptions(options));
  return Solving(instance, options).Run();
}

void SolveLater(Instance instance, SolveOptions options,
                absl::AnyInvocable<void(absl::StatusOr<SolveAnswer>)> done) {
  DecodeBatcher* const batcher = options.batcher;
  if (batcher == nullptr || !IsPolicyAlone(options.strategy)) {
    return done(Solve(instance, options));
  }
  const absl::Status sound = CheckSolveOptions(options);
  if (!sound.ok()) return done(sound);
  const auto pending = std::make_shared<PendingSolve>(std::move(instance), std::move(options));
  absl::StatusOr<DecodeJoin> join = pending->solving.Ask();
  if (!join.ok()) return done(join.status());
  if (pending->solving.IsHopeless()) return done(pending->solving.WithoutPolicy());
  batcher->Submit(*std::move(join),
                  [pending, done = std::move(done)](DecodeOutcome outcome) mutable {
                    done(pending->solving.Finish(std::move(outcome)));
                  });
}

}  // namespace vrp
