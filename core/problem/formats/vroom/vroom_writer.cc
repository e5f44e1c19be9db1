#include "core/problem/formats/vroom/vroom_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/writer_support.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/formats/vroom/vroom_reader.h"
#include "core/problem/formats/vroom/vroom_skills.h"
#include "core/problem/instance/features.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::ordered_json;

// Largest number of vehicles in a file, which lists each vehicle of a type.
constexpr int64_t kMaxWrittenVehicles = 100'000;
// Largest time, distance or cost in VROOM, which stores them in 32 bits.
constexpr double kMaxInteger = 4294967295;
constexpr std::string_view kVroomFormat = "VROOM's format";

const std::vector<Feature>& KnownFeatures() {
  static const auto* const features = new std::vector<Feature>{
      Feature::kObjective,      Feature::kSeveralDepots,   Feature::kVehicleTypes,
      Feature::kEndDepot,       Feature::kOpenEnd,         Feature::kLoadDimensions,
      Feature::kPickups,        Feature::kShipments,       Feature::kMaxDistance,
      Feature::kMaxStops,       Feature::kShift,           Feature::kSkills,
      Feature::kBreaks,         Feature::kVehicleMatrix,   Feature::kSeveralWindows,
      Feature::kSetupTimes,     Feature::kPriorities,      Feature::kMatrixRows,
      Feature::kCustomerTimes,  Feature::kServiceTimeCost, Feature::kDrivingRules,
      Feature::kTravelTimeCost, Feature::kLengthMatrix};
  return *features;
}

class VroomWriter {
 public:
  explicit VroomWriter(const Instance& instance)
      : instance_(instance),
        data_(instance.data()),
        names_(instance),
        skills_(data_),
        types_(data_.vehicles.empty() ? std::vector<VehicleType>{{.count = 1}} : data_.vehicles) {
    by_position_ = data_.coordinates == CoordinateSystem::kLonLat &&
                   data_.distance_matrix.empty() && data_.duration_matrix.empty() &&
                   data_.length_matrix.empty() && data_.speed == kVroomSpeed &&
                   std::all_of(types_.begin(), types_.end(), [](const VehicleType& type) {
                     return type.distance_matrix.empty() && type.duration_matrix.empty() &&
                            type.length_matrix.empty();
                   });
  }

  absl::StatusOr<std::string> Run() && {
    if (const auto& features = data_.features; !features.empty()) {
      return CannotExpress(Concat("features.", features.front().name), kVroomFormat);
    }
    VRP_RETURN_IF_ERROR(RefuseFeatures(instance_, KnownFeatures(), kVroomFormat));
    const Objective objective = data_.objective;
    if (objective != Objective::kDistance && objective != Objective::kCost) {
      return CannotExpress(Concat("objective: ", ObjectiveName(objective)), kVroomFormat);
    }
    if (MatrixSize(data_) > kMaxMatrixNodes && !by_position_) {
      return CannotExpress(Concat("customers: ", MatrixSize(data_), " locations in a matrix"),
                           kVroomFormat);
    }
    ordered_json root = {{"vehicles", ordered_json::array()}};
    for (size_t type = 0; type < types_.size(); ++type) AddVehicles(type, root["vehicles"]);
    AddTasks(root);
    if (!by_position_) AddMatrices(root);
    VRP_RETURN_IF_ERROR(status_);
    return root.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

 private:
  // Records the first refusal.
  void Refuse(std::string_view what) {
    if (status_.ok()) status_ = CannotExpress(what, kVroomFormat);
  }

  // Rounds off the rounding error of a product. Refuses fractions and numbers out of range, and
  // names `path`.
  ordered_json ToInteger(const std::string& path, double value) {
    const double rounded = std::round(value);
    if (rounded < 0 || rounded > kMaxInteger ||
        std::abs(value - rounded) > 1e-9 * std::max(1.0, std::abs(value))) {
      Refuse(Concat(path, ": ", FormatNumber(value), " (not a whole number from 0 to 2^32 - 1)"));
      return 0;
    }
    return static_cast<int64_t>(rounded);
  }

  ordered_json Window(const std::string& path, const TimeWindow& window) {
    if (window.close == kNoLimit) {
      Refuse(Concat(path, ": no end"));
      return nullptr;
    }
    return {ToInteger(path + ".open", window.open), ToInteger(path + ".close", window.close)};
  }

  int32_t RowOf(NodeIndex node) const {
    return data_.matrix_rows.empty() ? node : data_.matrix_rows[static_cast<size_t>(node)];
  }

  // Returns a node for each row of the matrices; an arbitrary node for rows that no node uses.
  std::vector<NodeIndex> NodesOfRows() const {
    std::vector<NodeIndex> nodes(static_cast<size_t>(MatrixSize(data_)), 0);
    for (NodeIndex node = 0; node < instance_.num_nodes(); ++node) {
      nodes[static_cast<size_t>(RowOf(node))] = node;
    }
    return nodes;
  }

  // Adds coordinates, or rows of the matrices, or both.
  void AddLocation(const std::string& key, NodeIndex node, ordered_json& object) {
    if (by_position_ || data_.coordinates == CoordinateSystem::kLonLat) {
      const Position position = instance_.position(node);
      object[key] = {position.x, position.y};
    }
    if (!by_position_) object[key + "_index"] = RowOf(node);
  }

  // Returns the part of the vehicle's shift in which its depots are open.
  TimeWindow WorkingHours(const VehicleType& type) {
    const TimeWindow start = instance_.window(type.depot);
    const TimeWindow end = instance_.window(type.end());
    TimeWindow working_hours{std::max(type.shift.open, start.open), type.shift.close};
    if (type.open_end && start.close < type.shift.close) {
      Refuse(Concat("depots[", type.depot,
                    "].time_window: closes during the shift of a vehicle with an open end"));
    } else if (!type.open_end) {
      working_hours.close = std::min(working_hours.close, end.close);
      if (start != end) {
        Refuse(Concat("depots[", type.end(), "].time_window: differs from that of the start"));
      }
    }
    return working_hours;
  }

  double TotalLoad(int32_t k) const {
    double total = 0;
    for (NodeIndex node = 0; node < instance_.num_nodes(); ++node) {
      total += instance_.demand(node, k) + instance_.pickup(node, k);
    }
    for (const Shipment& shipment : data_.shipments) total += shipment.amounts[k];
    return total;
  }

  // Writes a capacity without limit as the sum of all loads.
  ordered_json Capacity(const std::string& path, const VehicleType& type) {
    ordered_json array = ordered_json::array();
    for (int32_t k = 0; k < instance_.load_dimensions(); ++k) {
      double capacity = type.capacity;
      if (k > 0) {
        capacity = type.further_capacities.empty() ? kNoLimit : type.further_capacities[k - 1];
      }
      array.push_back(
          ToInteger(path + ".capacity", capacity == kNoLimit ? TotalLoad(k) : capacity));
    }
    return array;
  }

  void AddVehicles(size_t number, ordered_json& vehicles) {
    const VehicleType& type = types_[number];
    const std::string path = Concat("vehicles[", number, "]");
    const int64_t count = type.count == 0 ? instance_.num_customers() : type.count;
    if (std::ssize(vehicles) + count > kMaxWrittenVehicles) {
      return Refuse(Concat(path, ".count: more than ", kMaxWrittenVehicles, " vehicles"));
    }
    ordered_json vehicle = {{"id", 0}, {"profile", Profile(number)}};
    if (!type.id.empty()) vehicle["description"] = type.id;
    if (!type.customer_times.empty()) vehicle["type"] = TypeName(number);
    if (!HasOpenStart(type)) AddLocation("start", type.depot, vehicle);
    if (!type.open_end) AddLocation("end", type.end(), vehicle);
    vehicle["capacity"] = Capacity(path, type);
    vehicle["costs"] = Costs(path, type);
    if (!type.skills.empty()) vehicle["skills"] = skills_.NumbersOf(type.skills);
    const TimeWindow working_hours = WorkingHours(type);
    if (working_hours != TimeWindow{})
      vehicle["time_window"] = Window(path + ".shift", working_hours);
    AddBreaks(path, type, vehicle);
    if (type.max_stops != INT32_MAX) vehicle["max_tasks"] = type.max_stops;
    if (type.max_distance != kNoLimit) {
      vehicle["max_distance"] = ToInteger(path + ".max_distance", type.max_distance);
    }
    AddDrivingLimit(path, type, vehicle);
    for (int64_t i = 0; i < count; ++i) {
      vehicle["id"] = names_.VehicleId(static_cast<int32_t>(number), i);
      vehicles.push_back(vehicle);
    }
  }

  // Whether the type was read from vehicles without a start. Without setups, a start at no distance
  // from all tasks is the same.
  bool HasOpenStart(const VehicleType& type) const {
    const double time = instance_.Duration(type, type.depot, instance_.num_depots());
    return !type.open_end && time == kFromOpenStart;
  }

  void AddDrivingLimit(const std::string& path, const VehicleType& type, ordered_json& vehicle) {
    const DrivingRules& rules = type.driving_rules;
    if (rules.has_breaks()) Refuse(path + ".driving_rules.max_driving_before_break");
    if (rules.max_work != kNoLimit) Refuse(path + ".driving_rules.max_work");
    if (rules.max_driving == kNoLimit) return;
    vehicle["max_travel_time"] = ToInteger(path + ".driving_rules.max_driving", rules.max_driving);
  }

  // Writes costs of distance, travel time and service; refuses costs of duration.
  ordered_json Costs(const std::string& path, const VehicleType& type) {
    if (type.cost_per_time != 0) {
      Refuse(path + ".cost_per_time: a cost of duration, including service and waiting");
    }
    ordered_json costs = {
        {"fixed", ToInteger(path + ".fixed_cost", type.fixed_cost)},
        {"per_task_hour", ToInteger(path + ".cost_per_service_time * 3600",
                                    type.cost_per_service_time * kSecondsPerHour)}};
    if (LimitsLength(data_, type)) return costs;  // its distances are written as a matrix of costs
    costs["per_hour"] = ToInteger(path + ".cost_per_travel_time * 3600",
                                  type.cost_per_travel_time * kSecondsPerHour);
    costs["per_km"] =
        ToInteger(path + ".cost_per_distance * 1000", type.cost_per_distance * kMetresPerKilometre);
    return costs;
  }

  void AddBreaks(const std::string& path, const VehicleType& type, ordered_json& vehicle) {
    const auto first_window = [](const Break& pause) {
      return std::pair(pause.window.open, pause.window.close);
    };
    if (!std::ranges::is_sorted(type.breaks, {}, first_window)) {
      Refuse(path + ".breaks: not in the order of their windows");
    }
    for (size_t i = 0; i < type.breaks.size(); ++i) {
      const std::string break_path = Concat(path, ".breaks[", i, "]");
      ordered_json pause = {
          {"id", i + 1}, {"service", ToInteger(break_path + ".duration", type.breaks[i].duration)}};
      if (type.breaks[i].window != TimeWindow{}) {
        pause["time_windows"].push_back(Window(break_path + ".window", type.breaks[i].window));
      }
      for (const TimeWindow& window : type.breaks[i].further_windows) {
        pause["time_windows"].push_back(Window(break_path + ".further_windows", window));
      }
      for (size_t k = 0; k < type.breaks[i].max_load.size(); ++k) {
        const double most = type.breaks[i].max_load[k];
        pause["max_load"].push_back(
            ToInteger(break_path + ".max_load",
                      most == kNoLimit ? TotalLoad(static_cast<int32_t>(k)) : most));
      }
      vehicle["breaks"].push_back(std::move(pause));
    }
  }

  static std::string TypeName(size_t type) { return Concat("type", type); }

  // Adds the times that depend on the vehicle type.
  void AddTimesPerType(NodeIndex node, ordered_json& step) {
    for (size_t t = 0; t < types_.size(); ++t) {
      const std::string path = Concat("vehicles[", t, "].customer_times");
      const auto times =
          std::ranges::lower_bound(types_[t].customer_times, node, {}, &CustomerTimes::customer);
      if (times == types_[t].customer_times.end() || times->customer != node) continue;
      if (times->setup != kNoLimit) {
        step["setup_per_type"][TypeName(t)] = ToInteger(path + ".setup", times->setup);
      }
      if (times->service != kNoLimit) {
        step["service_per_type"][TypeName(t)] = ToInteger(path + ".service", times->service);
      }
    }
  }

  std::string Profile(size_t number) const {
    const VehicleType& type = types_[number];
    const bool has_own = !type.distance_matrix.empty() || !type.duration_matrix.empty() ||
                         !type.length_matrix.empty();
    if (has_own) return Concat("type", number);
    if (!LimitsLength(data_, type)) return "car";
    const bool costs_distance = type.cost_per_distance == 1 && type.cost_per_travel_time == 0;
    return costs_distance ? "costs" : Concat("type", number);
  }

  void AddTasks(ordered_json& root) {
    std::vector<bool> has_shipment(static_cast<size_t>(instance_.num_nodes()), false);
    for (const Shipment& shipment : data_.shipments) {
      has_shipment[shipment.pickup] = has_shipment[shipment.delivery] = true;
      root["shipments"].push_back(ShipmentObject(shipment));
    }
    for (NodeIndex node = instance_.num_depots(); node < instance_.num_nodes(); ++node) {
      if (has_shipment[static_cast<size_t>(node)]) continue;
      ordered_json job = Step(node);
      AddAmounts("delivery", ".demand", node, data_.demands, job);
      AddAmounts("pickup", ".pickup", node, data_.pickups, job);
      AddSkillsAndPriority(node, job);
      root["jobs"].push_back(std::move(job));
    }
  }

  std::string Path(NodeIndex node) const {
    return Concat("customers[", node - instance_.num_depots(), "]");
  }

  ordered_json ShipmentObject(const Shipment& shipment) {
    ordered_json object = {{"pickup", Step(shipment.pickup)},
                           {"delivery", Step(shipment.delivery)}};
    for (const double amount : shipment.amounts) {
      object["amount"].push_back(ToInteger("shipments.amount", amount));
    }
    for (const NodeIndex node : {shipment.pickup, shipment.delivery}) {
      for (int32_t k = 0; k < instance_.load_dimensions(); ++k) {
        const bool has_demand = instance_.demand(node, k) != 0;
        if (!has_demand && instance_.pickup(node, k) == 0) continue;
        Refuse(Concat(Path(node), has_demand ? ".demand" : ".pickup",
                      ": given in addition to a shipment"));
      }
    }
    if (!data_.required_skills.empty() &&
        data_.required_skills[shipment.pickup] != data_.required_skills[shipment.delivery]) {
      Refuse(Concat(Path(shipment.delivery), ".required_skills: differ from those of the pickup"));
    }
    if (!data_.priorities.empty() &&
        data_.priorities[shipment.pickup] != data_.priorities[shipment.delivery]) {
      Refuse(Concat(Path(shipment.delivery), ".priority: differs from that of the pickup"));
    }
    AddSkillsAndPriority(shipment.pickup, object);
    return object;
  }

  ordered_json Step(NodeIndex node) {
    const auto n = static_cast<size_t>(node);
    ordered_json step = {{"id", names_.IdOf(node)}};
    if (instance_.id(node) != Concat(node)) step["description"] = instance_.id(node);
    AddLocation("location", node, step);
    if (!data_.setups.empty()) step["setup"] = ToInteger(Path(node) + ".setup", data_.setups[n]);
    step["service"] = ToInteger(Path(node) + ".service", instance_.service(node));
    AddTimesPerType(node, step);
    if (instance_.window(node) != TimeWindow{}) {
      step["time_windows"].push_back(Window(Path(node) + ".window", instance_.window(node)));
      if (data_.further_windows.empty()) return step;
      for (const TimeWindow& window : data_.further_windows[n]) {
        step["time_windows"].push_back(Window(Path(node) + ".window", window));
      }
    }
    return step;
  }

  // `key` names the amounts in the file, `field` names them in errors.
  void AddAmounts(const char* key, const char* field, NodeIndex node,
                  const std::vector<double>& amounts, ordered_json& job) {
    const auto columns = static_cast<size_t>(instance_.load_dimensions());
    for (size_t k = 0; k < columns && !amounts.empty(); ++k) {
      job[key].push_back(
          ToInteger(Path(node) + field, amounts[static_cast<size_t>(node) * columns + k]));
    }
  }

  void AddSkillsAndPriority(NodeIndex node, ordered_json& object) {
    const auto n = static_cast<size_t>(node);
    if (!data_.required_skills.empty() && !data_.required_skills[n].empty()) {
      object["skills"] = skills_.NumbersOf(data_.required_skills[n]);
    }
    if (!data_.priorities.empty() && data_.priorities[n] != 0) {
      object["priority"] = data_.priorities[n];
    }
  }

  void AddMatrices(ordered_json& root) {
    const std::vector<NodeIndex> nodes = NodesOfRows();
    for (size_t type = 0; type < types_.size(); ++type) {
      ordered_json& matrices = root["matrices"][Profile(type)];
      if (!matrices.is_null() || !status_.ok()) continue;
      const VehicleType& vehicle = types_[type];
      AddMatrix("duration_matrix", nodes, matrices["durations"], [&](NodeIndex from, NodeIndex to) {
        return instance_.Duration(vehicle, from, to);
      });
      const bool limits_length = LimitsLength(data_, vehicle);
      AddMatrix(limits_length ? "length_matrix" : "distance_matrix", nodes, matrices["distances"],
                [&](NodeIndex from, NodeIndex to) {
                  return limits_length ? instance_.Length(vehicle, from, to)
                                       : instance_.Distance(vehicle, from, to);
                });
      if (!limits_length) continue;
      AddMatrix("distance_matrix", nodes, matrices["costs"], [&](NodeIndex from, NodeIndex to) {
        return vehicle.cost_per_distance * instance_.Distance(vehicle, from, to) +
               vehicle.cost_per_travel_time * instance_.Duration(vehicle, from, to);
      });
    }
  }

  template <typename ValueOf>
  void AddMatrix(const std::string& path, const std::vector<NodeIndex>& nodes, ordered_json& matrix,
                 ValueOf value_of) {
    for (size_t i = 0; i < nodes.size() && status_.ok(); ++i) {
      ordered_json row = ordered_json::array();
      for (const NodeIndex to : nodes) row.push_back(ToInteger(path, value_of(nodes[i], to)));
      matrix.push_back(std::move(row));
    }
  }

  const Instance& instance_;
  const InstanceData& data_;
  const VroomNames names_;
  const VroomSkills skills_;
  const std::vector<VehicleType> types_;
  bool by_position_ = false;  // whether distances follow from coordinates, as in VROOM
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::string> WriteVroom(const Instance& instance) {
  VRP_ASSIGN_OR_RETURN(std::string text, VroomWriter(instance).Run());
  VRP_RETURN_IF_ERROR(CheckReadBack(ParseVroom(text, kWrittenName), kVroomFormat));
  return text;
}

}  // namespace vrp
