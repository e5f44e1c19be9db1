// Computes features of a customer that is added to a plan, from which its cost is estimated.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/estimate/quick_savings.h"
#include "core/estimate/subproblem.h"

namespace vrp {

// Features of an added customer. Lengths are in units of the quick plan's cost per customer. An
// insertion is the cheapest one into a quick plan; `insertion` is its mean over quick plans of
// several shapes, because that of a single plan is mostly chance. x of a name in `_1` is
// x / (1 + x), and of one in `_03` x / (1 + x / 0.3), and so on.
inline constexpr auto kAddedFeatures = std::to_array<std::string_view>(
    {"one", "insertion", "insertion_1", "insertion_03", "cheapest_1", "load_distance",
     "load_distance_2", "nearest", "nearest_05", "second", "second_05", "fourth", "depot_distance",
     "window", "load"});
inline constexpr auto kAddedFeatureCount = static_cast<int32_t>(kAddedFeatures.size());

// Some customers of an instance, planned several times, to which others can be added. A new base
// reuses the memory of the one before. Not thread-safe.
class AddedCustomer {
 public:
  using Features = std::array<float, kAddedFeatureCount>;

  // Plans `customers` of `instance`, which must outlive the calls of Compute. Returns the errors of
  // Subproblem::Choose.
  absl::Status SetBase(const Instance& instance, std::span<const NodeIndex> customers);
  // Returns the features of serving `customer` beside the base. Returns the errors of
  // Subproblem::Choose, and kInvalidArgument if all customers are at the depot.
  absl::StatusOr<Features> Compute(NodeIndex customer);

  // Whether the last customer's problem has windows or service times.
  bool timed() const { return larger_.timed(); }
  // The unit of lengths, in that of the instance; above 0 after Compute.
  double unit() const { return unit_; }

 private:
  // A plan as a sequence of nodes: routes, each between two depots, and the load of the route at
  // each place.
  struct Tour {
    std::vector<int32_t> nodes;
    std::vector<float> loads;
  };

  void SetTour(QuickSavings& savings, Tour& tour);
  // Computes when service may start at each place of a tour, and when it must at the latest.
  void Schedule(const Tour& tour);
  // Returns the length of the cheapest insertion of the last node of larger_, in its scale.
  float CheapestInsertion(const Tour& tour);

  const Instance* instance_ = nullptr;
  std::vector<NodeIndex> chosen_;  // the base's customers, then the added one
  Subproblem base_, larger_;
  QuickSavings savings_;
  std::vector<Tour> tours_;
  double base_cost_ = 0;  // of the quick plan, in the instance's unit
  double unit_ = 0;
  std::vector<float> start_, latest_;
  std::vector<float> nearest_;
};

}  // namespace vrp
