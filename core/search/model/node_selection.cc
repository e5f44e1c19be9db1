#include "core/search/model/node_selection.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/huge_pages.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/freeze.h"
#include "core/problem/instance/customer_rules.h"
#include "core/search/model/space_curve.h"

namespace vrp {
namespace {

// Time to read, write and validate one element.
constexpr absl::Duration kMatrixCopy = absl::Nanoseconds(10);
constexpr double kWorthwhile = 10;

// Of `width` values for each node.
template <typename T>
std::vector<T> Selected(const std::vector<T>& values, const std::vector<NodeIndex>& nodes,
                        int64_t width = 1) {
  std::vector<T> selected;
  if (values.empty()) return selected;
  selected.reserve(nodes.size() * width);
  for (const NodeIndex node : nodes) {
    const auto row = values.begin() + node * width;
    selected.insert(selected.end(), row, row + width);
  }
  return selected;
}

// Returns the place of each of `size` numbers in `chosen`; -1: in none.
std::vector<int32_t> Reversed(const std::vector<int32_t>& chosen, int64_t size) {
  std::vector<int32_t> places(size, -1);
  for (size_t i = 0; i < chosen.size(); ++i) places[chosen[i]] = static_cast<int32_t>(i);
  return places;
}

// Returns the rows and columns of a matrix that `rows` lists.
std::vector<double> SelectedMatrix(const std::vector<double>& matrix, int64_t size,
                                   const std::vector<int32_t>& rows) {
  if (matrix.empty()) return {};
  std::vector<double> selected = ReserveInHugePages<double>(rows.size() * rows.size());
  std::vector<double> row(rows.size());
  for (const int32_t from : rows) {
    const double* const entries = matrix.data() + from * size;
    for (size_t i = 0; i < rows.size(); ++i) row[i] = entries[rows[i]];
    selected.insert(selected.end(), row.begin(), row.end());
  }
  return selected;
}

std::vector<TimedMatrix> SelectedMatrices(const std::vector<TimedMatrix>& list, int64_t size,
                                          const std::vector<int32_t>& rows) {
  std::vector<TimedMatrix> selected;
  for (const TimedMatrix& timed : list) {
    selected.push_back({timed.at, SelectedMatrix(timed.durations, size, rows)});
  }
  return selected;
}

// Selects the matrices of the instance and of its vehicle types, and their rows.
void SelectMatrices(const InstanceData& all, const std::vector<NodeIndex>& nodes,
                    InstanceData& data) {
  const int64_t size = MatrixSize(all);
  if (size == 0) return;
  const bool shares_rows = !all.matrix_rows.empty();
  if (shares_rows && std::ssize(nodes) >= size) {
    data.matrix_rows = Selected(all.matrix_rows, nodes);
    data.distance_matrix = all.distance_matrix;
    data.length_matrix = all.length_matrix;
    data.duration_matrix = all.duration_matrix;
    data.duration_matrices = all.duration_matrices;
    return;
  }
  const std::vector<int32_t> rows = shares_rows ? Selected(all.matrix_rows, nodes) : nodes;
  data.distance_matrix = SelectedMatrix(all.distance_matrix, size, rows);
  data.length_matrix = SelectedMatrix(all.length_matrix, size, rows);
  data.duration_matrix = SelectedMatrix(all.duration_matrix, size, rows);
  data.duration_matrices = SelectedMatrices(all.duration_matrices, size, rows);
  for (VehicleType& vehicle : data.vehicles) {
    vehicle.distance_matrix = SelectedMatrix(vehicle.distance_matrix, size, rows);
    vehicle.length_matrix = SelectedMatrix(vehicle.length_matrix, size, rows);
    vehicle.duration_matrix = SelectedMatrix(vehicle.duration_matrix, size, rows);
    vehicle.duration_matrices = SelectedMatrices(vehicle.duration_matrices, size, rows);
  }
}

// Selects the times that vehicles have at selected customers. `numbers` maps as in SelectGroups.
void SelectCustomerTimes(const std::vector<NodeIndex>& numbers, VehicleType& vehicle) {
  std::erase_if(vehicle.customer_times,
                [&](const CustomerTimes& times) { return numbers[times.customer] < 0; });
  for (CustomerTimes& times : vehicle.customer_times) times.customer = numbers[times.customer];
}

// Returns the new numbers of the selected ones among `nodes`.
std::vector<NodeIndex> SelectedOf(const std::vector<NodeIndex>& nodes,
                                  const std::vector<NodeIndex>& numbers) {
  std::vector<NodeIndex> selected;
  for (const NodeIndex node : nodes) {
    if (numbers[node] >= 0) selected.push_back(numbers[node]);
  }
  return selected;
}

// Selects the shipments and groups of alternatives of selected nodes. `numbers` maps from the given
// numbers to those of the selection.
void SelectGroups(const InstanceData& all, const std::vector<NodeIndex>& numbers,
                  InstanceData& data) {
  for (Shipment shipment : all.shipments) {
    if (numbers[shipment.pickup] < 0) continue;
    shipment.pickup = numbers[shipment.pickup];
    shipment.delivery = numbers[shipment.delivery];
    data.shipments.push_back(std::move(shipment));
  }
  for (const std::vector<NodeIndex>& group : all.alternative_groups) {
    std::vector<NodeIndex> selected = SelectedOf(group, numbers);
    if (!selected.empty()) data.alternative_groups.push_back(std::move(selected));
  }
}

// Likewise the rules between selected customers.
void SelectRules(const InstanceData& all, const std::vector<NodeIndex>& numbers,
                 InstanceData& data) {
  const auto add = [&](RuleKind kind, const std::vector<NodeIndex>& customers, int32_t max) {
    std::vector<NodeIndex> selected = SelectedOf(customers, numbers);
    if (selected.size() < 2) return;
    data.customer_rules.push_back({.kind = kind, .customers = std::move(selected), .max = max});
  };
  for (const CustomerRule& rule : all.customer_rules) {
    if (rule.kind != RuleKind::kSameRoute) add(rule.kind, rule.customers, rule.max);
  }
  // Rules join by customers that need not be selected.
  for (const std::vector<NodeIndex>& group : SameRouteGroups(all)) {
    add(RuleKind::kSameRoute, group, INT32_MAX);
  }
}

// Selects all but feature columns, which only networks read, and the reference cost.
InstanceData DataOf(const Instance& instance, const std::vector<NodeIndex>& nodes,
                    std::vector<VehicleType> vehicles) {
  static_assert(sizeof(InstanceData) == 712, "a new member of InstanceData belongs here too");
  const InstanceData& all = instance.data();
  const int64_t loads = all.load_dimensions;
  InstanceData data = {.name = all.name,
                       .kind = all.kind,
                       .metric = all.metric,
                       .objective = all.objective,
                       .coordinates = all.coordinates,
                       .num_depots = all.num_depots,
                       .ids = Selected(all.ids, nodes),
                       .positions = Selected(all.positions, nodes),
                       .load_dimensions = all.load_dimensions,
                       .demands = Selected(all.demands, nodes, loads),
                       .backhauls = Selected(all.backhauls, nodes, loads),
                       .pickups = Selected(all.pickups, nodes, loads),
                       .windows = Selected(all.windows, nodes),
                       .further_windows = Selected(all.further_windows, nodes),
                       .services = Selected(all.services, nodes),
                       .setups = Selected(all.setups, nodes),
                       .releases = Selected(all.releases, nodes),
                       .required_skills = Selected(all.required_skills, nodes),
                       .prizes = Selected(all.prizes, nodes),
                       .priorities = Selected(all.priorities, nodes),
                       .vehicles = std::move(vehicles),
                       .speed = all.speed,
                       .balance = all.balance,
                       .units = all.units};
  SelectMatrices(all, nodes, data);
  const std::vector<NodeIndex> numbers = Reversed(nodes, NodeCount(all));
  for (VehicleType& vehicle : data.vehicles) SelectCustomerTimes(numbers, vehicle);
  SelectGroups(all, numbers, data);
  if (!all.customer_rules.empty()) SelectRules(all, numbers, data);
  return data;
}

std::vector<NodeIndex> OrderOf(const Instance& instance) {
  if (!instance.has_positions()) {
    return NearestOrder(instance.num_nodes(), instance.num_depots(), {},
                        [&](NodeIndex a, NodeIndex b) { return instance.Distance(a, b); });
  }
  const std::vector<NodeIndex> on_curve = CurveOrder(instance);
  std::vector<NodeIndex> order(instance.num_depots());
  std::iota(order.begin(), order.end(), 0);
  std::copy_if(on_curve.begin(), on_curve.end(), std::back_inserter(order),
               [&](NodeIndex node) { return !instance.is_depot(node); });
  return order;
}

// Returns the number of entries of all matrices.
double MatrixElements(const Instance& instance) {
  const InstanceData& data = instance.data();
  size_t elements =
      data.distance_matrix.size() + data.length_matrix.size() + data.duration_matrix.size();
  for (const TimedMatrix& timed : data.duration_matrices) elements += timed.durations.size();
  return static_cast<double>(elements);
}

bool HasOwnMatrices(const Instance& instance) {
  return std::ranges::any_of(instance.vehicles(), [](const VehicleType& vehicle) {
    return !vehicle.distance_matrix.empty() || !vehicle.length_matrix.empty() ||
           !vehicle.duration_matrix.empty() || !vehicle.duration_matrices.empty();
  });
}

}  // namespace

absl::StatusOr<NodeSelection> NodeSelection::Of(const Instance& instance,
                                                std::vector<NodeIndex> nodes,
                                                std::span<const VehicleCount> vehicles) {
  std::vector<VehicleType> selected;
  std::vector<int32_t> types;
  for (const auto& [type, count] : vehicles) {
    selected.push_back(instance.vehicles()[type]);
    selected.back().count = count;
    types.push_back(type);
  }
  VRP_ASSIGN_OR_RETURN(Instance part,
                       Instance::Create(DataOf(instance, nodes, std::move(selected))));
  return NodeSelection(std::move(part), std::move(nodes), std::move(types), instance);
}

absl::StatusOr<NodeSelection> NodeSelection::OfAll(const Instance& instance,
                                                   std::vector<NodeIndex> nodes) {
  VRP_ASSIGN_OR_RETURN(Instance renumbered,
                       Instance::Create(DataOf(instance, nodes, instance.data().vehicles)));
  if (!instance.frozen().empty()) {
    const std::vector<NodeIndex> numbers = Reversed(nodes, instance.num_nodes());
    std::vector<FrozenRoute> frozen(instance.frozen().begin(), instance.frozen().end());
    for (FrozenRoute& route : frozen) {
      for (NodeIndex& node : route.visits) node = numbers[node];
    }
    VRP_ASSIGN_OR_RETURN(renumbered, Freeze(renumbered, std::move(frozen)));
  }
  std::vector<int32_t> types(instance.vehicles().size());
  std::iota(types.begin(), types.end(), 0);
  return NodeSelection(std::move(renumbered), std::move(nodes), std::move(types), instance);
}

NodeSelection::NodeSelection(Instance instance, std::vector<NodeIndex> nodes,
                             std::vector<int32_t> types, const Instance& given)
    : instance_(std::move(instance)),
      nodes_(std::move(nodes)),
      selected_(Reversed(nodes_, given.num_nodes())),
      types_(std::move(types)),
      type_to_(Reversed(types_, std::ssize(given.vehicles()))) {}

Plan NodeSelection::Renumbered(const Plan& plan, const std::vector<NodeIndex>& nodes,
                               const std::vector<int32_t>& types) {
  Plan renumbered;
  renumbered.reserve(plan.size());
  const auto number = [](const std::vector<int32_t>& numbers, int32_t of) {
    return of < 0 || of >= std::ssize(numbers) ? -1 : numbers[of];
  };
  for (const PlannedRoute& route : plan) {
    // A TSP has no vehicle types.
    const int32_t type = types.empty() ? route.vehicle_type : number(types, route.vehicle_type);
    if (type < 0) continue;
    PlannedRoute& to = renumbered.emplace_back(PlannedRoute{type, {}});
    for (const NodeIndex node : route.customers) {
      if (number(nodes, node) >= 0) to.customers.push_back(nodes[node]);
    }
  }
  return renumbered;
}

std::optional<NodeSelection> InCurveOrder(const Instance& instance, const StopCondition& stop) {
  const absl::Duration copying = MatrixElements(instance) * kMatrixCopy;
  if (stop.deadline() - SteadyNow() < kWorthwhile * copying) return std::nullopt;
  if (HasOwnMatrices(instance)) return std::nullopt;
  absl::StatusOr<NodeSelection> selection = NodeSelection::OfAll(instance, OrderOf(instance));
  return selection.ok() ? std::optional(*std::move(selection)) : std::nullopt;
}

}  // namespace vrp
