#include "core/search/node_selection.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/base/huge_pages.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/problem/checker/freeze.h"
#include "core/search/space_curve.h"

namespace vrp {
namespace {

// Of an element, read, written and validated.
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

std::vector<double> SelectedMatrix(const std::vector<double>& matrix, const InstanceData& all,
                                   const std::vector<NodeIndex>& nodes) {
  if (matrix.empty() || !all.matrix_rows.empty()) return matrix;
  const int64_t size = NodeCount(all);
  std::vector<double> selected = ReserveInHugePages<double>(nodes.size() * nodes.size());
  std::vector<double> row(nodes.size());
  for (const NodeIndex from : nodes) {
    const double* const entries = matrix.data() + from * size;
    for (size_t i = 0; i < nodes.size(); ++i) row[i] = entries[nodes[i]];
    selected.insert(selected.end(), row.begin(), row.end());
  }
  return selected;
}

// With the nodes of shipments and groups as `all` numbers them, without vehicles' own matrices, and
// without feature columns, which only networks read.
InstanceData DataOf(const Instance& instance, const std::vector<NodeIndex>& nodes) {
  static_assert(sizeof(InstanceData) == 600, "a new member of InstanceData belongs here too");
  const InstanceData& all = instance.data();
  const int64_t loads = all.load_dimensions;
  return {.name = all.name,
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
          .shipments = all.shipments,
          .alternative_groups = all.alternative_groups,
          .vehicles = all.vehicles,
          .speed = all.speed,
          .distance_matrix = SelectedMatrix(all.distance_matrix, all, nodes),
          .duration_matrix = SelectedMatrix(all.duration_matrix, all, nodes),
          .matrix_rows = Selected(all.matrix_rows, nodes),
          .units = all.units};
}

// The place of each of `size` nodes in `nodes`; -1: in none.
std::vector<NodeIndex> Reversed(const std::vector<NodeIndex>& nodes, int64_t size) {
  std::vector<NodeIndex> places(size, -1);
  for (size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = static_cast<NodeIndex>(i);
  return places;
}

// From the last depot always on to the nearest: O(N^2).
std::vector<NodeIndex> NearestOrder(const Instance& instance) {
  std::vector<NodeIndex> order(instance.num_nodes());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = instance.num_depots(); i < order.size(); ++i) {
    const NodeIndex from = order[i - 1];
    const auto nearer = [&](NodeIndex a, NodeIndex b) {
      return instance.Distance(from, a) < instance.Distance(from, b);
    };
    std::iter_swap(order.begin() + i, std::min_element(order.begin() + i, order.end(), nearer));
  }
  return order;
}

std::vector<NodeIndex> OrderOf(const Instance& instance) {
  if (!instance.has_positions()) return NearestOrder(instance);
  const std::vector<NodeIndex> on_curve = CurveOrder(instance);
  std::vector<NodeIndex> order(instance.num_depots());
  std::iota(order.begin(), order.end(), 0);
  std::copy_if(on_curve.begin(), on_curve.end(), std::back_inserter(order),
               [&](NodeIndex node) { return !instance.is_depot(node); });
  return order;
}

// Of both matrices together.
double MatrixElements(const Instance& instance) {
  return static_cast<double>(instance.data().distance_matrix.size() +
                             instance.data().duration_matrix.size());
}

bool HasOwnMatrices(const Instance& instance) {
  return std::any_of(instance.vehicles().begin(), instance.vehicles().end(),
                     [](const VehicleType& vehicle) {
                       return !vehicle.distance_matrix.empty() || !vehicle.duration_matrix.empty();
                     });
}

}  // namespace

absl::StatusOr<NodeSelection> NodeSelection::Of(const Instance& instance,
                                                std::vector<NodeIndex> nodes, int32_t vehicles) {
  InstanceData data = DataOf(instance, nodes);
  if (!data.vehicles.empty()) data.vehicles.front().count = vehicles;
  VRP_ASSIGN_OR_RETURN(Instance selected, Instance::Create(std::move(data)));
  return NodeSelection(std::move(selected), std::move(nodes), instance.num_nodes());
}

absl::StatusOr<NodeSelection> NodeSelection::OfAll(const Instance& instance,
                                                   std::vector<NodeIndex> nodes) {
  InstanceData data = DataOf(instance, nodes);
  const std::vector<NodeIndex> numbers = Reversed(nodes, instance.num_nodes());
  const auto renumber = [&](NodeIndex& node) { node = numbers[node]; };
  for (Shipment& shipment : data.shipments) {
    renumber(shipment.pickup);
    renumber(shipment.delivery);
  }
  for (std::vector<NodeIndex>& group : data.alternative_groups) {
    std::for_each(group.begin(), group.end(), renumber);
  }
  std::vector<FrozenRoute> frozen(instance.frozen().begin(), instance.frozen().end());
  for (FrozenRoute& route : frozen) {
    std::for_each(route.visits.begin(), route.visits.end(), renumber);
  }
  VRP_ASSIGN_OR_RETURN(Instance renumbered, Instance::Create(std::move(data)));
  if (!frozen.empty()) {
    VRP_ASSIGN_OR_RETURN(renumbered, Freeze(renumbered, std::move(frozen)));
  }
  return NodeSelection(std::move(renumbered), std::move(nodes), instance.num_nodes());
}

NodeSelection::NodeSelection(Instance instance, std::vector<NodeIndex> nodes, int64_t given_nodes)
    : instance_(std::move(instance)),
      nodes_(std::move(nodes)),
      selected_(Reversed(nodes_, given_nodes)) {}

Plan NodeSelection::Renumbered(const Plan& plan, const std::vector<NodeIndex>& numbers) {
  Plan renumbered;
  renumbered.reserve(plan.size());
  for (const PlannedRoute& route : plan) {
    PlannedRoute& to = renumbered.emplace_back(PlannedRoute{route.vehicle_type, {}});
    for (const NodeIndex node : route.customers) {
      if (node < 0 || node >= std::ssize(numbers) || numbers[node] < 0) continue;
      to.customers.push_back(numbers[node]);
    }
  }
  return renumbered;
}

std::optional<NodeSelection> InCurveOrder(const Instance& instance, const StopCondition& stop) {
  const absl::Duration copying = MatrixElements(instance) * kMatrixCopy;
  if (stop.deadline() - SteadyNow() < kWorthwhile * copying) return std::nullopt;
  if (HasOwnMatrices(instance)) return std::nullopt;
  absl::StatusOr<NodeSelection> selection = NodeSelection::OfAll(instance, OrderOf(instance));
  if (!selection.ok()) return std::nullopt;
  return *std::move(selection);
}

}  // namespace vrp
