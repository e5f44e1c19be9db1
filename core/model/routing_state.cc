#include "core/model/routing_state.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

size_t Index(int32_t node) { return static_cast<size_t>(node); }

}  // namespace

int32_t MaxSteps(int32_t nodes) { return 2 * nodes; }

RoutingState::RoutingState(const NetworkInput* input)
    : input_(input),
      visited_(static_cast<size_t>(input->size()), 0),
      left_(input->size() - 1),
      time_(input->instance.window(0).open) {
  visited_[0] = 1;
}

RoutingState::Arrival RoutingState::ArrivalAt(int32_t node) const {
  const Instance& instance = input_->instance;
  const NodeIndex to = input_->order[Index(node)];
  const double travel = instance.Duration(input_->order[Index(current_)], to);
  const double open = instance.window(to).open;
  Arrival arrival{.at = time_ + travel, .route_start = route_start_};
  // A vehicle that would wait at its first customer leaves the depot later instead.
  if (current_ == 0) arrival.route_start = std::max(time_, open - travel);
  arrival.leave = std::max(arrival.at, open) + instance.service(to);
  return arrival;
}

bool RoutingState::InTime(int32_t node) const {
  const Instance& instance = input_->instance;
  const NodeIndex to = input_->order[Index(node)];
  const Arrival arrival = ArrivalAt(node);
  const TimeWindow window = instance.window(to);
  if (std::max(arrival.at, window.open) > window.close) return false;
  if (instance.kind() == ProblemKind::kTsp) return true;
  const double back = arrival.leave + instance.Duration(to, 0);
  const VehicleType& vehicle = instance.vehicles().front();
  return back <= instance.window(0).close && back - arrival.route_start <= vehicle.max_duration;
}

bool RoutingState::Allowed(int32_t node) const {
  if (node == 0)
    return left_ == 0 || (current_ != 0 && input_->instance.kind() != ProblemKind::kTsp);
  if (visited_[Index(node)] != 0) return false;
  const Instance& instance = input_->instance;
  const double load = load_ + instance.demand(input_->order[Index(node)]);
  return load <= instance.capacity() && (!input_->timed || InTime(node));
}

void RoutingState::WriteDynamic(int32_t node, std::span<float> to) const {
  to[kVisitedFeature] = node == 0 ? 0.0f : static_cast<float>(visited_[Index(node)]);
  to[1] = static_cast<float>(input_->Between(current_, node));
  to[2] = static_cast<float>(input_->depot_distances[Index(node)]);
  to[3] = to[4] = 0;
  if (input_->horizon <= 0) return;
  const TimeWindow window = input_->instance.window(input_->order[Index(node)]);
  const double arrival = ArrivalAt(node).at;
  to[3] = static_cast<float>(std::clamp((window.open - arrival) / input_->horizon, 0.0, 1.0));
  to[4] = static_cast<float>(std::clamp((window.close - arrival) / input_->horizon, -1.0, 1.0));
}

bool RoutingState::Observe(const Observation& to) const {
  bool any = false;
  for (int32_t node = 0; node < input_->size(); ++node) {
    const bool allowed = Allowed(node);
    to.forbidden[Index(node)] = allowed ? 0 : 1;
    any = any || allowed;
    WriteDynamic(node, to.dynamic.subspan(Index(node) * kDynamicFeatures, kDynamicFeatures));
  }
  const Instance& instance = input_->instance;
  const double capacity = instance.capacity();
  const bool limited = capacity != kNoLimit && capacity > 0;
  const double gone = input_->horizon > 0 ? (time_ - instance.window(0).open) / input_->horizon : 0;
  to.context[0] = limited ? static_cast<float>(1 - load_ / capacity) : 1.0f;
  to.context[1] = static_cast<float>(std::min(gone, 1.0));
  to.context[2] = static_cast<float>(left_) / static_cast<float>(std::max(1, input_->size() - 1));
  return any;
}

void RoutingState::Take(int32_t node) {
  if (done()) return;
  const Instance& instance = input_->instance;
  const NodeIndex to = input_->order[Index(node)];
  distance_ += instance.Distance(input_->order[Index(current_)], to);
  visits_.push_back(node);
  if (node == 0) {
    load_ = 0;
    time_ = instance.window(0).open;
  } else {
    const Arrival arrival = ArrivalAt(node);
    load_ += instance.demand(to);
    time_ = arrival.leave;
    route_start_ = arrival.route_start;
    visited_[Index(node)] = 1;
    --left_;
  }
  current_ = node;
  if (!done()) return;
  distance_ += instance.Distance(to, 0);
  current_ = 0;
}

Plan RoutingState::MakePlan() const {
  Plan plan;
  for (size_t i = 0; i < visits_.size(); ++i) {
    if (visits_[i] == 0) continue;
    if (i == 0 || visits_[i - 1] == 0) plan.push_back({});
    plan.back().customers.push_back(input_->order[Index(visits_[i])]);
  }
  return plan;
}

NodeIndex RoutingState::FirstUnvisited() const {
  const auto found = std::find(visited_.begin(), visited_.end(), 0);
  if (found == visited_.end()) return -1;
  return input_->order[static_cast<size_t>(found - visited_.begin())];
}

std::vector<int32_t> PlanToChoices(const NetworkInput& input, const Plan& plan) {
  std::vector<int32_t> place(input.order.size());
  for (int32_t k = 0; k < input.size(); ++k) place[Index(input.order[Index(k)])] = k;
  std::vector<std::vector<int32_t>> routes;
  for (const PlannedRoute& planned : plan) {
    if (planned.customers.empty()) continue;
    std::vector<int32_t> route;
    for (const NodeIndex node : planned.customers) route.push_back(place[Index(node)]);
    const bool turns = !input.timed && !input.instance.has_distance_matrix();
    if (turns && route.front() > route.back()) std::reverse(route.begin(), route.end());
    routes.push_back(std::move(route));
  }
  std::sort(routes.begin(), routes.end());
  std::vector<int32_t> choices;
  for (const std::vector<int32_t>& route : routes) {
    if (!choices.empty()) choices.push_back(0);
    choices.insert(choices.end(), route.begin(), route.end());
  }
  return choices;
}

}  // namespace vrp
