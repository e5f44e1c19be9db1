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

namespace vrp {
namespace {

// Returns the size of a unit that a caller names: nullopt without a name, 0 for an unknown name.
std::optional<double> MetresOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return name == "m" ? 1 : name == "km" ? 1000 : 0;
}

std::optional<double> SecondsOf(std::string_view name) {
  if (name.empty()) return std::nullopt;
  return name == "s" ? 1 : name == "min" ? 60 : name == "h" ? 3600 : 0;
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

// Returns the largest number of loads that a customer states in one field.
int LargestLoad(const v1::Instance& message) {
  int most = 0;
  ForEachNodeField([&](auto field) {
    if constexpr (field.kKind == FieldKind::kLoad) {
      const auto& loads = MessageField(*v1::Customer::descriptor(), field.message);
      for (const v1::Customer& customer : message.customers()) {
        most = std::max(most, customer.GetReflection()->FieldSize(customer, &loads));
      }
    }
  });
  return most;
}

// Returns the length of the longest list of loads or capacities, and at least 1.
int LoadDimensions(const v1::Instance& message) {
  int most = std::max(1, LargestLoad(message));
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
    ConvertNodeFields();
    CheckLoads();
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

  // Checks the limits before anything is allocated.
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
    return message_.vehicles_size() > 0 || message_.shipments_size() > 0 ||
           LargestLoad(message_) > 0;
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

  // Either all nodes have a location, or none has one and there is a matrix.
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
      for (const std::string& field : absent) Invalid(field, "absent, but other nodes have one");
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

  // Converts the per-node fields that need nothing but their own message field.
  void ConvertNodeFields() {
    ForEachNodeField(data(), [this](auto field, auto& values) {
      using enum FieldKind;
      constexpr FieldKind kKind = decltype(field)::kKind;
      if constexpr (kKind == kLoad) {
        values = Loads(MessageField(*v1::Customer::descriptor(), field.message));
      } else if constexpr (kKind == kTime || kKind == kPrize || kKind == kPriority ||
                           kKind == kSkills) {
        values = Values(field);
      } else {
        static_assert(
            kKind == kName || kKind == kPosition || kKind == kWindow || kKind == kFurtherWindows,
            "convert the field here, or in a function of its own");
      }
    });
  }

  // Returns the values of a field [N], or an empty vector if no customer differs from the default.
  template <typename Field>
  std::vector<typename Field::Value> Values(const Field& field) const {
    const auto& given = MessageField(*v1::Customer::descriptor(), field.message);
    std::vector<typename Field::Value> values(nodes_, field.Default());
    bool any = false;
    for (size_t node = depots_; node < nodes_; ++node) {
      if constexpr (Field::kKind == FieldKind::kSkills) {
        values[node] = ReadTexts(CustomerAt(node), given);
      } else {
        ReadScalar(CustomerAt(node), given, values[node]);
      }
      any |= !(values[node] == field.Default());
    }
    if (!any) values.clear();
    return values;
  }

  // Returns the loads [N, K] of a field, or an empty vector if all are 0.
  std::vector<double> Loads(const google::protobuf::FieldDescriptor& given) const {
    std::vector<double> all(nodes_ * dimensions_, 0);
    bool any = false;
    for (size_t node = depots_; node < nodes_; ++node) {
      const v1::Customer& customer = CustomerAt(node);
      const auto& loads = customer.GetReflection()->GetRepeatedFieldRef<double>(customer, &given);
      for (int k = 0; k < loads.size(); ++k) {
        all[node * dimensions_ + static_cast<size_t>(k)] = loads.Get(k);
        any |= loads.Get(k) != 0;
      }
    }
    if (!any) all.clear();
    return all;
  }

  void CheckLoads() {
    const bool any =
        !data().demands.empty() || !data().backhauls.empty() || !data().pickups.empty();
    if (data().kind == ProblemKind::kTsp && any) {
      Invalid("problem_type", "got PROBLEM_TYPE_TSP, but customers have demands, backhauls or ",
              "pickups");
    }
  }

  // Returns the node of an index into the customers. For a wrong index it adds an error and
  // returns 0.
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
      ReadFields(shipment, dimensions_, added);
      added.pickup = NodeOf(path + "pickup_customer", shipment.pickup_customer());
      added.delivery = NodeOf(path + "delivery_customer", shipment.delivery_customer());
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

  void ConvertFeatures() {
    for (const v1::FeatureColumn& column : message_.features()) {
      ReadFields(column, dimensions_, data().features.emplace_back());
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
      ReadFields(depot.time_window(), dimensions_, data().windows.emplace_back());
    }
    for (const v1::Customer& customer : message_.customers()) {
      const size_t node = data().windows.size();
      TimeWindow& first = data().windows.emplace_back();
      if (customer.time_windows_size() > 0) {
        ReadFields(customer.time_windows(0), dimensions_, first);
      }
      if (customer.time_windows_size() > 1) data().further_windows.resize(nodes_);
      for (int i = 1; i < customer.time_windows_size(); ++i) {
        ReadFields(customer.time_windows(i), dimensions_,
                   data().further_windows[node].emplace_back());
      }
    }
  }

  void ConvertVehicle(int index) {
    const v1::Vehicle& vehicle = message_.vehicles(index);
    VehicleType& added = data().vehicles.emplace_back();
    ReadFields(vehicle, dimensions_, added);
    const std::string path = Concat("vehicles[", index, "].");
    ConvertMatrices(path, vehicle, added);
  }

  // Converts the matrices of an instance or a vehicle type: its own, or uploaded ones that it
  // names.
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

  // Returns the values of a matrix. If its size is wrong, adds an error and returns nothing.
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

DataConversion DataFromProto(const v1::Instance& message, const MatrixSource* matrices) {
  return Converter(message, matrices).Run();
}

}  // namespace vrp
