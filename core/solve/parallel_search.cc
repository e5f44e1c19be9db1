#include "core/solve/parallel_search.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/run_on_threads.h"
#include "core/base/status_macros.h"
#include "core/search/model/shared_plans.h"
#include "core/search/portfolio.h"

namespace vrp {
namespace {

// A reporter of the best plan of all searches. Thread-safe.
class BestPlanReporter {
 public:
  BestPlanReporter(const Instance& instance,
                   const std::function<void(const Plan&, Cost)>& on_improvement)
      : instance_(instance), on_improvement_(on_improvement) {}

  void Report(const Plan& plan, Cost cost) {
    if (on_improvement_ == nullptr) return;
    const PlanValue value = ValueOf(instance_, plan);
    absl::MutexLock lock(&mutex_);
    if (best_.has_value() && !(value < *best_)) return;
    best_ = value;
    on_improvement_(plan, cost);
  }

 private:
  const Instance& instance_;
  const std::function<void(const Plan&, Cost)>& on_improvement_;
  absl::Mutex mutex_;
  std::optional<PlanValue> best_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<SearchResult> ParallelSearch(
    const Instance& instance, const SearchOptions& options, int32_t threads,
    const std::function<void(const Plan&, Cost)>& on_improvement) {
  BestPlanReporter reporter(instance, on_improvement);
  const auto report = [&](const Plan& plan, Cost cost) { reporter.Report(plan, cost); };
  if (threads > 1 && SearchesTogether(instance, options.stop)) {
    SearchOptions shared_options = options;
    shared_options.threads = threads;
    return Search(instance, shared_options, report);
  }
  std::vector<absl::StatusOr<SearchResult>> results(
      threads, absl::StatusOr<SearchResult>(absl::CancelledError()));
  SharedPlans shared;
  const int32_t started = RunOnThreads(threads, [&](int32_t index) {
    SearchOptions thread_options = options;
    if (threads > 1) thread_options.shared = &shared;
    thread_options.index = index;
    thread_options.seed = options.seed + static_cast<uint64_t>(index);
    results[index] = Search(instance, thread_options, report);
  });

  VRP_ASSIGN_OR_RETURN(SearchResult best, std::move(results[0]));
  int64_t iterations = best.iterations;
  for (int32_t index = 1; index < started; ++index) {
    VRP_ASSIGN_OR_RETURN(SearchResult other, std::move(results[index]));
    iterations += other.iterations;
    if (ValueOf(instance, other.plan) < ValueOf(instance, best.plan)) best = std::move(other);
  }
  best.iterations = iterations;
  return best;
}

}  // namespace vrp
