// When nodes can be served.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/problem/instance/instance.h"

namespace vrp {

// Windows, services, setups and releases of all nodes. Immutable; thread-safe.
class NodeTimes {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // Which parts of the data there are.
  bool timed() const { return timed_; }  // anything can be too early or too late
  bool soft() const { return !late_cost_.empty(); }
  bool has_setups() const { return !setup_.empty(); }
  // Some vehicle has times of its own. Services and setups are then the least of all vehicles, and
  // has_setups() holds.
  bool has_customer_times() const { return has_customer_times_; }
  bool has_further_windows() const { return !further_.empty(); }
  bool single_windows() const { return setup_.empty() && further_.empty(); }
  bool has_releases() const { return !release_.empty(); }
  bool has_loading() const { return has_loading_; }  // at some depot

  double service(NodeIndex node) const { return service_[node]; }  // at depots: loading
  double release(NodeIndex node) const { return release_.empty() ? 0 : release_[node]; }
  double open(NodeIndex node) const { return open_[node]; }
  double close(NodeIndex node) const { return close_[node]; }  // of the first window; soft: never
  double late_from(NodeIndex node) const { return late_from_[node]; }  // the last window's close
  double time_slack() const { return time_slack_; }
  bool InTime(double time, double limit) const { return time <= limit + time_slack_; }
  // Returns the end of a service that is reached at `arrival`, before the only window closes.
  double DepartureAfter(NodeIndex node, double arrival) const {
    return (arrival > open_[node] ? arrival : open_[node]) + service_[node];
  }
  // The earliest start in the node's windows from `time` on, late where a window is soft; kNever:
  // none.
  double Earliest(NodeIndex node, double time) const {
    if (time <= close_[node] + time_slack_) return time > open_[node] ? time : open_[node];
    return further_.empty() ? kNever : EarliestFurther(node, time);
  }
  // The latest start up to `time`, late where that is allowed; -kNever: none.
  double Latest(NodeIndex node, double time) const {
    if (!further_.empty()) return LatestFurther(node, time, false);
    return LatestUntil(node, time, close_[node]);
  }
  // As Latest, but not late.
  double LatestOnTime(NodeIndex node, double time) const {
    if (!further_.empty()) return LatestFurther(node, time, true);
    return LatestUntil(node, time, late_from_[node]);
  }
  double LateCost(NodeIndex node, double start) const {
    return start > late_from_[node] ? late_cost_[node] * (start - late_from_[node]) : 0;
  }
  // Returns the node's first window, and the others.
  TimeWindow FirstWindow(NodeIndex node) const;
  std::span<const TimeWindow> FurtherWindows(NodeIndex node) const;

 protected:
  explicit NodeTimes(const Instance& instance);

  // Makes windows that `instance` has as hard ones soft: a start after the last one closes costs
  // `penalty` for each unit of time.
  void PenaliseLateness(const Instance& instance, double penalty);

  std::vector<double> service_, setup_;  // [N]; setup_ is empty without setups
  double time_slack_ = 0;                // room for rounding
  bool timed_ = false;

 private:
  void ReadFurther(const InstanceData& data);
  void ReadCustomerTimes(const InstanceData& data);
  double EarliestFurther(NodeIndex node, double time) const;
  double LatestFurther(NodeIndex node, double time, bool on_time) const;
  double LatestUntil(NodeIndex node, double time, double close) const {
    if (time < open_[node] - time_slack_) return -kNever;
    return time < close ? time : close;
  }

  bool has_customer_times_ = false, has_loading_ = false;
  std::vector<double> release_, open_, close_, late_from_, late_cost_;  // [N] or empty
  std::vector<int32_t> further_begin_;                                  // [N + 1], or empty
  std::vector<TimeWindow> further_;                                     // after the first windows
};

}  // namespace vrp
