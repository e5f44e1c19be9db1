#include "core/search/model/detour_search.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

constexpr int64_t kMostWorkOfOne = 12'000'000;  // for one unit and one type, without its paths
constexpr int64_t kWorkOfVisit = 24;            // that is considered
constexpr int32_t kChargesPerPoll = 256;
constexpr size_t kMostDetours = 8;  // of one unit
// Detours over up to this many other units come before those over any number.
constexpr size_t kFewOthers = 3;

}  // namespace

DetourSearch::DetourSearch(const Problem& problem, RouteEvaluator& evaluator,
                           const Vehicle& vehicle, const ShortestPaths& to_end)
    : problem_(problem),
      evaluator_(evaluator),
      vehicle_(vehicle),
      to_end_(to_end),
      bound_(problem.units(), 0) {
  for (int32_t u = 0; u < problem.units(); ++u) bound_[u] = problem.unit(u).slot >= 0;
  for (const FrozenSearchRoute& frozen : problem.frozen()) {
    for (int32_t i = 1; i <= frozen.fixed; ++i) {
      const NodeIndex node = frozen.nodes[i];
      if (!problem.is_depot(node)) bound_[problem.UnitOf(node)] = 1;
    }
  }
}

bool DetourSearch::Run(std::span<const NodeIndex> wanted, DetourBudget& budget,
                       std::vector<Detour>& found) {
  const int64_t paths = ShortestPaths::Work(problem_) * std::ssize(wanted);
  if (budget.work < paths) return false;
  budget.work -= paths;
  std::vector<ShortestPaths> ways;
  for (const NodeIndex node : wanted) {
    ways.push_back(ShortestPaths::To(problem_, vehicle_, node, to_end_.Of(node).time, budget.stop));
    if (!ways.back().complete()) return false;
  }
  ways.push_back(to_end_);
  ways_ = ways;
  wanted_ = wanted;
  found_ = &found;
  stop_ = budget.stop;
  const int64_t granted = std::min(budget.work, kMostWorkOfOne);
  work_left_ = granted;
  for (size_t others = 1; others <= kFewOthers && found_->empty() && work_left_ > 0; ++others) {
    Start(others, kMostDetours);
  }
  if (found_->empty()) Start(SIZE_MAX, 1);
  budget.work -= granted - std::max<int64_t>(work_left_, 0);
  return work_left_ > 0;
}

void DetourSearch::Start(size_t most_others, size_t most_found) {
  most_others_ = most_others;
  most_found_ = most_found;
  served_ = bound_;
  nodes_ = {vehicle_.start};
  open_.clear();
  Extend({.time = vehicle_.leaves_from}, 0, 0);
}

void DetourSearch::Extend(const Step& step, size_t done, size_t others) {
  if (done == wanted_.size() && open_.empty() && others > 0) Keep();
  std::vector<std::pair<double, NodeIndex>> next;
  const auto consider = [&](NodeIndex node, size_t then) {
    const std::optional<Step> total = Reaches(step, node, then);
    if (total.has_value()) next.emplace_back(total->distance + total->duration, node);
    Charge(kWorkOfVisit);
  };
  if (done < wanted_.size()) consider(wanted_[done], done);
  for (const NodeIndex node : open_) consider(node, done);
  for (int32_t u = 0; others < most_others_ && u < problem_.units() && work_left_ > 0; ++u) {
    if (served_[u] || u == problem_.UnitOf(wanted_[0])) continue;
    for (const NodeIndex node : problem_.NodesOf(problem_.unit(u))) {
      if (!problem_.IsDelivery(node)) consider(node, done);
    }
  }
  std::sort(next.begin(), next.end());
  for (const auto& [score, node] : next) {
    if (work_left_ <= 0 || found_->size() >= most_found_) return;
    Enter(step, node, done, others);
  }
}

void DetourSearch::Enter(const Step& step, NodeIndex node, size_t done, size_t others) {
  const int32_t u = problem_.UnitOf(node);
  const bool wanted = done < wanted_.size() && node == wanted_[done];
  const auto opened = std::find(open_.begin(), open_.end(), node);
  const std::vector<NodeIndex> open = open_;
  const bool closes = opened != open_.end();
  if (closes) open_.erase(opened);
  const bool begins = !wanted && !closes;
  if (begins && problem_.DeliveryInUnit(node) >= 0) open_.push_back(problem_.DeliveryInUnit(node));
  if (begins) served_[u] = 1;
  const Step there = *Visit(step, node);
  nodes_.push_back(node);
  Charge(std::ssize(nodes_) * problem_.dimensions());
  if (evaluator_.LoadsAndOrderFit(vehicle_, WithEnd())) {
    Extend(there, done + (wanted ? 1 : 0), others + (begins ? 1 : 0));
  }
  nodes_.pop_back();
  if (begins) served_[u] = 0;
  open_ = open;
}

std::optional<DetourSearch::Step> DetourSearch::Reaches(const Step& step, NodeIndex node,
                                                        size_t done) const {
  const std::optional<Step> there = Visit(step, node);
  if (!there.has_value()) return std::nullopt;
  const ShortestPaths::Bound& rest = ways_[done].Of(node);
  if (there->time > rest.time + problem_.time_slack()) return std::nullopt;
  const Step total = {there->time, there->distance + rest.distance,
                      there->duration + rest.duration};
  if (total.distance > vehicle_.distance_limit) return std::nullopt;
  if (!problem_.InTime(total.duration, vehicle_.duration_limit)) return std::nullopt;
  return total;
}

std::optional<DetourSearch::Step> DetourSearch::Visit(const Step& step, NodeIndex node) const {
  const NodeIndex from = nodes_.back();
  const double distance = problem_.Distance(vehicle_, from, node);
  const double travel = problem_.Duration(vehicle_, from, node, distance);
  const bool first = nodes_.size() == 1;
  const NodeIndex before = first ? from : nodes_[nodes_.size() - 2];
  const double work = first ? 0 : problem_.Handling(vehicle_, before, from);
  const double time = problem_.Earliest(node, step.time + work + travel);
  if (time == Problem::kNever) return std::nullopt;
  return Step{time, step.distance + distance, step.duration + work + travel};
}

std::span<const NodeIndex> DetourSearch::WithEnd() {
  nodes_with_end_ = nodes_;
  nodes_with_end_.push_back(vehicle_.end);
  return nodes_with_end_;
}

void DetourSearch::Keep() {
  Charge(kWorkOfVisit * std::ssize(nodes_));
  if (!evaluator_.Evaluate(vehicle_, WithEnd()).feasible) return;
  Detour detour(nodes_.begin() + 1, nodes_.end());
  if (std::find(found_->begin(), found_->end(), detour) == found_->end()) {
    found_->push_back(std::move(detour));
  }
}

void DetourSearch::Charge(int64_t steps) {
  work_left_ -= steps;
  if (++until_poll_ < kChargesPerPoll) return;
  until_poll_ = 0;
  if (stop_.ShouldStop()) work_left_ = 0;
}

}  // namespace vrp
