// The part of an instance that one estimate is about, in flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Largest number of customers of one estimate, whose distances are computed pair by pair.
inline constexpr int32_t kMaxEstimatedCustomers = 1000;

// The depot and the chosen customers of an instance. Node 0 is the depot. A new choice reuses the
// memory of the one before. Not thread-safe.
class Subproblem {
 public:
  // Returns kUnimplemented if estimates do not know a feature of `instance`, and kInvalidArgument
  // for a TSP. The text names the field.
  static absl::Status CheckInstance(const Instance& instance);

  // Chooses `customers` of `instance`, which CheckInstance must accept; nodes from 1 to
  // num_customers(). Returns kInvalidArgument, and names the customer, if there are none or more
  // than kMaxEstimatedCustomers, if one is out of range or occurs twice, or if no route can serve
  // it.
  absl::Status Choose(const Instance& instance, std::span<const NodeIndex> customers);
  // Chooses all customers.
  absl::Status ChooseAll(const Instance& instance);

  int32_t nodes() const { return nodes_; }  // N, with the depot
  int32_t customers() const { return nodes_ - 1; }
  bool timed() const { return timed_; }  // whether there are windows or service times
  // All lengths are in units of `scale`, the mean distance from the depot, and all times in those
  // of the travel time over it. 0: all customers are at the depot.
  double scale() const { return scale_; }
  float Distance(int32_t i, int32_t j) const { return distances_[size_t(i) * nodes_ + j]; }
  const float* DistancesFrom(int32_t i) const { return &distances_[size_t(i) * nodes_]; }
  // Coordinates with the depot in the origin.
  float x(int32_t i) const { return x_[i]; }
  float y(int32_t i) const { return y_[i]; }
  float load(int32_t i) const { return load_[i]; }  // share of the capacity
  // Times: the window, in which service starts, and the service time. Without windows, `close` is
  // the horizon.
  float open(int32_t i) const { return open_[i]; }
  float close(int32_t i) const { return close_[i]; }
  float service(int32_t i) const { return service_[i]; }
  bool has_window(int32_t i) const { return has_window_[i] != 0; }
  float horizon() const { return close_[0]; }  // latest return to the depot

 private:
  absl::Status CheckCustomer(const Instance& instance, NodeIndex customer);
  void Place(const Instance& instance, std::span<const NodeIndex> customers);
  void SetTimes(const Instance& instance, std::span<const NodeIndex> customers);

  int32_t nodes_ = 0;
  bool timed_ = false;
  double scale_ = 0;
  std::vector<float> distances_, x_, y_, load_, open_, close_, service_;
  std::vector<char> has_window_;
  std::vector<char> chosen_;    // [nodes of the instance]
  std::vector<NodeIndex> all_;  // of ChooseAll
};

}  // namespace vrp
