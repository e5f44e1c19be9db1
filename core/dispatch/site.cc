#include "core/dispatch/site.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/problem/instance/features.h"

namespace vrp {
namespace {

// The features that keep their meaning where a part of a day's requests is planned at a time.
const std::vector<Feature>& KnownFeatures() {
  static const auto* const features = new std::vector<Feature>(
      {Feature::kObjective,      Feature::kVehicleTypes,    Feature::kOpenEnd,
       Feature::kLoadDimensions, Feature::kMaxDuration,     Feature::kMaxDistance,
       Feature::kMaxWaiting,     Feature::kMaxStops,        Feature::kShift,
       Feature::kOvertime,       Feature::kLatestStart,     Feature::kSkills,
       Feature::kBreaks,         Feature::kVehicleMatrix,   Feature::kCompartments,
       Feature::kTimeOfDay,      Feature::kSoftWindows,     Feature::kSetupTimes,
       Feature::kMatrixRows,     Feature::kServiceTimeCost, Feature::kDrivingRules,
       Feature::kDepotService,   Feature::kTravelTimeCost,  Feature::kLengthMatrix});
  return *features;
}

constexpr double kTiny = 1e-9;

}  // namespace

absl::StatusOr<DispatchSite> DispatchSite::Create(Instance instance) {
  if (instance.kind() == ProblemKind::kTsp) {
    return absl::UnimplementedError("kind: tsp is not supported by dispatch; use cvrp or vrptw");
  }
  VRP_RETURN_IF_ERROR(RefuseFeatures(instance, KnownFeatures(), "dispatch"));
  return DispatchSite(std::move(instance));
}

DispatchSite::DispatchSite(Instance instance) : instance_(std::move(instance)) {
  const int32_t customers = instance_.num_customers();
  if (customers == 0) return;
  double time = 0;
  double distance = 0;
  for (NodeIndex node = 1; node <= customers; ++node) {
    time += instance_.Duration(0, node) + instance_.Duration(node, 0);
    distance += instance_.Distance(0, node) + instance_.Distance(node, 0);
  }
  mean_travel_time_ = std::max(kTiny, time / (2.0 * customers));
  mean_distance_ = std::max(kTiny, distance / (2.0 * customers));
}

DispatchRequest DispatchSite::RequestOf(NodeIndex customer, std::string id) const {
  DispatchRequest request = {.id = std::move(id),
                             .customer = customer,
                             .window = instance_.window(customer),
                             .service = instance_.service(customer)};
  for (int32_t k = 0; k < instance_.load_dimensions(); ++k) {
    request.demand.push_back(instance_.demand(customer, k));
  }
  return request;
}

double DispatchSite::DirectStart(const VehicleType& vehicle, const DispatchRequest& request,
                                 double departure) const {
  const TimeWindow depot = instance_.window(0);
  departure = std::max({departure, depot.open, vehicle.shift.open});
  if (departure > vehicle.latest_start) return kNoLimit;
  const double arrival = departure + instance_.Duration(vehicle, 0, request.customer, departure);
  const double start = std::max(arrival, request.window.open);
  if (start > request.window.close && !request.window.soft()) return kNoLimit;
  const double leaves = start + request.service;
  if (vehicle.open_end) return leaves <= vehicle.shift.close ? start : kNoLimit;
  const double end = leaves + instance_.Duration(vehicle, request.customer, 0, leaves);
  return end <= std::min(depot.close, vehicle.shift.close) ? start : kNoLimit;
}

bool DispatchSite::ReachesDirectly(const DispatchRequest& request, double departure) const {
  return std::any_of(instance_.vehicles().begin(), instance_.vehicles().end(),
                     [&](const VehicleType& vehicle) {
                       return DirectStart(vehicle, request, departure) != kNoLimit;
                     });
}

}  // namespace vrp
