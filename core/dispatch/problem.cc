#include "core/dispatch/problem.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

// Returns the site's nodes of the depot and of the requests' addresses.
std::vector<NodeIndex> NodesOf(std::span<const ProblemRequest> requests) {
  std::vector<NodeIndex> nodes = {0};
  for (const ProblemRequest& request : requests) nodes.push_back(request.request->customer);
  return nodes;
}

// Returns the rows and columns of `matrix`, which has `size` rows.
std::vector<double> Selected(const std::vector<double>& matrix, size_t size,
                             const std::vector<int32_t>& rows) {
  std::vector<double> selected;
  if (matrix.empty()) return selected;
  selected.reserve(rows.size() * rows.size());
  for (const int32_t from : rows) {
    const double* const row = matrix.data() + from * size;
    for (const int32_t to : rows) selected.push_back(row[to]);
  }
  return selected;
}

std::vector<TimedMatrix> Selected(const std::vector<TimedMatrix>& list, size_t size,
                                  const std::vector<int32_t>& rows) {
  std::vector<TimedMatrix> selected;
  selected.reserve(list.size());
  for (const TimedMatrix& timed : list) {
    selected.push_back({timed.at, Selected(timed.durations, size, rows)});
  }
  return selected;
}

// Copies the rows of an instance or of a vehicle type.
template <typename Matrices>
void SelectMatrices(const Matrices& all, size_t size, const std::vector<int32_t>& rows,
                    Matrices& data) {
  data.distance_matrix = Selected(all.distance_matrix, size, rows);
  data.length_matrix = Selected(all.length_matrix, size, rows);
  data.duration_matrix = Selected(all.duration_matrix, size, rows);
  data.duration_matrices = Selected(all.duration_matrices, size, rows);
}

// Returns the available vehicle types without their matrices.
std::vector<VehicleType> Vehicles(const Instance& site, std::span<const int32_t> available,
                                  std::vector<int32_t>& types) {
  std::vector<VehicleType> vehicles;
  for (size_t i = 0; i < site.vehicles().size(); ++i) {
    if (!available.empty() && available[i] == 0) continue;
    VehicleType vehicle = site.vehicles()[i];
    if (!available.empty()) vehicle.count = std::max(0, available[i]);
    types.push_back(static_cast<int32_t>(i));
    vehicles.push_back(std::move(vehicle));
  }
  return vehicles;
}

// Sets the values of each node that do not depend on the request.
void SelectNodeFields(const InstanceData& all, const std::vector<NodeIndex>& nodes,
                      InstanceData& data) {
  if (!all.positions.empty()) {
    for (const NodeIndex node : nodes) data.positions.push_back(all.positions[node]);
  }
  if (!all.setups.empty()) {
    for (const NodeIndex node : nodes) data.setups.push_back(all.setups[node]);
  }
  if (!all.required_skills.empty()) {
    for (const NodeIndex node : nodes) data.required_skills.push_back(all.required_skills[node]);
  }
}

void SetRequestFields(const DispatchSite& site, std::span<const ProblemRequest> requests,
                      double departure, InstanceData& data) {
  const Instance& instance = site.instance();
  TimeWindow depot = instance.window(0);
  depot.open = std::max(depot.open, departure);
  depot.close = std::max(depot.close, depot.open);
  data.windows.push_back(depot);
  data.services.push_back(instance.service(0));
  data.demands.assign(instance.load_dimensions(), 0);
  bool waits = false;
  bool has_prize = false;
  for (const ProblemRequest& request : requests) {
    const DispatchRequest& order = *request.request;
    data.windows.push_back(order.window);
    data.services.push_back(order.service);
    data.demands.insert(data.demands.end(), order.demand.begin(), order.demand.end());
    waits = waits || request.release > depot.open;
    has_prize = has_prize || request.prize != kNoLimit;
  }
  if (waits) {
    data.releases.push_back(0);
    for (const ProblemRequest& request : requests) data.releases.push_back(request.release);
  }
  if (has_prize) {
    data.prizes.push_back(kNoLimit);
    for (const ProblemRequest& request : requests) data.prizes.push_back(request.prize);
  }
}

}  // namespace

absl::StatusOr<DispatchProblem> DispatchProblem::Create(const DispatchSite& site,
                                                        std::span<const ProblemRequest> requests,
                                                        double departure,
                                                        std::span<const int32_t> available) {
  const InstanceData& all = site.instance().data();
  DispatchProblem problem;
  InstanceData data = {.name = all.name,
                       .kind = ProblemKind::kVrptw,
                       .metric = all.metric,
                       .objective = all.objective,
                       .coordinates = all.coordinates,
                       .load_dimensions = all.load_dimensions,
                       .vehicles = Vehicles(site.instance(), available, problem.types_),
                       .speed = all.speed,
                       .units = all.units};
  if (requests.empty() || data.vehicles.empty()) return problem;
  const std::vector<NodeIndex> nodes = NodesOf(requests);
  SelectNodeFields(all, nodes, data);
  SetRequestFields(site, requests, departure, data);
  const size_t size = MatrixSize(all);
  if (size > 0) {
    std::vector<int32_t> rows = nodes;
    if (!all.matrix_rows.empty()) {
      for (int32_t& row : rows) row = all.matrix_rows[row];
    }
    SelectMatrices(all, size, rows, data);
    for (VehicleType& vehicle : data.vehicles) {
      SelectMatrices(VehicleType(vehicle), size, rows, vehicle);
    }
  }
  VRP_ASSIGN_OR_RETURN(problem.instance_, Instance::Create(std::move(data)));
  return problem;
}

Plan DispatchProblem::ToRequests(const Plan& plan) const {
  Plan converted;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    PlannedRoute& added = converted.emplace_back();
    added.vehicle_type = types_[route.vehicle_type];
    for (const NodeIndex node : route.customers) added.customers.push_back(node - 1);
  }
  return converted;
}

Plan DispatchProblem::FromRequests(const Plan& plan) const {
  Plan converted;
  for (const PlannedRoute& route : plan) {
    const auto type = std::find(types_.begin(), types_.end(), route.vehicle_type);
    if (route.customers.empty() || type == types_.end()) continue;
    PlannedRoute& added = converted.emplace_back();
    added.vehicle_type = static_cast<int32_t>(std::distance(types_.begin(), type));
    for (const NodeIndex request : route.customers) added.customers.push_back(request + 1);
  }
  return converted;
}

}  // namespace vrp
