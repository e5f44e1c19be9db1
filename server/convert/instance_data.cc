#include "server/convert/instance_data.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/problem/instance/instance_rules.h"
#include "server/convert/vehicle_convert.h"

namespace vrp {
namespace {

// Units by the names that callers give them; nullopt: there is no name, 0: one that is not known.
std::optional<double> MetresOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return name == "m" ? 1 : name == "km" ? 1000 : 0;
}

std::optional<double> SecondsOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return name == "s" ? 1 : name == "min" ? 60 : name == "h" ? 3600 : 0;
}

Objective ObjectiveOf(const v1::Instance& message) {
  const std::optional<Objective> stated = ObjectiveFromProto(message.objective());
  if (stated.has_value()) return *stated;
  const bool costs = std::any_of(
      message.vehicles().begin(), message.vehicles().end(), [](const v1::Vehicle& vehicle) {
        return vehicle.has_fixed_cost() || vehicle.has_cost_per_distance() ||
               vehicle.has_cost_per_time() || vehicle.has_overtime_cost();
      });
  return costs ? Objective::kCost : Objective::kDistance;
}

// As many as any list of loads or capacities has entries; at least one.
int LoadDimensions(const v1::Instance& message) {
  int most = 1;
  for (const v1::Customer& customer : message.customers()) {
    most =
        std::max({most, customer.demand_size(), customer.backhaul_size(), customer.pickup_size()});
  }
  for (const v1::Vehicle& vehicle : message.vehicles()) {
    most = std::max(most, vehicle.capacity_size());
  }
  for (const v1::Shipment& shipment : message.shipments()) {
    most = std::max(most, shipment.amount_size());
  }
  return most;
}

class Converter {
 public:
  Converter(const v1::Instance& message, const MatrixSource* matrices)
      : message_(message), matrices_(matrices) {}

  DataConversion Run() && {
    if (!ConvertSizes()) return std::move(result_);
    ConvertHead();
    ConvertIds();
    ConvertPositions();
    ConvertLoads();
    ConvertTimes();
    ConvertWorth();
    ConvertWindows();
    ConvertRequests();
    ConvertFeatures();
    for (int i = 0; i < message_.vehicles_size(); ++i) ConvertVehicle(i);
    ConvertMatrices("", message_, data());
    return std::move(result_);
  }

 private:
  InstanceData& data() { return result_.data; }

  template <typename... Parts>
  void Invalid(std::string_view field, const Parts&... parts) {
    if (result_.invalid.size() < 100) {
      result_.invalid.push_back({std::string(field), Concat(parts...)});
    }
  }

  // Nothing is allocated before these hold.
  bool ConvertSizes() {
    const int64_t nodes = int64_t{message_.depots_size()} + message_.customers_size();
    if (message_.depots_size() == 0) Invalid("depots", "absent, wanted at least one");
    if (message_.customers_size() == 0) Invalid("customers", "absent, wanted at least one");
    if (nodes > int64_t{kMaxNodes}) {
      Invalid("customers", nodes, " nodes exceed the limit of ", kMaxNodes);
    }
    if (message_.vehicles_size() > int64_t{kMaxVehicles}) {
      Invalid("vehicles", message_.vehicles_size(), " types exceed the limit of ", kMaxVehicles);
    }
    const int dimensions = LoadDimensions(message_);
    if (dimensions > kMaxLoadDimensions) {
      Invalid("customers", "have ", dimensions, " load dimensions, wanted at most ",
              kMaxLoadDimensions);
    }
    dimensions_ = static_cast<size_t>(dimensions);
    depots_ = static_cast<size_t>(message_.depots_size());
    nodes_ = static_cast<size_t>(nodes);
    return result_.invalid.empty();
  }

  void ConvertHead() {
    data().name = message_.name();
    data().metric = MetricFromProto(message_.metric()).value_or(Metric::kExact);
    data().objective = ObjectiveOf(message_);
    if (message_.coordinate_system() == v1::COORDINATE_SYSTEM_LON_LAT) {
      data().coordinates = CoordinateSystem::kLonLat;
    }
    data().load_dimensions = static_cast<int32_t>(dimensions_);
    data().num_depots = message_.depots_size();
    data().units = {.metres_per_distance = MetresOf(message_.distance_unit()),
                    .seconds_per_time = SecondsOf(message_.time_unit())};
    data().speed = message_.speed() == 0 ? 1 : message_.speed();
    if (message_.has_reference_cost()) data().reference_cost = message_.reference_cost();
    data().kind = Kind();
  }

  bool AnyWindow() const {
    for (const v1::Depot& depot : message_.depots()) {
      if (depot.has_time_window()) return true;
    }
    for (const v1::Customer& customer : message_.customers()) {
      if (customer.time_windows_size() > 0) return true;
    }
    return false;
  }

  bool AnyLoad() const {
    if (message_.vehicles_size() > 0 || message_.shipments_size() > 0) return true;
    return std::any_of(message_.customers().begin(), message_.customers().end(),
                       [](const v1::Customer& customer) {
                         return customer.demand_size() > 0 || customer.backhaul_size() > 0 ||
                                customer.pickup_size() > 0;
                       });
  }

  ProblemKind Kind() const {
    switch (message_.problem_type()) {
      case v1::PROBLEM_TYPE_TSP:
        return ProblemKind::kTsp;
      case v1::PROBLEM_TYPE_CVRP:
        return ProblemKind::kCvrp;
      case v1::PROBLEM_TYPE_VRPTW:
        return ProblemKind::kVrptw;
      default:
        if (AnyWindow()) return ProblemKind::kVrptw;
        return AnyLoad() ? ProblemKind::kCvrp : ProblemKind::kTsp;
    }
  }

  void ConvertIds() {
    data().ids.reserve(nodes_);
    const auto add = [this](const std::string& id) {
      data().ids.push_back(id.empty() ? Concat(data().ids.size()) : id);
    };
    for (const v1::Depot& depot : message_.depots()) add(depot.id());
    for (const v1::Customer& customer : message_.customers()) add(customer.id());
  }

  // All nodes have a location, or none has and there is a matrix.
  void ConvertPositions() {
    std::vector<std::string> absent;
    const auto add = [&](const auto& node, std::string_view list, int index) {
      if (!node.has_location()) absent.push_back(Concat(list, "[", index, "].location"));
      data().positions.push_back({node.location().x(), node.location().y()});
    };
    for (int i = 0; i < message_.depots_size(); ++i) add(message_.depots(i), "depots", i);
    for (int i = 0; i < message_.customers_size(); ++i) add(message_.customers(i), "customers", i);
    if (absent.empty()) return;
    if (absent.size() < nodes_) {
      for (const std::string& field : absent) Invalid(field, "absent, while other nodes have one");
      return;
    }
    data().positions.clear();
    if (!message_.has_distance_matrix() && message_.matrices().empty()) {
      Invalid("distance_matrix", "absent, and no node has a location either");
    }
  }

  const v1::Customer& CustomerAt(size_t node) const {
    return message_.customers(static_cast<int>(node - depots_));
  }

  // One value for each customer and `otherwise` for depots; empty where all are that.
  template <typename T, typename ValueOf>
  std::vector<T> Values(T otherwise, ValueOf value_of) const {
    std::vector<T> values(nodes_, otherwise);
    for (size_t node = depots_; node < nodes_; ++node) values[node] = value_of(CustomerAt(node));
    const bool any = std::any_of(values.begin(), values.end(),
                                 [&](const T& value) { return !(value == otherwise); });
    if (!any) values.clear();
    return values;
  }

  // [N, K]; empty where all are 0.
  template <typename LoadsOf>
  std::vector<double> Loads(LoadsOf loads_of) const {
    std::vector<double> all(nodes_ * dimensions_, 0);
    for (size_t node = depots_; node < nodes_; ++node) {
      const auto& loads = loads_of(CustomerAt(node));
      std::copy(loads.begin(), loads.end(),
                all.begin() + static_cast<std::ptrdiff_t>(node * dimensions_));
    }
    const bool any = std::any_of(all.begin(), all.end(), [](double load) { return load != 0; });
    if (!any) all.clear();
    return all;
  }

  void ConvertLoads() {
    data().demands = Loads([](const v1::Customer& c) -> const auto& { return c.demand(); });
    data().backhauls = Loads([](const v1::Customer& c) -> const auto& { return c.backhaul(); });
    data().pickups = Loads([](const v1::Customer& c) -> const auto& { return c.pickup(); });
    const bool any =
        !data().demands.empty() || !data().backhauls.empty() || !data().pickups.empty();
    if (data().kind == ProblemKind::kTsp && any) {
      Invalid("problem_type", "got PROBLEM_TYPE_TSP, but customers have demands, backhauls or ",
              "pickups");
    }
  }

  void ConvertTimes() {
    data().services = Values(0.0, [](const v1::Customer& c) { return c.service_time(); });
    data().setups = Values(0.0, [](const v1::Customer& c) { return c.setup_time(); });
    data().releases = Values(0.0, [](const v1::Customer& c) { return c.release_time(); });
  }

  void ConvertWorth() {
    using Skills = std::vector<std::string>;
    data().required_skills = Values(Skills(), [](const v1::Customer& c) {
      return Skills(c.required_skills().begin(), c.required_skills().end());
    });
    data().prizes = Values(
        kNoLimit, [](const v1::Customer& c) { return c.has_prize() ? c.prize() : kNoLimit; });
    data().priorities = Values(int32_t{0}, [](const v1::Customer& c) { return c.priority(); });
  }

  // The node of an index into the customers; 0 with an error where it is none.
  NodeIndex NodeOf(const std::string& field, int32_t customer) {
    if (customer >= 0 && customer < message_.customers_size()) {
      return customer + static_cast<NodeIndex>(depots_);
    }
    Invalid(field, "got ", customer, ", wanted the index of a customer: 0 to ",
            message_.customers_size() - 1);
    return 0;
  }

  void ConvertRequests() {
    for (int i = 0; i < message_.shipments_size(); ++i) {
      const v1::Shipment& shipment = message_.shipments(i);
      const std::string path = Concat("shipments[", i, "].");
      Shipment& added = data().shipments.emplace_back();
      added.id = shipment.id();
      added.pickup = NodeOf(path + "pickup_customer", shipment.pickup_customer());
      added.delivery = NodeOf(path + "delivery_customer", shipment.delivery_customer());
      added.amounts.assign(shipment.amount().begin(), shipment.amount().end());
      added.amounts.resize(dimensions_, 0);
    }
    for (int i = 0; i < message_.alternative_groups_size(); ++i) {
      const v1::AlternativeGroup& group = message_.alternative_groups(i);
      std::vector<NodeIndex>& added = data().alternative_groups.emplace_back();
      for (int j = 0; j < group.customers_size(); ++j) {
        added.push_back(
            NodeOf(Concat("alternative_groups[", i, "].customers[", j, "]"), group.customers(j)));
      }
    }
  }

  // By name once it is an Instance, as in JSON.
  void ConvertFeatures() {
    for (const v1::FeatureColumn& column : message_.features()) {
      data().features.push_back(
          {.name = column.name(), .values = {column.values().begin(), column.values().end()}});
    }
  }

  void ConvertWindows() {
    const bool any = AnyWindow();
    if (any && data().kind != ProblemKind::kVrptw) {
      Invalid("problem_type", "got ", v1::ProblemType_Name(message_.problem_type()),
              ", but time windows are given; wanted PROBLEM_TYPE_VRPTW");
    } else if (!any && data().kind == ProblemKind::kVrptw) {
      Invalid("problem_type", "got PROBLEM_TYPE_VRPTW, but no time window is given");
    }
    if (!any) return;
    data().windows.reserve(nodes_);
    for (const v1::Depot& depot : message_.depots()) {
      data().windows.push_back(WindowFromProto(depot.time_window()));
    }
    for (const v1::Customer& customer : message_.customers()) {
      const size_t node = data().windows.size();
      data().windows.push_back(customer.time_windows_size() == 0
                                   ? TimeWindow{}
                                   : WindowFromProto(customer.time_windows(0)));
      if (customer.time_windows_size() > 1) data().further_windows.resize(nodes_);
      for (int i = 1; i < customer.time_windows_size(); ++i) {
        data().further_windows[node].push_back(WindowFromProto(customer.time_windows(i)));
      }
    }
  }

  void ConvertVehicle(int index) {
    const v1::Vehicle& vehicle = message_.vehicles(index);
    VehicleType& added = data().vehicles.emplace_back(VehicleFromProto(vehicle, dimensions_));
    const std::string path = Concat("vehicles[", index, "].");
    ConvertMatrices(path, vehicle, added);
  }

  // Of an instance or a vehicle type: its own, or those that it names.
  template <typename Message, typename Target>
  void ConvertMatrices(const std::string& path, const Message& message, Target& target) {
    const bool own = message.has_distance_matrix() || message.has_duration_matrix();
    if (message.has_distance_matrix()) {
      target.distance_matrix = MatrixAt(path + "distance_matrix", message.distance_matrix());
    }
    if (message.has_duration_matrix()) {
      target.duration_matrix = MatrixAt(path + "duration_matrix", message.duration_matrix());
    }
    if (message.matrices().empty()) return;
    if (own) return Invalid(path + "matrices", "given, and a matrix too; wanted one of them");
    const auto found = FindMatrices(matrices_, message.matrices(), nodes_);
    if (!found.ok()) return Invalid(path + "matrices", FromAbsl(found.status().message()));
    target.distance_matrix = (*found)->distances;
    target.duration_matrix = (*found)->durations;
  }

  // Empty with an error where its size is wrong.
  std::vector<double> MatrixAt(const std::string& path, const v1::Matrix& matrix) {
    const size_t wanted = nodes_ * nodes_;
    if (nodes_ > kMaxMatrixNodes) {
      Invalid(path, nodes_, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
    } else if (matrix.size() < 0 || static_cast<size_t>(matrix.size()) != nodes_) {
      Invalid(path + ".size", "got ", matrix.size(), ", wanted the number of nodes, ", nodes_);
    } else if (static_cast<size_t>(matrix.values_size()) != wanted) {
      Invalid(path + ".values", "has ", matrix.values_size(), " entries, wanted ", nodes_, " x ",
              nodes_);
    } else {
      return {matrix.values().begin(), matrix.values().end()};
    }
    return {};
  }

  const v1::Instance& message_;
  const MatrixSource* matrices_;
  size_t depots_ = 0;
  size_t nodes_ = 0;
  size_t dimensions_ = 1;
  DataConversion result_;
};

}  // namespace

std::optional<Metric> MetricFromProto(v1::Metric metric) {
  switch (metric) {
    case v1::METRIC_EXACT:
      return Metric::kExact;
    case v1::METRIC_CVRPLIB:
      return Metric::kRounded;
    case v1::METRIC_CEIL:
      return Metric::kCeiled;
    case v1::METRIC_DIMACS:
      return Metric::kDimacs;
    case v1::METRIC_SCALED_1000:
      return Metric::kScaled1000;
    default:
      return std::nullopt;
  }
}

std::optional<Objective> ObjectiveFromProto(v1::Objective objective) {
  switch (objective) {
    case v1::OBJECTIVE_DISTANCE:
      return Objective::kDistance;
    case v1::OBJECTIVE_VEHICLES_THEN_DISTANCE:
      return Objective::kVehiclesThenDistance;
    case v1::OBJECTIVE_DURATION:
      return Objective::kDuration;
    case v1::OBJECTIVE_COST:
      return Objective::kCost;
    default:
      return std::nullopt;
  }
}

DataConversion DataFromProto(const v1::Instance& message, const MatrixSource* matrices) {
  return Converter(message, matrices).Run();
}

}  // namespace vrp
