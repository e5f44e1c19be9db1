#include "core/problem/formats/json/json_parts.h"

#include <type_traits>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

using nlohmann::json;

template <typename... Parts>
absl::Status WrongValue(std::string_view location, const json& got, const Parts&... wanted) {
  return absl::InvalidArgumentError(Concat(location, ": got ", Shown(got), ", wanted ", wanted...));
}

// Reads rows of numbers, as many as columns. Leaves `matrix` empty if the key is absent.
absl::Status ReadMatrix(JsonFields& fields, const std::string& key, std::vector<double>& matrix) {
  const json* rows = fields.Find(key);
  if (rows != nullptr && rows->is_array() && rows->size() > kMaxMatrixNodes) {
    return fields.Error(key, rows->size(), " nodes exceed the limit of ", kMaxMatrixNodes,
                        " for a matrix");
  }
  VRP_ASSIGN_OR_RETURN(matrix, fields.Rows(key, 0));
  return absl::OkStatus();
}

// Reads an array of objects of the instance. `prefix` comes before the key in errors.
template <typename Part>
absl::Status ReadParts(JsonFields& fields, std::string_view prefix, const std::string& key,
                       std::vector<Part>& parts);

// A reader of the keys of an object inside an instance: a vehicle, a shipment, a rule, the driving
// rules, or an entry of a list of a vehicle.
template <typename Object>
class PartReader {
 public:
  PartReader(const json& value, std::string_view location)
      : fields_(value, location), location_(location) {}

  // Reads all keys and refuses unknown ones. `matrices` reads a vehicle's matrices; it is null for
  // other objects.
  absl::StatusOr<Object> Run(const MatrixKeys* matrices) && {
    absl::Status status;
    if constexpr (std::is_same_v<Object, DrivingRules>) status = ExpandPreset();
    ForEachField(object_, [&](auto field, auto& value) {
      if (status.ok()) status = Read<decltype(field)::kKind>(std::string(field.json), value);
    });
    VRP_RETURN_IF_ERROR(status);
    if constexpr (std::is_same_v<Object, TimedMatrix>) {
      VRP_RETURN_IF_ERROR(ReadMatrix(fields_, "durations", object_.durations));
    }
    if constexpr (std::is_same_v<Object, VehicleType>) {
      VRP_RETURN_IF_ERROR(matrices->Read(fields_, object_));
    }
    if constexpr (std::is_same_v<Object, CustomerRule>) {
      if (fields_.Find("kind") == nullptr) {
        return fields_.Error("kind", "absent, wanted ", ChoiceList<RuleKind>());
      }
    }
    VRP_RETURN_IF_ERROR(fields_.RefuseUnknownKeys());
    return std::move(object_);
  }

 private:
  template <FieldKind kKind, typename Value>
  absl::Status Read(const std::string& key, Value& value) {
    if constexpr (IsSingleValue(kKind)) {
      return ReadSingleValue<kKind>(fields_, key, value);
    } else if constexpr (kKind == FieldKind::kTime) {
      return Require(fields_.Number(key), key, "a number", value);
    } else if constexpr (kKind == FieldKind::kCustomer) {
      return Require(fields_.Integer(key), key, "a customer's node number", value);
    } else if constexpr (kKind == FieldKind::kSkills) {
      VRP_ASSIGN_OR_RETURN(value, fields_.Strings(key));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kDepots) {
      VRP_ASSIGN_OR_RETURN(value, fields_.Integers(key));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kInitialLoad) {
      return fields_.Find(key) == nullptr ? absl::OkStatus() : ReadLoads(key, value);
    } else if constexpr (kKind == FieldKind::kHardWindow) {
      const json* window = fields_.Find(key);
      if (window == nullptr) return absl::OkStatus();
      VRP_ASSIGN_OR_RETURN(value, WindowFromJson(*window, Concat(location_, ".", key)));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kLoads) {
      return ReadLoads(key, value);
    } else if constexpr (kKind == FieldKind::kMaxLoads) {
      return ReadMaxLoads(key, value);
    } else if constexpr (kKind == FieldKind::kFurtherWindows) {
      return ReadWindowList(key, value);
    } else if constexpr (kKind == FieldKind::kBreaks || kKind == FieldKind::kCustomerTimes ||
                         kKind == FieldKind::kCompartments) {
      return ReadParts(fields_, location_ + ".", key, value);
    } else if constexpr (kKind == FieldKind::kLoadDimensions) {
      VRP_ASSIGN_OR_RETURN(value, fields_.Integers(key));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kTimedDurations) {
      return ReadTimedMatrices(fields_, location_ + ".", value);
    } else if constexpr (kKind == FieldKind::kCustomers) {
      VRP_ASSIGN_OR_RETURN(value, fields_.Integers(key));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kCapacity) {
      return ReadCapacity(key);
    } else if constexpr (kKind == FieldKind::kDrivingRules) {
      return ReadDrivingRules(key, value);
    } else {
      static_assert(kKind == FieldKind::kFurtherCapacities ||  // read together with the capacity
                    kKind == FieldKind::kDistances || kKind == FieldKind::kDurations);
      return absl::OkStatus();
    }
  }

  template <typename Value>
  absl::Status Require(absl::StatusOr<std::optional<Value>> read, const std::string& key,
                       std::string_view wanted, Value& value) const {
    if (read.ok() && !read->has_value()) return fields_.Error(key, "absent, wanted ", wanted);
    return StoreIfPresent(std::move(read), value);
  }

  // Reads a number, or an array with one number for each load dimension.
  absl::Status ReadLoads(const std::string& key, std::vector<double>& loads) {
    const json* given = fields_.Find(key);
    if (given != nullptr && given->is_array()) {
      VRP_ASSIGN_OR_RETURN(loads, fields_.Numbers(key));
      return absl::OkStatus();
    }
    loads.resize(1);
    return Require(fields_.Number(key), key, "a number", loads.front());
  }

  // Reads a number, or an array with one number for each load dimension. A null entry means no
  // limit.
  absl::Status ReadCapacity(const std::string& key) {
    const json* given = fields_.Find(key);
    if (given == nullptr || !given->is_array()) {
      return StoreIfPresent(fields_.Number(key), object_.capacity);
    }
    VRP_ASSIGN_OR_RETURN(const std::vector<double> all, fields_.Numbers(key, kNoLimit));
    if (all.empty()) return fields_.Error(key, "empty, wanted at least one number");
    object_.capacity = all.front();
    object_.further_capacities.assign(all.begin() + 1, all.end());
    return absl::OkStatus();
  }

  // Reads a number, or an array with one number for each load dimension. A null entry means no
  // limit.
  absl::Status ReadMaxLoads(const std::string& key, std::vector<double>& loads) {
    const json* given = fields_.Find(key);
    if (given == nullptr) return absl::OkStatus();
    if (!given->is_array()) {
      loads.resize(1);
      return StoreIfPresent(fields_.Number(key), loads.front());
    }
    VRP_ASSIGN_OR_RETURN(loads, fields_.Numbers(key, kNoLimit));
    if (loads.empty()) return fields_.Error(key, "empty, wanted at least one number");
    return absl::OkStatus();
  }

  absl::Status ReadWindowList(const std::string& key, std::vector<TimeWindow>& windows) {
    const json* given = fields_.Find(key);
    if (given == nullptr) return absl::OkStatus();
    const std::string location = Concat(location_, ".", key);
    if (!given->is_array()) return WrongValue(location, *given, "an array of windows");
    for (const json& value : *given) {
      VRP_ASSIGN_OR_RETURN(const TimeWindow window,
                           WindowFromJson(value, Concat(location, "[", windows.size(), "]")));
      windows.push_back(window);
    }
    return absl::OkStatus();
  }

  absl::Status ReadDrivingRules(const std::string& key, DrivingRules& rules) {
    const json* given = fields_.Find(key);
    if (given == nullptr) return absl::OkStatus();
    const std::string location = Concat(location_, ".", key);
    if (!given->is_object()) return WrongValue(location, *given, "an object");
    VRP_ASSIGN_OR_RETURN(rules, PartReader<DrivingRules>(*given, location).Run(nullptr));
    if (rules != DrivingRules()) return absl::OkStatus();
    return WrongValue(location, *given, "a preset or at least one limit in it");
  }

  // Stores the numbers of the named preset. Keys beside it replace them.
  absl::Status ExpandPreset() {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> preset, fields_.String("preset"));
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> unit, fields_.String("time_unit"));
    if (!preset.has_value()) {
      if (!unit.has_value()) return absl::OkStatus();
      return fields_.Error("time_unit", "given, but there is no preset; wanted both");
    }
    auto rules = DrivingPreset(*preset, SecondsOfTimeUnit(unit.value_or("")));
    if (!rules.ok()) {
      return absl::InvalidArgumentError(Concat(location_, ".", FromAbsl(rules.status().message())));
    }
    if constexpr (std::is_same_v<Object, DrivingRules>) object_ = *rules;
    return absl::OkStatus();
  }

  JsonFields fields_;
  const std::string location_;
  Object object_;
};

template <typename Part>
absl::Status ReadParts(JsonFields& fields, std::string_view prefix, const std::string& key,
                       std::vector<Part>& parts) {
  const json* given = fields.Find(key);
  if (given == nullptr) return absl::OkStatus();
  if (!given->is_array()) return WrongValue(Concat(prefix, key), *given, "an array");
  for (const json& value : *given) {
    const std::string location = Concat(prefix, key, "[", parts.size(), "]");
    if (!value.is_object()) return WrongValue(location, value, "an object");
    VRP_ASSIGN_OR_RETURN(parts.emplace_back(), PartReader<Part>(value, location).Run(nullptr));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadTimedMatrices(JsonFields& fields, std::string_view prefix,
                               std::vector<TimedMatrix>& list) {
  return ReadParts(fields, prefix, "duration_matrices", list);
}

template <typename Owner>
absl::Status MatrixKeys::Read(JsonFields& fields, Owner& owner) const {
  std::vector<double>& distances = owner.distance_matrix;
  std::vector<double>& durations = owner.duration_matrix;
  for (const auto& [key, matrix] :
       {std::pair{"distance_matrix", &distances}, std::pair{"length_matrix", &owner.length_matrix},
        std::pair{"duration_matrix", &durations}}) {
    VRP_RETURN_IF_ERROR(ReadMatrix(fields, key, *matrix));
  }
  VRP_ASSIGN_OR_RETURN(const std::optional<std::string> name, fields.String("matrices"));
  if (!name.has_value()) return absl::OkStatus();
  if (!distances.empty() || !durations.empty()) {
    return fields.Error("matrices", "given together with a matrix; wanted only one of them");
  }
  const auto found = FindMatrices(source, *name, nodes);
  if (!found.ok()) return fields.Error("matrices", FromAbsl(found.status().message()));
  distances = (*found)->distances;
  durations = (*found)->durations;
  return absl::OkStatus();
}

template absl::Status MatrixKeys::Read(JsonFields& fields, InstanceData& owner) const;
template absl::Status MatrixKeys::Read(JsonFields& fields, VehicleType& owner) const;

absl::StatusOr<TimeWindow> WindowFromJson(const json& value, std::string_view location) {
  constexpr std::string_view kWanted = "[open, close] or [open, close, late_cost]";
  if (!value.is_array() || value.size() < 2 || value.size() > 3) {
    return absl::InvalidArgumentError(Concat(
        location, ": got ", value.is_array() ? Concat(value.size(), " entries") : Shown(value),
        ", wanted ", kWanted));
  }
  std::vector<double> numbers;
  for (const json& entry : value) {
    const bool no_end = entry.is_null() && numbers.size() == 1;
    if (!no_end && !entry.is_number()) {
      return WrongValue(Concat(location, "[", numbers.size(), "]"), entry, "a number");
    }
    numbers.push_back(no_end ? kNoLimit : entry.get<double>());
  }
  return TimeWindow{numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : kNoLimit};
}

absl::StatusOr<std::vector<TimeWindow>> WindowsFromJson(const json& value,
                                                        std::string_view location) {
  std::vector<TimeWindow> windows;
  if (!value.is_array() || value.empty() || !value.front().is_array()) {
    VRP_ASSIGN_OR_RETURN(const TimeWindow window, WindowFromJson(value, location));
    windows.push_back(window);
    return windows;
  }
  for (const json& entry : value) {
    VRP_ASSIGN_OR_RETURN(const TimeWindow window,
                         WindowFromJson(entry, Concat(location, "[", windows.size(), "]")));
    windows.push_back(window);
  }
  return windows;
}

absl::StatusOr<VehicleType> VehicleFromJson(const json& value, std::string_view location,
                                            const MatrixKeys& matrices) {
  if (!value.is_object()) return WrongValue(location, value, "an object");
  return PartReader<VehicleType>(value, location).Run(&matrices);
}

absl::StatusOr<Shipment> ShipmentFromJson(const json& value, std::string_view location) {
  if (!value.is_object()) return WrongValue(location, value, "an object");
  return PartReader<Shipment>(value, location).Run(nullptr);
}

absl::StatusOr<Balance> BalanceFromJson(const json& value, std::string_view location) {
  if (!value.is_object()) return WrongValue(location, value, "an object");
  if (!value.contains("measure")) {
    return absl::InvalidArgumentError(
        Concat(location, ".measure: absent, wanted ", ChoiceList<BalanceMeasure>()));
  }
  return PartReader<Balance>(value, location).Run(nullptr);
}

absl::StatusOr<CustomerRule> CustomerRuleFromJson(const json& value, std::string_view location) {
  if (!value.is_object()) return WrongValue(location, value, "an object");
  return PartReader<CustomerRule>(value, location).Run(nullptr);
}

}  // namespace vrp
