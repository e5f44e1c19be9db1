#include <limits>
#include <utility>
#include <vector>

#include "core/search/build/construct.h"
#include "core/search/model/problem.h"
#include "core/search/model/search_options.h"

namespace vrp {
namespace {

class Walker {
 public:
  Walker(const Problem& problem, const StopCondition& stop) : problem_(problem), stop_(stop) {
    for (NodeIndex node = 1; node < problem.size(); ++node) {
      if (problem.Servable(node)) waiting_.push_back(node);
    }
  }

  Plan Run() {
    Plan plan;
    while (!waiting_.empty() && std::ssize(plan) < problem_.max_routes() && !stop_.ShouldStop()) {
      plan.push_back({.vehicle_type = 0, .customers = Tour()});
    }
    return plan;
  }

 private:
  std::vector<NodeIndex> Tour() {
    std::vector<NodeIndex> tour;
    at_ = 0;
    departure_ = problem_.DepartureAfter(0, problem_.open(0));
    load_ = 0;
    while (!stop_.ShouldStop()) {
      const int64_t next = Nearest();
      if (next < 0) break;
      const NodeIndex node = waiting_[next];
      departure_ = problem_.DepartureAfter(node, departure_ + problem_.Duration(at_, node));
      load_ += problem_.demand(node);
      at_ = node;
      tour.push_back(node);
      waiting_.erase(waiting_.begin() + next);
    }
    return tour;
  }

  // An index into waiting_; -1: none fits.
  int64_t Nearest() const {
    int64_t best = -1;
    double best_distance = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < std::ssize(waiting_); ++i) {
      const double distance = problem_.Distance(at_, waiting_[i]);
      if (distance >= best_distance || !Fits(waiting_[i])) continue;
      best = i;
      best_distance = distance;
    }
    return best;
  }

  bool Fits(NodeIndex node) const {
    if (!problem_.Fits(load_ + problem_.demand(node))) return false;
    if (!problem_.timed()) return true;
    const double arrival = departure_ + problem_.Duration(at_, node);
    return problem_.InTime(arrival, problem_.close(node)) &&
           problem_.InTime(problem_.DepartureAfter(node, arrival) + problem_.Duration(node, 0),
                           problem_.close(0));
  }

  const Problem& problem_;
  const StopCondition& stop_;
  std::vector<NodeIndex> waiting_;  // in the order of their numbers, so that the lowest wins a tie
  NodeIndex at_ = 0;
  double departure_ = 0;
  double load_ = 0;
};

}  // namespace

Plan NearestNeighbourPlan(const Instance& instance, const StopCondition& stop) {
  if (!IsPlain(instance)) return {};
  const StopCondition no_lists(absl::InfinitePast(), nullptr);  // they are not needed
  const Problem problem = Problem::Create(instance, no_lists);
  return Walker(problem, stop).Run();
}

}  // namespace vrp
