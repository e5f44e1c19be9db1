#include "server/convert/instance_data.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/instance_rules.h"
#include "google/protobuf/reflection.h"
#include "server/convert/instance_enums.h"
#include "server/convert/message_fields.h"
#include "server/convert/node_convert.h"
#include "server/convert/violation_list.h"

namespace vrp {
namespace {

// Returns the metres in the distance unit `name`; nullopt for an empty name, 0 for an unknown one.
// SecondsOf does the same for time units.
std::optional<double> MetresOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return name == "m" ? 1 : name == "km" ? 1000 : 0;
}

std::optional<double> SecondsOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return SecondsOfTimeUnit(name);
}

// Whether a vehicle states any cost.
bool HasCost(const v1::Vehicle& vehicle) {
  bool any = false;
  ForEachField<VehicleType>([&](auto field) {
    if constexpr (field.kKind == FieldKind::kCost) {
      any |= vehicle.GetReflection()->HasField(
          vehicle, &MessageField(*vehicle.GetDescriptor(), field.message));
    }
  });
  return any;
}

Objective ObjectiveOf(const v1::Instance& message) {
  const std::optional<Objective> stated = ObjectiveFromProto(message.objective());
  if (stated.has_value()) return *stated;
  return std::any_of(message.vehicles().begin(), message.vehicles().end(), HasCost)
             ? Objective::kCost
             : Objective::kDistance;
}

class Converter {
 public:
  Converter(const v1::Instance& message, const MatrixSource* matrices)
      : message_(message), matrices_(matrices) {}

  DataConversion Run() && {
    if (!ConvertSizes()) return Result();
    ConvertHead();
    ConvertNodes(message_, dimensions_, data_, errors_);
    ConvertRequests();
    ConvertFeatures();
    ConvertBalance();
    for (int i = 0; i < message_.vehicles_size(); ++i) ConvertVehicle(i);
    ConvertMatrices("", message_, data_);
    return Result();
  }

 private:
  DataConversion Result() {
    return {.data = std::move(data_), .invalid = std::move(errors_).Take()};
  }

  // Checks the limits before it allocates anything. Returns whether they hold.
  bool ConvertSizes() {
    const int64_t nodes = int64_t{message_.depots_size()} + message_.customers_size();
    if (message_.depots_size() == 0) errors_.Add("depots", "absent, wanted at least one");
    if (message_.customers_size() == 0) errors_.Add("customers", "absent, wanted at least one");
    if (nodes > int64_t{kMaxNodes}) {
      errors_.Add("customers", nodes, " nodes exceed the limit of ", kMaxNodes);
    }
    if (message_.vehicles_size() > int64_t{kMaxVehicles}) {
      errors_.Add("vehicles", message_.vehicles_size(), " types exceed the limit of ",
                  kMaxVehicles);
    }
    CountLoadDimensions();
    depots_ = static_cast<size_t>(message_.depots_size());
    nodes_ = static_cast<size_t>(nodes);
    return errors_.empty();
  }

  // Sets the number of load dimensions to the size of the longest list of loads or capacities.
  void CountLoadDimensions() {
    ForEachNodeField([this](auto field) {
      if constexpr (field.kKind == FieldKind::kLoad) {
        const auto& loads = MessageField(*v1::Customer::descriptor(), field.message);
        for (int i = 0; i < message_.customers_size(); ++i) {
          const v1::Customer& customer = message_.customers(i);
          CountDimensions("customers", i, field.message,
                          customer.GetReflection()->FieldSize(customer, &loads));
        }
      }
    });
    for (int i = 0; i < message_.vehicles_size(); ++i) {
      const v1::Vehicle& vehicle = message_.vehicles(i);
      CountDimensions("vehicles", i, "capacity", vehicle.capacity_size());
      CountDimensions("vehicles", i, "initial_load", vehicle.initial_load_size());
      for (int b = 0; b < vehicle.breaks_size(); ++b) {
        CountDimensions("vehicles", i, Concat("breaks[", b, "].max_load"),
                        vehicle.breaks(b).max_load_size());
      }
    }
    for (int i = 0; i < message_.shipments_size(); ++i) {
      CountDimensions("shipments", i, "amount", message_.shipments(i).amount_size());
    }
  }

  // Raises the number of load dimensions to the size of a list of loads or capacities. Adds an
  // error if that exceeds the limit.
  void CountDimensions(std::string_view list, int index, std::string_view field, int size) {
    dimensions_ = std::max(dimensions_, static_cast<size_t>(size));
    if (size <= kMaxLoadDimensions) return;
    errors_.Add(Concat(list, "[", index, "].", field), "has ", size,
                " load dimensions, wanted at most ", kMaxLoadDimensions);
  }

  void ConvertHead() {
    data_.name = message_.name();
    data_.metric = MetricFromProto(message_.metric()).value_or(Metric::kExact);
    data_.objective = ObjectiveOf(message_);
    if (message_.coordinate_system() == v1::COORDINATE_SYSTEM_LON_LAT) {
      data_.coordinates = CoordinateSystem::kLonLat;
    }
    data_.load_dimensions = static_cast<int32_t>(dimensions_);
    data_.num_depots = message_.depots_size();
    data_.units = {.metres_per_distance = MetresOf(message_.distance_unit()),
                   .seconds_per_time = SecondsOf(message_.time_unit())};
    data_.speed = message_.speed() == 0 ? 1 : message_.speed();
    if (message_.has_reference_cost()) data_.reference_cost = message_.reference_cost();
    data_.kind = Kind();
  }

  bool AnyLoad() const {
    return message_.vehicles_size() > 0 || message_.shipments_size() > 0 ||
           MaxLoadDimensions(message_) > 0;
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
        if (HasTimeWindow(message_)) return ProblemKind::kVrptw;
        return AnyLoad() ? ProblemKind::kCvrp : ProblemKind::kTsp;
    }
  }

  // Returns the node of an index into the customers. Adds an error and returns 0 for a wrong index.
  NodeIndex NodeOf(const std::string& field, int32_t customer) {
    if (customer >= 0 && customer < message_.customers_size()) {
      return customer + static_cast<NodeIndex>(depots_);
    }
    errors_.Add(field, "got ", customer, ", wanted the index of a customer: 0 to ",
                message_.customers_size() - 1);
    return 0;
  }

  void ConvertRequests() {
    for (int i = 0; i < message_.shipments_size(); ++i) {
      const v1::Shipment& shipment = message_.shipments(i);
      const std::string path = Concat("shipments[", i, "].");
      Shipment& added = data_.shipments.emplace_back();
      ReadFields(shipment, dimensions_, added);
      added.pickup = NodeOf(path + "pickup_customer", shipment.pickup_customer());
      added.delivery = NodeOf(path + "delivery_customer", shipment.delivery_customer());
    }
    for (int i = 0; i < message_.alternative_groups_size(); ++i) {
      const v1::AlternativeGroup& group = message_.alternative_groups(i);
      std::vector<NodeIndex>& added = data_.alternative_groups.emplace_back();
      for (int j = 0; j < group.customers_size(); ++j) {
        added.push_back(
            NodeOf(Concat("alternative_groups[", i, "].customers[", j, "]"), group.customers(j)));
      }
    }
    for (int i = 0; i < message_.customer_rules_size(); ++i) ConvertRule(i);
  }

  void ConvertRule(int index) {
    const v1::CustomerRule& rule = message_.customer_rules(index);
    const std::string path = Concat("customer_rules[", index, "]");
    CustomerRule& added = data_.customer_rules.emplace_back();
    ReadFields(rule, dimensions_, added);
    const std::optional<RuleKind> kind = RuleKindFromProto(rule.kind());
    if (rule.kind() == v1::CUSTOMER_RULE_KIND_UNSPECIFIED) {
      errors_.Add(
          path + ".kind",
          "absent, wanted CUSTOMER_RULE_KIND_SAME_ROUTE, _DIFFERENT_ROUTES, _MAX_PER_ROUTE or "
          "_IN_ORDER");
    }
    added.kind = kind.value_or(RuleKind::kSameRoute);
    for (int j = 0; j < rule.customers_size(); ++j) {
      added.customers.push_back(NodeOf(Concat(path, ".customers[", j, "]"), rule.customers(j)));
    }
  }

  void ConvertFeatures() {
    for (const v1::FeatureColumn& column : message_.features()) {
      ReadFields(column, dimensions_, data_.features.emplace_back());
    }
  }

  void ConvertBalance() {
    if (!message_.has_balance()) return;
    Balance& added = data_.balance.emplace();
    ReadFields(message_.balance(), dimensions_, added);
    const std::optional<BalanceMeasure> measure =
        BalanceMeasureFromProto(message_.balance().measure());
    added.measure = measure.value_or(added.measure);
    if (message_.balance().measure() == v1::BALANCE_MEASURE_UNSPECIFIED) {
      errors_.Add("balance.measure",
                  "absent, wanted BALANCE_MEASURE_DURATION, _DISTANCE, _LOAD or _STOPS");
    }
  }

  void ConvertVehicle(int index) {
    const v1::Vehicle& vehicle = message_.vehicles(index);
    VehicleType& added = data_.vehicles.emplace_back();
    const std::string path = Concat("vehicles[", index, "].");
    if (vehicle.has_driving_rules()) ExpandPreset(path, vehicle.driving_rules(), added);
    ReadFields(vehicle, dimensions_, added);
    const bool names_preset = !vehicle.driving_rules().preset().empty();
    if (vehicle.has_driving_rules() && !names_preset && added.driving_rules == DrivingRules()) {
      errors_.Add(path + "driving_rules", "states no rule, wanted a preset or at least one limit");
    }
    for (int i = 0; i < vehicle.customer_times_size(); ++i) {
      added.customer_times[static_cast<size_t>(i)].customer = NodeOf(
          Concat(path, "customer_times[", i, "].customer"), vehicle.customer_times(i).customer());
    }
    ConvertMatrices(path, vehicle, added);
  }

  // Stores the numbers of the named preset. Fields beside it replace them later.
  void ExpandPreset(const std::string& path, const v1::DrivingRules& rules, VehicleType& vehicle) {
    if (rules.preset().empty()) return;
    const bool on_earth = data_.coordinates == CoordinateSystem::kLonLat;
    const double seconds = data_.units.seconds_per_time.value_or(on_earth ? 1 : 0);
    const auto preset = DrivingPreset(rules.preset(), seconds);
    if (preset.ok()) {
      vehicle.driving_rules = *preset;
      return;
    }
    const std::string_view error = FromAbsl(preset.status().message());
    const size_t colon = error.find(": ");
    const std::string_view field = error.substr(0, colon);
    errors_.Add(field == "time_unit" ? "time_unit" : path + "driving_rules.preset",
                error.substr(colon + 2));
  }

  // Converts the matrices of an instance or a vehicle type: its own, or uploaded ones that the
  // message names.
  template <typename Message, typename Target>
  void ConvertMatrices(const std::string& path, const Message& message, Target& target) {
    if (!message.road_network().empty()) {
      errors_.Add(path + "road_network", "got ", Quoted(message.road_network()),
                  ", which is not supported here; wanted the matrices themselves");
    }
    const bool has_matrices = message.has_distance_matrix() || message.has_duration_matrix();
    if (message.has_distance_matrix()) {
      target.distance_matrix = ReadMatrix(path + "distance_matrix", message.distance_matrix());
    }
    if (message.has_length_matrix()) {
      target.length_matrix = ReadMatrix(path + "length_matrix", message.length_matrix());
    }
    if (message.has_duration_matrix()) {
      target.duration_matrix = ReadMatrix(path + "duration_matrix", message.duration_matrix());
    }
    for (int i = 0; i < message.duration_matrices_size(); ++i) {
      const v1::TimedMatrix& timed = message.duration_matrices(i);
      const std::string field = Concat(path, "duration_matrices[", i, "].durations");
      target.duration_matrices.push_back({timed.at(), ReadMatrix(field, timed.durations())});
    }
    if (message.matrices().empty()) return;
    if (has_matrices) {
      return errors_.Add(path + "matrices",
                         "given together with a matrix; wanted only one of them");
    }
    const auto found = FindMatrices(matrices_, message.matrices(), nodes_);
    if (!found.ok()) return errors_.Add(path + "matrices", FromAbsl(found.status().message()));
    target.distance_matrix = (*found)->distances;
    target.duration_matrix = (*found)->durations;
  }

  // Returns the values of a matrix. If its size is wrong, adds an error and returns nothing.
  std::vector<double> ReadMatrix(const std::string& path, const v1::Matrix& matrix) {
    const size_t wanted = nodes_ * nodes_;
    if (nodes_ > kMaxMatrixNodes) {
      errors_.Add(path, nodes_, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
    } else if (matrix.size() < 0 || static_cast<size_t>(matrix.size()) != nodes_) {
      errors_.Add(path + ".size", "got ", matrix.size(), ", wanted the number of nodes, ", nodes_);
    } else if (static_cast<size_t>(matrix.values_size()) != wanted) {
      errors_.Add(path + ".values", "has ", matrix.values_size(), " entries, wanted ", nodes_,
                  " x ", nodes_);
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
  InstanceData data_;
  ViolationList errors_;
};

}  // namespace

DataConversion DataFromProto(const v1::Instance& message, const MatrixSource* matrices) {
  return Converter(message, matrices).Run();
}

}  // namespace vrp
