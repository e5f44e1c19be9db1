#include "core/problem/formats/json/json_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/json/json_parts.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

using nlohmann::json;

class JsonReader {
 public:
  JsonReader(const json& object, std::string_view source, const MatrixSource* matrices)
      : fields_(object, source), source_(source), matrices_(matrices) {}

  absl::StatusOr<Instance> Run() && {
    if (fields_.Find("kind") == nullptr) {
      return fields_.Error("kind",
                           "absent, wanted tsp, cvrp or vrptw (VROOM's input has jobs or "
                           "shipments instead)");
    }
    VRP_RETURN_IF_ERROR(ReadFields([](FieldKind kind) { return CountsNodes(kind); }));
    VRP_RETURN_IF_ERROR(CountNodes());
    VRP_RETURN_IF_ERROR(CountLoadDimensions());
    VRP_RETURN_IF_ERROR(ReadFields([](FieldKind kind) { return !CountsNodes(kind); }));
    VRP_RETURN_IF_ERROR(ReadHorizon());
    VRP_RETURN_IF_ERROR(CheckReferenceRoutes());
    VRP_RETURN_IF_ERROR(fields_.RefuseUnknownKeys());
    return FinishInstance(std::move(data_), source_);
  }

 private:
  // Whether fields of the kind must be read first, because the sizes of other fields depend on
  // them.
  static constexpr bool CountsNodes(FieldKind kind) {
    return kind == FieldKind::kChoice || kind == FieldKind::kCount ||
           kind == FieldKind::kPosition || kind == FieldKind::kMatrixRows;
  }

  template <typename IsChosen>
  absl::Status ReadFields(IsChosen is_chosen) {
    absl::Status status;
    ForEachField(data_, [&](auto field, auto& value) {
      if (!status.ok() || field.json.empty() || !is_chosen(decltype(field)::kKind)) return;
      const std::string key(field.json);
      if constexpr (decltype(field)::kPerNode) {
        status = ReadNodes<decltype(field)::kKind>(key, value);
      } else {
        status = ReadField<decltype(field)::kKind>(key, value);
      }
    });
    return status;
  }

  // Stores the value that was read.
  template <typename Value>
  static absl::Status Store(absl::StatusOr<Value> read, Value& target) {
    VRP_ASSIGN_OR_RETURN(target, std::move(read));
    return absl::OkStatus();
  }

  template <FieldKind kKind, typename Value>
  absl::Status ReadField(const std::string& key, Value& value) {
    if constexpr (IsSingleValue(kKind)) {
      return ReadSingleValue<kKind>(fields_, key, value);
    } else if constexpr (kKind == FieldKind::kMatrixRows) {
      return Store(fields_.Integers(key), value);
    } else if constexpr (kKind == FieldKind::kGroups) {
      return Store(fields_.IntegerLists(key), value);
    } else if constexpr (kKind == FieldKind::kShipments) {
      return ReadParts(key, value, ShipmentFromJson);
    } else if constexpr (kKind == FieldKind::kRules) {
      return ReadParts(key, value, CustomerRuleFromJson);
    } else if constexpr (kKind == FieldKind::kBalance) {
      const json* given = fields_.Find(key);
      if (given == nullptr) return absl::OkStatus();
      VRP_ASSIGN_OR_RETURN(value, BalanceFromJson(*given, Concat(source_, ": ", key)));
      return absl::OkStatus();
    } else if constexpr (kKind == FieldKind::kVehicles) {
      return ReadVehicles();
    } else if constexpr (kKind == FieldKind::kTimedDurations) {
      return ReadTimedMatrices(fields_, Concat(source_, ": "), value);
    } else if constexpr (kKind == FieldKind::kColumns) {
      return ReadFeatures();
    } else {
      static_assert(kKind == FieldKind::kDistances || kKind == FieldKind::kDurations ||
                    kKind == FieldKind::kUnits);
      return absl::OkStatus();  // CountNodes reads the matrices
    }
  }

  template <FieldKind kKind, typename Value>
  absl::Status ReadNodes(const std::string& key, std::vector<Value>& values) {
    if constexpr (kKind == FieldKind::kName) {
      return Store(fields_.Strings(key), values);
    } else if constexpr (kKind == FieldKind::kPosition) {
      return ReadPositions(key);
    } else if constexpr (kKind == FieldKind::kLoad) {
      return Store(fields_.Table(key, static_cast<size_t>(data_.load_dimensions)), values);
    } else if constexpr (kKind == FieldKind::kTime) {
      return Store(NumberForEachNode(key), values);
    } else if constexpr (kKind == FieldKind::kWindow) {
      return ReadWindows(key);
    } else if constexpr (kKind == FieldKind::kSkills) {
      return Store(fields_.StringLists(key), values);
    } else if constexpr (kKind == FieldKind::kPrize) {
      return Store(fields_.Numbers(key, kNoLimit), values);
    } else if constexpr (kKind == FieldKind::kPriority) {
      return Store(fields_.Integers(key), values);
    } else {
      static_assert(kKind == FieldKind::kFurtherWindows);  // ReadWindows reads these windows
      return absl::OkStatus();
    }
  }

  absl::Status ReadPositions(const std::string& key) {
    VRP_ASSIGN_OR_RETURN(const std::vector<double> coords, fields_.Rows(key, 2));
    for (size_t i = 0; i < coords.size(); i += 2) {
      data_.positions.push_back({coords[i], coords[i + 1]});
    }
    return absl::OkStatus();
  }

  // Counts the nodes. Also reads the matrices.
  absl::Status CountNodes() {
    const bool any_size = !data_.matrix_rows.empty();
    const MatrixKeys keys{matrices_, any_size ? 0 : data_.positions.size()};
    VRP_RETURN_IF_ERROR(keys.Read(fields_, data_));
    if (data_.positions.empty() && data_.distance_matrix.empty()) {
      return fields_.Error("coords",
                           "absent or empty, and distance_matrix too; wanted one of them");
    }
    nodes_ = data_.positions.size();
    if (nodes_ == 0) nodes_ = data_.matrix_rows.size();
    if (nodes_ == 0) nodes_ = static_cast<size_t>(std::sqrt(data_.distance_matrix.size()));
    return absl::OkStatus();
  }

  absl::Status CountLoadDimensions() {
    VRP_ASSIGN_OR_RETURN(const size_t columns, fields_.Columns("demands"));
    if (columns == 0 && data_.kind != ProblemKind::kTsp) {
      return fields_.Error("demands", "absent or empty, wanted a number for each node");
    }
    data_.load_dimensions = static_cast<int32_t>(std::max<size_t>(1, columns));
    return absl::OkStatus();
  }

  // Reads an array of objects, each by `read`.
  template <typename Part, typename Read>
  absl::Status ReadParts(const std::string& key, std::vector<Part>& parts, Read read) {
    const json* given = fields_.Find(key);
    if (given == nullptr) return absl::OkStatus();
    if (!given->is_array()) {
      return fields_.Error(key, "got ", Shown(*given), ", wanted an array");
    }
    for (const json& part : *given) {
      const std::string location = Concat(source_, ": ", key, "[", parts.size(), "]");
      VRP_ASSIGN_OR_RETURN(parts.emplace_back(), read(part, location));
    }
    return absl::OkStatus();
  }

  // Reads an array with one number for each node, or one number for all customers.
  absl::StatusOr<std::vector<double>> NumberForEachNode(const std::string& key) {
    const json* value = fields_.Find(key);
    if (value == nullptr) return std::vector<double>();
    if (value->is_array()) return fields_.Numbers(key);
    VRP_ASSIGN_OR_RETURN(const std::optional<double> same, fields_.Number(key));
    std::vector<double> values(nodes_, *same);
    const auto depots = static_cast<size_t>(data_.num_depots);
    for (size_t i = 0; i < std::min(depots, nodes_); ++i) values[i] = 0;
    return values;
  }

  // Reads [[open, close], ...]; a node's entry may be an array of windows.
  absl::Status ReadWindows(const std::string& key) {
    const json* windows = fields_.Find(key);
    if (windows == nullptr) return absl::OkStatus();
    if (!windows->is_array()) {
      return fields_.Error(key, "got ", Shown(*windows), ", wanted an array");
    }
    for (const json& entry : *windows) {
      const size_t node = data_.windows.size();
      const std::string location = Concat(source_, ": ", key, "[", node, "]");
      VRP_ASSIGN_OR_RETURN(const std::vector<TimeWindow> read, WindowsFromJson(entry, location));
      data_.windows.push_back(read.front());
      if (read.size() == 1) continue;
      data_.further_windows.resize(windows->size());
      data_.further_windows[node].assign(read.begin() + 1, read.end());
    }
    return absl::OkStatus();
  }

  absl::Status ReadHorizon() {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> horizon, fields_.Number("horizon"));
    if (!horizon.has_value()) return absl::OkStatus();
    if (data_.windows.empty()) {
      return fields_.Error("horizon", "given, but there are no time_windows; wanted both");
    }
    if (*horizon < 0 || *horizon > kMaxMagnitude) {
      return fields_.Error("horizon", "got ", FormatNumber(*horizon), ", wanted 0 to ",
                           FormatNumber(kMaxMagnitude));
    }
    const auto depots = static_cast<size_t>(data_.num_depots);
    for (size_t i = 0; i < std::min(depots, data_.windows.size()); ++i) {
      double& close = data_.windows[i].close;
      // A close beyond the limit stays unchanged, so that the validation reports it.
      if (close <= kMaxMagnitude || close == kNoLimit) close = std::min(close, *horizon);
    }
    return absl::OkStatus();
  }

  absl::Status ReadVehicles() {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> capacity, fields_.Number("capacity"));
    const json* vehicles = fields_.Find("vehicles");
    if (vehicles == nullptr) {
      if (capacity.has_value()) data_.vehicles = {{.id = {}, .capacity = *capacity}};
      if (capacity.has_value() || data_.kind == ProblemKind::kTsp) return absl::OkStatus();
      return fields_.Error("capacity", "absent, and vehicles too; wanted one of them");
    }
    if (capacity.has_value()) {
      return fields_.Error("capacity", "given, and vehicles too; wanted one of them");
    }
    if (!vehicles->is_array() || vehicles->size() > kMaxVehicles) {
      return fields_.Error("vehicles", "got ", Shown(*vehicles), ", wanted an array of at most ",
                           kMaxVehicles, " objects");
    }
    for (const json& vehicle : *vehicles) {
      VRP_ASSIGN_OR_RETURN(
          VehicleType read,
          VehicleFromJson(vehicle, Concat(source_, ": vehicles[", data_.vehicles.size(), "]"),
                          {matrices_, nodes_}));
      data_.vehicles.push_back(std::move(read));
    }
    if (fields_.Find("objective") == nullptr && HasCosts(*vehicles)) {
      data_.objective = Objective::kCost;
    }
    return absl::OkStatus();
  }

  // Whether any vehicle states a cost. If so, the objective is cost, as in the API's messages.
  static bool HasCosts(const json& vehicles) {
    return std::any_of(vehicles.begin(), vehicles.end(), [](const json& vehicle) {
      return !AllFields<VehicleType>([&](auto field) {
        return decltype(field)::kKind != FieldKind::kCost || !vehicle.contains(field.json);
      });
    });
  }

  absl::Status ReadFeatures() {
    const json* features = fields_.Find("features");
    if (features == nullptr) return absl::OkStatus();
    if (!features->is_object()) {
      return fields_.Error("features", "got ", Shown(*features),
                           ", wanted an object with an array of numbers for each column");
    }
    JsonFields columns(*features, Concat(source_, ": features"));
    for (const auto& [name, unused] : features->items()) {
      VRP_ASSIGN_OR_RETURN(std::vector<double> values, columns.Numbers(name));
      data_.features.push_back({.name = name, .values = std::move(values)});
    }
    return absl::OkStatus();
  }

  // Checks the form of ref_routes and ref_by, which are for people and tests and are not stored.
  absl::Status CheckReferenceRoutes() {
    VRP_ASSIGN_OR_RETURN(const std::optional<std::string> by, fields_.String("ref_by"));
    const json* routes = fields_.Find("ref_routes");
    if (routes == nullptr) return absl::OkStatus();
    if (!routes->is_array()) {
      return fields_.Error("ref_routes", "got ", Shown(*routes), ", wanted an array");
    }
    for (size_t r = 0; r < routes->size(); ++r) {
      if (!(*routes)[r].is_array()) {
        return fields_.Error(Concat("ref_routes[", r, "]"), "got ", Shown((*routes)[r]),
                             ", wanted an array");
      }
      for (const json& node : (*routes)[r]) {
        if (node.is_number_unsigned() && node.get<uint64_t>() < nodes_) continue;
        return fields_.Error(Concat("ref_routes[", r, "]"), "got ", Shown(node),
                             ", wanted a node from 0 to ", nodes_ - 1);
      }
    }
    return absl::OkStatus();
  }

  JsonFields fields_;
  std::string_view source_;
  const MatrixSource* matrices_;
  size_t nodes_ = 0;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> InstanceFromJson(const json& root, std::string_view name,
                                          const MatrixSource* matrices) {
  return JsonReader(root, name, matrices).Run();
}

}  // namespace vrp
