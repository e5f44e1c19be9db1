#include "core/solve/solver.h"

#include <algorithm>
#include <memory>
#include <new>
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
#include "core/solve/policy_client.h"
#include "core/solve/small_optimum.h"
#include "core/solve/stop_monitor.h"
#include "core/solve/unserved.h"

namespace vrp {
namespace {

constexpr const char* kNoGain =
    "no gain from a policy is known at any size or budget; strategy seeded starts the search from "
    "the policy's plan";
// Time per node reserved after the search to compute the solution's times and run the checker. The
// time doubles if there are constraints beyond loads and windows. kClosingShare is the maximum
// share of the budget for this time and SolveOptions::reserve together.
constexpr absl::Duration kClosingPerNode = absl::Microseconds(1);
constexpr double kClosingShare = 0.4;
// Maximum share of the remaining time for SmallOptimum.
constexpr double kExactShare = 0.5;
constexpr const char* kNotNeeded = "the instance is small enough for exact search";

// Runs `solve`. Returns kResourceExhausted if memory runs out, because pool threads do not catch
// exceptions.
template <typename SolveFn>
auto Guarded(SolveFn solve) -> decltype(solve()) {
  try {
    return solve();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("not enough memory to solve this request; make it smaller");
  }
}

// The state of one call of Solve.
class SolveCall {
 public:
  SolveCall(const Instance& instance, const SolveOptions& options)
      : instance_(instance),
        searched_(options.habits == nullptr ? instance : options.habits->searched()),
        options_(options),
        started_(SteadyNow()),
        received_(options.received == absl::Time() ? started_ : options.received),
        frame_(MakeFrame()),
        policy_client_(instance, options, frame_) {
    answer_.budget = frame_.budget;
    answer_.seed = options.seed;
    answer_.times.queue = started_ - received_;
  }

  absl::StatusOr<SolveAnswer> Run() {
    if (IsPolicyAlone(options_.strategy)) {
      VRP_RETURN_IF_ERROR(policy_client_.Check());
      return policy_client_.WouldExceed() ? WithoutPolicy() : Finish(policy_client_.Decode());
    }
    if (options_.strategy == Strategy::kAuto && options_.policy_named) {
      answer_.policy_note = kNoGain;
    }
    if (const std::optional<Plan> best = ProvenBest(); best.has_value()) return CloseProven(*best);
    std::vector<Plan> seeds;
    if (options_.strategy == Strategy::kSeeded) {
      PolicyClient::Seeds given = policy_client_.DecodeSeeds();
      answer_.policy_note = std::move(given.note);
      seeds = std::move(given.plans);
    }
    VRP_ASSIGN_OR_RETURN(const Plan plan, SearchPlan(std::move(seeds)));
    return Close(plan);
  }

  // Returns the request for the batcher. MakeRequest() and Finish() replace Run() if
  // IsPolicyAlone(strategy). If WouldExceed(), WithoutPolicy() replaces Finish().
  absl::StatusOr<PolicyRequest> MakeRequest() {
    VRP_RETURN_IF_ERROR(policy_client_.Check());
    return policy_client_.Request();
  }
  bool WouldExceed() { return policy_client_.WouldExceed(); }
  // Builds the answer from the batcher's outcome.
  absl::StatusOr<SolveAnswer> Finish(DecodeOutcome outcome) {
    return Guarded([&] { return Finish(policy_client_.CheckOutcome(std::move(outcome))); });
  }

  // Builds the answer if the policy would have no plan in time: the search's plan or, with
  // network_only, an error. Searches first, since the policy's time may have to be measured.
  absl::StatusOr<SolveAnswer> WithoutPolicy() {
    return Guarded([this]() -> absl::StatusOr<SolveAnswer> {
      if (options_.network_only) return BudgetTooShort(policy_client_.Time());
      VRP_ASSIGN_OR_RETURN(const Plan plan, SearchPlan({}));
      answer_.policy_note = LateDecodingNote(policy_client_.Time());
      return Close(plan);
    });
  }

 private:
  std::optional<Plan> ProvenBest() const {
    const absl::Time now = SteadyNow();
    const absl::Duration share = (frame_.stop.deadline() - now) * kExactShare;
    return SmallOptimum(searched_, frame_.stop.Sooner(now + share));
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

  // Searches from the first seed and the initial plans, guided by all seeds. `seeds` are a policy's
  // plans, the best first.
  absl::StatusOr<Plan> SearchPlan(std::vector<Plan> seeds) {
    const absl::Time start = SteadyNow();
    StopMonitor monitor(StopMonitor::Instances{.searched = &searched_, .priced = &instance_},
                        options_.stop, frame_.stop.Sooner(frame_.search_ends), Earlier());
    SearchOptions search;
    search.stop = monitor.stop();
    search.max_iterations = options_.max_iterations;
    search.seed = options_.seed;
    search.initial = options_.initial;
    answer_.strategy = seeds.empty() ? Strategy::kSearch : Strategy::kSeeded;
    if (!seeds.empty()) search.initial.push_back(seeds.front());
    if (seeds.size() > 1) search.samples = std::move(seeds);
    const auto found = [&](const Plan& plan, Cost cost) {
      monitor.RecordPlan(plan);
      if (options_.on_improvement == nullptr) return;
      options_.on_improvement(plan, options_.habits == nullptr ? cost : PlanCost(instance_, plan));
    };
    VRP_ASSIGN_OR_RETURN(SearchResult result,
                         ParallelSearch(searched_, search, options_.threads, found));
    answer_.iterations = result.iterations;
    answer_.threads = options_.threads;
    answer_.ended_by = EndOf(result.ended_by, monitor.VerdictOn(result.plan));
    answer_.times.search = SteadyNow() - start;
    return std::move(result.plan);
  }

  StopMonitor::Earlier Earlier() const {
    StopMonitor::Earlier earlier{.since_improvement = options_.since_improvement};
    if (options_.since_improvement <= absl::ZeroDuration()) return earlier;
    for (const Plan& plan : options_.initial) {
      if (!RoutesAreFeasible(CheckPlan(instance_, plan))) continue;
      const PlanValue value = ValueOf(searched_, plan);
      if (!earlier.best.has_value() || value < *earlier.best) earlier.best = value;
    }
    return earlier;
  }

  SolveTimeframe MakeFrame() const {
    const absl::Time end = SolveEndsBy(received_, options_.budget, options_.deadline);
    const absl::Duration budget = std::max(end - received_, absl::ZeroDuration());
    const absl::Duration checking =
        kClosingPerNode * (IsPlain(instance_) ? 1 : 2) * instance_.num_nodes();
    return {.stop = StopCondition(end, options_.cancel),
            .budget = budget,
            .by_deadline = end < received_ + options_.budget,
            .search_ends = end - std::min(options_.reserve + checking, budget * kClosingShare),
            .answer_due = SolveEndsBy(received_, absl::InfiniteDuration(), options_.deadline)};
  }

  // Builds the answer from the policy's plan, or WithoutPolicy()'s if the plan came too late.
  absl::StatusOr<SolveAnswer> Finish(absl::StatusOr<DecodedPlan> decoded) {
    if (absl::IsDeadlineExceeded(decoded.status())) return WithoutPolicy();
    VRP_RETURN_IF_ERROR(decoded.status());
    answer_.strategy = options_.strategy;
    answer_.threads = policy_client_.Request().threads;
    answer_.ended_by = SolveEnd::kFinished;
    if (options_.strategy == Strategy::kImproved) {
      answer_.iterations = decoded->rounds;
      answer_.times.search = decoded->improving;
      answer_.ended_by =
          EndOf(decoded->rounds == options_.rounds ? SearchEnd::kIterations : SearchEnd::kDeadline,
                StopMonitor::Verdict::kNone);
    }
    return Close(decoded->plan);
  }

  SolveEnd EndOf(SearchEnd end, StopMonitor::Verdict verdict) const {
    if (verdict == StopMonitor::Verdict::kOptimal) return SolveEnd::kOptimal;
    if (verdict == StopMonitor::Verdict::kTarget) return SolveEnd::kTarget;
    switch (end) {
      case SearchEnd::kDeadline:
        if (verdict == StopMonitor::Verdict::kNoImprovement) return SolveEnd::kNoImprovement;
        return frame_.by_deadline ? SolveEnd::kDeadline : SolveEnd::kBudget;
      case SearchEnd::kCancelled:
        return SolveEnd::kCancelled;
      case SearchEnd::kIterations:
        return SolveEnd::kIterations;
      case SearchEnd::kLocalOptimum:
        return SolveEnd::kLocalOptimum;
    }
    return SolveEnd::kFinished;
  }

  // Makes the plan as usual, if habits guide the solve.
  Plan Finished(Plan plan) {
    if (options_.habits == nullptr) return plan;
    UsualRoutes usual = options_.habits->Finish(plan, frame_.stop);
    answer_.habits = options_.habits->ScoreOf(usual.plan);
    answer_.habits->moved = usual.moved;
    answer_.habits->turned = usual.turned;
    return std::move(usual.plan);
  }

  absl::StatusOr<SolveAnswer> Close(Plan found) {
    const Plan plan = Finished(std::move(found));
    VRP_ASSIGN_OR_RETURN(Solution solution, MakeSolution(instance_, plan));
    answer_.solution = WithReasons(instance_, std::move(solution));
    answer_.check = CheckPlan(instance_, plan, answer_.solution.cost);
    for (const Violation& violation : answer_.check.violations) {
      if (violation.kind == ViolationKind::kMissingCustomer) continue;
      return absl::InternalError(absl::StrCat("the checker refuses the plan found by ",
                                              ToAbsl(StrategyName(answer_.strategy)), ": ",
                                              violation.message));
    }
    answer_.times.batch_wait = policy_client_.batch_wait();
    answer_.times.decode = policy_client_.decoding();
    if (answer_.strategy == Strategy::kImproved) answer_.times.decode -= answer_.times.search;
    answer_.times.total = SteadyNow() - received_;
    return std::move(answer_);
  }

  const Instance& instance_;
  const Instance& searched_;  // has the costs by which the search compares plans
  const SolveOptions& options_;
  const absl::Time started_;
  const absl::Time received_;
  const SolveTimeframe frame_;
  PolicyClient policy_client_;
  SolveAnswer answer_;
};

// The state of one call of SolveLater.
struct PendingSolve {
  PendingSolve(Instance given, SolveOptions how)
      : instance(std::move(given)), options(std::move(how)), call(instance, options) {}

  const Instance instance;
  const SolveOptions options;
  SolveCall call;
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
    case SolveEnd::kFinished:
      return "finished";
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
  return SolveCall(instance, options).Run();
}

void SolveLater(Instance instance, SolveOptions options,
                absl::AnyInvocable<void(absl::StatusOr<SolveAnswer>)> done) {
  DecodeBatcher* const batcher = options.batcher;
  if (batcher == nullptr || !IsPolicyAlone(options.strategy)) {
    return done(Guarded([&] { return Solve(instance, options); }));
  }
  const absl::Status checked = CheckSolveOptions(options);
  if (!checked.ok()) return done(checked);
  std::shared_ptr<PendingSolve> pending;
  absl::StatusOr<PolicyRequest> join = Guarded([&] {
    pending = std::make_shared<PendingSolve>(std::move(instance), std::move(options));
    return pending->call.MakeRequest();
  });
  if (!join.ok()) return done(join.status());
  if (pending->call.WouldExceed()) return done(pending->call.WithoutPolicy());
  batcher->Submit(*std::move(join),
                  [pending, done = std::move(done)](DecodeOutcome outcome) mutable {
                    done(pending->call.Finish(std::move(outcome)));
                  });
}

}  // namespace vrp
