// The place of dispatching: a depot, its vehicles and the addresses of its customers.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/dispatch/request.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// An instance whose customers are addresses. Their demands, windows and service times are the
// values that requests have by default, and those from which days are drawn. Immutable;
// thread-safe; copies share the data.
class DispatchSite {
 public:
  // Returns kUnimplemented for features that have no meaning for single requests or for parts of a
  // day: `shipments: not supported by dispatch`.
  static absl::StatusOr<DispatchSite> Create(Instance instance);

  const Instance& instance() const { return instance_; }
  // Returns the mean travel time between the depot and the customers, at least a tiny positive
  // number: the unit of time of features and prizes.
  double mean_travel_time() const { return mean_travel_time_; }
  // Returns the mean distance, likewise.
  double mean_distance() const { return mean_distance_; }
  // Returns the close of the depot's window; kNoLimit without one.
  double depot_close() const { return instance_.window(0).close; }

  // Returns a request with the customer's own demand, window and service time.
  DispatchRequest RequestOf(NodeIndex customer, std::string id) const;

  // Returns the time at which service starts at `request` if a vehicle of that type leaves the
  // depot at `departure` and drives there directly. Returns kNoLimit if it is too late there, or
  // too late back at the depot. Ignores loads, breaks and other limits.
  double DirectStart(const VehicleType& vehicle, const DispatchRequest& request,
                     double departure) const;
  // Whether DirectStart is finite for a vehicle of any type.
  bool ReachesDirectly(const DispatchRequest& request, double departure) const;

 private:
  explicit DispatchSite(Instance instance);

  Instance instance_;
  double mean_travel_time_ = 1;
  double mean_distance_ = 1;
};

}  // namespace vrp
