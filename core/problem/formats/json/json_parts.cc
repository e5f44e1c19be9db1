#include "core/problem/formats/json/json_parts.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/problem/formats/json/json_fields.h"

namespace vrp {
namespace {

using nlohmann::json;

template <typename... Parts>
absl::Status Wrong(std::string_view place, const json& got, const Parts&... wanted) {
  return absl::InvalidArgumentError(Concat(place, ": got ", Shown(got), ", wanted ", wanted...));
}

class VehicleReader {
 public:
  VehicleReader(const json& object, std::string_view place, const MatrixKeys& matrices)
      : fields_(object, place), place_(place), matrices_(matrices) {}

  absl::StatusOr<VehicleType> Run() && {
    VRP_RETURN_IF_ERROR(ReadPlaces());
    VRP_RETURN_IF_ERROR(ReadCapacity());
    VRP_RETURN_IF_ERROR(ReadLimits());
    VRP_RETURN_IF_ERROR(ReadCosts());
    VRP_RETURN_IF_ERROR(ReadTimes());
    VRP_ASSIGN_OR_RETURN(vehicle_.skills, fields_.Strings("skills"));
    VRP_RETURN_IF_ERROR(
        matrices_.Read(fields_, vehicle_.distance_matrix, vehicle_.duration_matrix));
    VRP_RETURN_IF_ERROR(fields_.RefuseOthers());
    return std::move(vehicle_);
  }

 private:
  absl::Status ReadPlaces() {
    VRP_ASSIGN_OR_RETURN(std::optional<std::string> id, fields_.String("id"));
    if (id.has_value()) vehicle_.id = *std::move(id);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> count, fields_.Integer("count"));
    vehicle_.count = count.value_or(0);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> depot, fields_.Integer("depot"));
    vehicle_.depot = depot.value_or(0);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> end_depot, fields_.Integer("end_depot"));
    vehicle_.end_depot = end_depot.value_or(kWhereItStarts);
    VRP_ASSIGN_OR_RETURN(const std::optional<bool> open_end, fields_.Boolean("open_end"));
    vehicle_.open_end = open_end.value_or(false);
    return absl::OkStatus();
  }

  // A number, or an array with one for each load dimension.
  absl::Status ReadCapacity() {
    const json* capacity = fields_.Find("capacity");
    if (capacity != nullptr && capacity->is_array()) {
      VRP_ASSIGN_OR_RETURN(std::vector<double> all, fields_.Numbers("capacity", kNoLimit));
      if (all.empty()) return fields_.Error("capacity", "empty, wanted at least one number");
      vehicle_.capacity = all.front();
      vehicle_.further_capacities.assign(all.begin() + 1, all.end());
      return absl::OkStatus();
    }
    return ReadNumber("capacity", vehicle_.capacity);
  }

  // Leaves `value` where the key is absent.
  absl::Status ReadNumber(const std::string& key, double& value) {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> number, fields_.Number(key));
    value = number.value_or(value);
    return absl::OkStatus();
  }

  absl::Status ReadLimits() {
    VRP_RETURN_IF_ERROR(ReadNumber("max_duration", vehicle_.max_duration));
    VRP_RETURN_IF_ERROR(ReadNumber("max_distance", vehicle_.max_distance));
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> stops, fields_.Integer("max_stops"));
    vehicle_.max_stops = stops.value_or(vehicle_.max_stops);
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> reloads, fields_.Integer("max_reloads"));
    vehicle_.max_reloads = reloads.value_or(0);
    // null: as much as it takes.
    const json* overtime = fields_.Find("max_overtime");
    if (overtime != nullptr && overtime->is_null()) {
      vehicle_.max_overtime = kNoLimit;
      return absl::OkStatus();
    }
    return ReadNumber("max_overtime", vehicle_.max_overtime);
  }

  absl::Status ReadCosts() {
    VRP_RETURN_IF_ERROR(ReadNumber("fixed_cost", vehicle_.fixed_cost));
    VRP_RETURN_IF_ERROR(ReadNumber("cost_per_distance", vehicle_.cost_per_distance));
    VRP_RETURN_IF_ERROR(ReadNumber("cost_per_time", vehicle_.cost_per_time));
    return ReadNumber("overtime_cost", vehicle_.overtime_cost);
  }

  absl::Status ReadTimes() {
    if (const json* shift = fields_.Find("shift"); shift != nullptr) {
      VRP_ASSIGN_OR_RETURN(vehicle_.shift, WindowFromJson(*shift, Concat(place_, ".shift")));
    }
    const json* breaks = fields_.Find("breaks");
    if (breaks == nullptr) return absl::OkStatus();
    if (!breaks->is_array()) return Wrong(Concat(place_, ".breaks"), *breaks, "an array");
    for (const json& pause : *breaks) {
      const std::string place = Concat(place_, ".breaks[", vehicle_.breaks.size(), "]");
      VRP_ASSIGN_OR_RETURN(const Break read, ReadBreak(pause, place));
      vehicle_.breaks.push_back(read);
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<Break> ReadBreak(const json& object, const std::string& place) {
    if (!object.is_object()) return Wrong(place, object, "an object");
    JsonFields fields(object, place);
    Break pause;
    if (const json* window = fields.Find("window"); window != nullptr) {
      VRP_ASSIGN_OR_RETURN(pause.window, WindowFromJson(*window, place + ".window"));
    }
    VRP_ASSIGN_OR_RETURN(const std::optional<double> duration, fields.Number("duration"));
    if (!duration.has_value()) return fields.Error("duration", "absent, wanted a number");
    pause.duration = *duration;
    VRP_RETURN_IF_ERROR(fields.RefuseOthers());
    return pause;
  }

  JsonFields fields_;
  const std::string place_;
  const MatrixKeys& matrices_;
  VehicleType vehicle_;
};

}  // namespace

absl::Status MatrixKeys::Read(JsonFields& fields, std::vector<double>& distances,
                              std::vector<double>& durations) const {
  for (const auto& [key, matrix] :
       {std::pair{"distance_matrix", &distances}, std::pair{"duration_matrix", &durations}}) {
    const json* rows = fields.Find(key);
    if (rows != nullptr && rows->is_array() && rows->size() > kMaxMatrixNodes) {
      return fields.Error(key, rows->size(), " nodes exceed the limit of ", kMaxMatrixNodes,
                          " for a matrix");
    }
    VRP_ASSIGN_OR_RETURN(*matrix, fields.Rows(key, 0));
  }
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> name, fields.String("matrices"));
  if (!name.has_value()) return absl::OkStatus();
  if (!distances.empty() || !durations.empty()) {
    return fields.Error("matrices", "given, and a matrix too; wanted one of them");
  }
  const auto found = FindMatrices(source, *name, nodes);
  if (!found.ok()) return fields.Error("matrices", FromAbsl(found.status().message()));
  distances = (*found)->distances;
  durations = (*found)->durations;
  return absl::OkStatus();
}

absl::StatusOr<TimeWindow> WindowFromJson(const json& value, std::string_view place) {
  constexpr std::string_view kWanted = "[open, close] or [open, close, late_cost]";
  if (!value.is_array() || value.size() < 2 || value.size() > 3) {
    return absl::InvalidArgumentError(
        Concat(place, ": got ", value.is_array() ? Concat(value.size(), " entries") : Shown(value),
               ", wanted ", kWanted));
  }
  std::vector<double> numbers;
  for (const json& entry : value) {
    const bool no_end = entry.is_null() && numbers.size() == 1;
    if (!no_end && !entry.is_number()) {
      return Wrong(Concat(place, "[", numbers.size(), "]"), entry, "a number");
    }
    numbers.push_back(no_end ? kNoLimit : entry.get<double>());
  }
  return TimeWindow{numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : kNoLimit};
}

absl::StatusOr<std::vector<TimeWindow>> WindowsFromJson(const json& value, std::string_view place) {
  std::vector<TimeWindow> windows;
  if (!value.is_array() || value.empty() || !value.front().is_array()) {
    VRP_ASSIGN_OR_RETURN(const TimeWindow window, WindowFromJson(value, place));
    windows.push_back(window);
    return windows;
  }
  for (const json& entry : value) {
    VRP_ASSIGN_OR_RETURN(const TimeWindow window,
                         WindowFromJson(entry, Concat(place, "[", windows.size(), "]")));
    windows.push_back(window);
  }
  return windows;
}

absl::StatusOr<VehicleType> VehicleFromJson(const json& value, std::string_view place,
                                            const MatrixKeys& matrices) {
  if (!value.is_object()) return Wrong(place, value, "an object");
  return VehicleReader(value, place, matrices).Run();
}

absl::StatusOr<Shipment> ShipmentFromJson(const json& value, std::string_view place) {
  if (!value.is_object()) return Wrong(place, value, "an object");
  JsonFields fields(value, place);
  Shipment shipment;
  VRP_ASSIGN_OR_RETURN(std::optional<std::string> id, fields.String("id"));
  if (id.has_value()) shipment.id = *std::move(id);
  for (const auto& [key, node] :
       {std::pair("pickup", &shipment.pickup), std::pair("delivery", &shipment.delivery)}) {
    VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> number, fields.Integer(key));
    if (!number.has_value()) return fields.Error(key, "absent, wanted a customer's node number");
    *node = *number;
  }
  const json* amount = fields.Find("amount");
  if (amount != nullptr && amount->is_array()) {
    VRP_ASSIGN_OR_RETURN(shipment.amounts, fields.Numbers("amount"));
  } else {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> number, fields.Number("amount"));
    if (!number.has_value()) return fields.Error("amount", "absent, wanted a number");
    shipment.amounts = {*number};
  }
  VRP_RETURN_IF_ERROR(fields.RefuseOthers());
  return shipment;
}

}  // namespace vrp
