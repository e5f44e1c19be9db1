#include "core/solve/parallel_search.h"

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/search/shared_plans.h"

namespace vrp {
namespace {

int64_t Served(const Plan& plan) {
  int64_t count = 0;
  for (const PlannedRoute& route : plan) count += std::ssize(route.customers);
  return count;
}

bool IsBetter(const SearchResult& a, const SearchResult& b) {
  const int64_t served_a = Served(a.plan);
  const int64_t served_b = Served(b.plan);
  return served_a != served_b ? served_a > served_b : a.cost < b.cost;
}

}  // namespace

absl::StatusOr<SearchResult> ParallelSearch(const Instance& instance, const SearchOptions& options,
                                            int32_t threads) {
  std::vector<absl::StatusOr<SearchResult>> results(
      threads, absl::StatusOr<SearchResult>(absl::CancelledError()));
  SharedPlans shared;
  const auto run = [&](int32_t index) {
    SearchOptions own = options;
    if (threads > 1) own.shared = &shared;
    own.index = index;
    own.seed = options.seed + static_cast<uint64_t>(index);
    results[index] = Search(instance, own);
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
