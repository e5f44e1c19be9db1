#include "core/solve/parallel_search.h"

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status_macros.h"
#include "core/search/shared_plans.h"

namespace vrp {
namespace {

int64_t Served(const Plan& plan) {
  int64_t count = 0;
  for (const PlannedRoute& route : plan) count += std::ssize(route.customers);
  return count;
}

bool IsBetter(int64_t served, Cost cost, int64_t other_served, Cost other_cost) {
  return served != other_served ? served > other_served : cost < other_cost;
}

bool IsBetter(const SearchResult& a, const SearchResult& b) {
  return IsBetter(Served(a.plan), a.cost, Served(b.plan), b.cost);
}

// What the searches have found together, for the one who is told of it. Thread-safe.
class Improvements {
 public:
  explicit Improvements(const std::function<void(const Plan&, Cost)>& tell) : tell_(tell) {}

  void Found(const Plan& plan, Cost cost) {
    if (tell_ == nullptr) return;
    const int64_t served = Served(plan);
    absl::MutexLock lock(&mutex_);
    if (!IsBetter(served, cost, served_, cost_)) return;
    served_ = served;
    cost_ = cost;
    tell_(plan, cost);
  }

 private:
  const std::function<void(const Plan&, Cost)>& tell_;
  absl::Mutex mutex_;
  int64_t served_ ABSL_GUARDED_BY(mutex_) = -1;
  Cost cost_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

absl::StatusOr<SearchResult> ParallelSearch(
    const Instance& instance, const SearchOptions& options, int32_t threads,
    const std::function<void(const Plan&, Cost)>& on_improvement) {
  Improvements improvements(on_improvement);
  std::vector<absl::StatusOr<SearchResult>> results(
      threads, absl::StatusOr<SearchResult>(absl::CancelledError()));
  SharedPlans shared;
  const auto run = [&](int32_t index) {
    SearchOptions own = options;
    if (threads > 1) own.shared = &shared;
    own.index = index;
    own.seed = options.seed + static_cast<uint64_t>(index);
    results[index] =
        Search(instance, own, [&](const Plan& plan, Cost cost) { improvements.Found(plan, cost); });
  };
  std::vector<std::thread> workers;
  workers.reserve(threads);
  int32_t started = 1;
  for (; started < threads; ++started) {
    try {
      workers.emplace_back(run, started);
    } catch (const std::system_error&) {
      break;
    }
  }
  run(0);
  for (std::thread& worker : workers) worker.join();

  VRP_ASSIGN_OR_RETURN(SearchResult best, std::move(results[0]));
  int64_t iterations = best.iterations;
  for (int32_t index = 1; index < started; ++index) {
    VRP_ASSIGN_OR_RETURN(SearchResult other, std::move(results[index]));
    iterations += other.iterations;
    if (IsBetter(other, best)) best = std::move(other);
  }
  best.iterations = iterations;
  return best;
}

}  // namespace vrp
