#include "core/search/model/node_times.h"

#include <algorithm>
#include <cmath>

#include "core/search/model/vehicle.h"

namespace vrp {
namespace {

// Returns the close of a window; its opening if it never closes.
double EndOf(const TimeWindow& window) {
  return std::isfinite(window.close) ? window.close : window.open;
}

}  // namespace

NodeTimes::NodeTimes(const Instance& instance)
    : setup_(instance.data().setups), release_(instance.data().releases) {
  const InstanceData& data = instance.data();
  const int32_t size = instance.num_nodes();
  service_ = data.services;
  service_.resize(size, 0.0);
  has_loading_ = std::any_of(service_.begin(), service_.begin() + instance.num_depots(),
                             [](double loading) { return loading > 0; });
  ReadFurther(data);
  ReadCustomerTimes(data);
  open_.resize(size);
  close_.resize(size);
  late_from_.resize(size);
  double horizon = 0;
  bool soft = false;
  for (NodeIndex node = 0; node < size; ++node) {
    const TimeWindow window = instance.window(node);
    const bool several = !further_.empty() && !data.further_windows[node].empty();
    const TimeWindow& last = several ? data.further_windows[node].back() : window;
    open_[node] = window.open;
    close_[node] = window.soft() ? kNoLimit : window.close;
    late_from_[node] = last.close;
    soft = soft || (last.soft() && last.close != kNoLimit);
    if (last.soft()) {
      late_cost_.resize(size, 0.0);
      late_cost_[node] = last.late_cost;
    }
    timed_ = timed_ || window.open > 0 || last.close != kNoLimit || release(node) > 0;
    if (std::isfinite(last.close)) horizon = std::max(horizon, std::abs(last.close));
    horizon = std::max(horizon, last.open);
  }
  if (!soft) late_cost_.clear();
  for (const VehicleType& type : data.vehicles) {
    timed_ = timed_ || !type.breaks.empty() || type.shift.open > 0 || type.shift.close != kNoLimit;
    horizon = std::max(horizon, EndOf(type.shift));
    for (const Break& pause : type.breaks) {
      horizon = std::max(horizon, EndOf(pause.window));
      for (const TimeWindow& window : pause.further_windows) {
        horizon = std::max(horizon, EndOf(window));
      }
    }
  }
  time_slack_ = horizon * kRelativeSlack;
}

void NodeTimes::PenaliseLateness(const Instance& instance, double penalty) {
  const auto size = static_cast<NodeIndex>(open_.size());
  late_cost_.resize(size, 0.0);
  for (NodeIndex node = 0; node < size; ++node) {
    const TimeWindow first = instance.window(node);
    const auto further =
        further_.empty() ? std::span<const TimeWindow>() : instance.data().further_windows[node];
    const TimeWindow& last = further.empty() ? first : further.back();
    if (last.soft() || last.close == kNoLimit) continue;
    late_cost_[node] = penalty;
    if (further.empty()) {
      close_[node] = kNoLimit;
    } else {
      further_[further_begin_[node + 1] - 1].late_cost = penalty;
    }
  }
}

TimeWindow NodeTimes::FirstWindow(NodeIndex node) const {
  if (!FurtherWindows(node).empty()) return {.open = open_[node], .close = close_[node]};
  const bool is_soft = close_[node] == kNoLimit && late_from_[node] != kNoLimit;
  return {.open = open_[node],
          .close = late_from_[node],
          .late_cost = is_soft ? late_cost_[node] : kNoLimit};
}

std::span<const TimeWindow> NodeTimes::FurtherWindows(NodeIndex node) const {
  if (further_.empty()) return {};
  return {further_.data() + further_begin_[node],
          static_cast<size_t>(further_begin_[node + 1] - further_begin_[node])};
}

void NodeTimes::ReadFurther(const InstanceData& data) {
  if (data.further_windows.empty()) return;
  further_begin_.push_back(0);
  for (const std::vector<TimeWindow>& further : data.further_windows) {
    further_.insert(further_.end(), further.begin(), further.end());
    further_begin_.push_back(static_cast<int32_t>(further_.size()));
  }
}

void NodeTimes::ReadCustomerTimes(const InstanceData& data) {
  has_customer_times_ = std::ranges::any_of(
      data.vehicles, [](const VehicleType& type) { return !type.customer_times.empty(); });
  if (!has_customer_times_) return;
  setup_.resize(service_.size(), 0.0);
  for (const VehicleType& type : data.vehicles) {
    for (const CustomerTimes& times : type.customer_times) {
      service_[times.customer] = std::min(service_[times.customer], times.service);
      setup_[times.customer] = std::min(setup_[times.customer], times.setup);
    }
  }
}

double NodeTimes::EarliestFurther(NodeIndex node, double time) const {
  for (int32_t w = further_begin_[node]; w < further_begin_[node + 1]; ++w) {
    const TimeWindow& window = further_[w];
    if (time <= window.close + time_slack_ || window.soft()) return std::max(time, window.open);
  }
  return kNever;
}

double NodeTimes::LatestFurther(NodeIndex node, double time, bool on_time) const {
  for (int32_t w = further_begin_[node + 1] - 1; w >= further_begin_[node]; --w) {
    const TimeWindow& window = further_[w];
    if (time < window.open - time_slack_) continue;
    return window.soft() && !on_time ? time : std::min(time, window.close);
  }
  const bool only = further_begin_[node] == further_begin_[node + 1];
  return LatestUntil(node, time, only && on_time ? late_from_[node] : close_[node]);
}

}  // namespace vrp
