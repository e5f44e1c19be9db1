// CVRPLIB, TSPLIB95 and PyVRP's dialect of them, as an Instance.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats.h"
#include "core/problem/reader_support.h"
#include "core/problem/vrplib_file.h"

namespace vrp {
namespace {

constexpr std::array<std::string_view, 11> kTypes = {
    "TSP", "ATSP", "CVRP", "ACVRP", "VRP", "DCVRP", "VRPB", "CVRPTW", "VRPTW", "MDVRPTW", "MDVRP"};

// `Optimal value: 375` or `Best value: 817` in the comment of the older sets.
std::optional<Cost> ReferenceCost(std::string_view comment) {
  for (const std::string_view label : {"Optimal value:", "Best value:"}) {
    const size_t start = comment.find(label);
    if (start == comment.npos) continue;
    std::string_view rest = comment.substr(start + label.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return ParseNumber(rest.substr(0, rest.find_first_not_of("0123456789.")));
  }
  return std::nullopt;
}

// A matrix out of the numbers of one half of it. Read by rows, the lower half is the upper half
// read by columns.
std::vector<double> ExpandWeights(const std::vector<double>& weights, std::string_view format,
                                  size_t nodes) {
  if (format == "FULL_MATRIX") return weights;
  const bool diagonal = format.find("DIAG") != format.npos;
  const bool growing = format.starts_with("LOWER") == format.ends_with("ROW");
  std::vector<double> matrix(nodes * nodes, 0.0);
  size_t next = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const size_t from = growing ? 0 : i + (diagonal ? 0 : 1);
    const size_t to = growing ? i + (diagonal ? 1 : 0) : nodes;
    for (size_t j = from; j < to; ++j) {
      matrix[i * nodes + j] = matrix[j * nodes + i] = weights[next++];
    }
  }
  return matrix;
}

class Builder {
 public:
  explicit Builder(VrplibFile file) : file_(std::move(file)) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(ReadType());
    VRP_RETURN_IF_ERROR(ReadDistances());
    if (data_.kind == ProblemKind::kTsp) {
      VRP_RETURN_IF_ERROR(RefuseForTsp());
    } else {
      VRP_RETURN_IF_ERROR(ReadNodes());
      VRP_RETURN_IF_ERROR(ReadVehicles());
      PutDepotsFirst();
    }
    return FinishInstance(std::move(data_), file_.source);
  }

 private:
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(file_.source, ": ", parts...));
  }
  template <typename... Parts>
  absl::Status ErrorAt(int64_t line, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(file_.source, ":", line, ": ", parts...));
  }

  absl::Status ReadType() {
    if (file_.dimension == 0) return Error("DIMENSION: absent, wanted the number of nodes");
    const VrplibKeyword* type = file_.Keyword("TYPE");
    if (type == nullptr) return Error("TYPE: absent, wanted one like CVRP, VRPTW, TSP");
    type_ = type->value.substr(0, type->value.find(' '));  // "TSP (M.~Hofmeister)"
    if (std::find(kTypes.begin(), kTypes.end(), type_) == kTypes.end()) {
      return ErrorAt(type->line, "TYPE: got ", Quoted(type->value),
                     ", wanted TSP, ATSP, CVRP, ACVRP, VRP, DCVRP, VRPB, CVRPTW, VRPTW, MDVRP or "
                     "MDVRPTW");
    }
    if (type_ == "TSP" || type_ == "ATSP") data_.kind = ProblemKind::kTsp;
    if (file_.Section("TIME_WINDOW_SECTION") != nullptr) data_.kind = ProblemKind::kVrptw;
    const bool wants_windows = type_.ends_with("TW");
    if (wants_windows != (data_.kind == ProblemKind::kVrptw)) {
      return Error("TIME_WINDOW_SECTION: ", wants_windows ? "absent, wanted" : "given, wanted none",
                   " for TYPE ", type_);
    }
    if (const VrplibKeyword* name = file_.Keyword("NAME")) data_.name = name->value;
    if (const VrplibKeyword* comment = file_.Keyword("COMMENT")) {
      data_.reference_cost = ReferenceCost(comment->value);
    }
    return absl::OkStatus();
  }

  // The metric that the published values of each type are stated in.
  void SetRoundedMetric() {
    data_.metric = Metric::kRounded;
    if (type_ == "VRPTW" || type_ == "CVRPTW") data_.metric = Metric::kDimacs;
    if (type_ != "MDVRPTW") return;
    data_.metric = Metric::kScaled1000;
    data_.speed = 1000;  // times stay in the file's unit
  }

  absl::Status ReadDistances() {
    const VrplibKeyword* type = file_.Keyword("EDGE_WEIGHT_TYPE");
    if (type == nullptr)
      return Error("EDGE_WEIGHT_TYPE: absent, wanted EUC_2D, CEIL_2D or EXPLICIT");
    if (const VrplibSection* coords = file_.Section("NODE_COORD_SECTION")) {
      for (size_t i = 0; i < coords->values.size(); i += 2) {
        data_.positions.push_back({coords->values[i], coords->values[i + 1]});
      }
    }
    const VrplibSection* weights = file_.Section("EDGE_WEIGHT_SECTION");
    if (type->value == "EXPLICIT") {
      if (weights == nullptr) return Error("EDGE_WEIGHT_SECTION: absent, wanted for EXPLICIT");
      ReadMatrix(*weights);
      return absl::OkStatus();
    }
    if (type->value != "EUC_2D" && type->value != "CEIL_2D") {
      return ErrorAt(type->line, "EDGE_WEIGHT_TYPE: got ", Quoted(type->value),
                     ", wanted EUC_2D, CEIL_2D or EXPLICIT");
    }
    if (weights != nullptr) {
      return ErrorAt(weights->line, "EDGE_WEIGHT_SECTION: given, but EDGE_WEIGHT_TYPE is ",
                     type->value);
    }
    if (data_.positions.empty())
      return Error("NODE_COORD_SECTION: absent, wanted for ", type->value);
    SetRoundedMetric();
    if (type->value == "CEIL_2D") {
      data_.metric = Metric::kCeiled;
      data_.speed = 1;
    }
    return absl::OkStatus();
  }

  void ReadMatrix(const VrplibSection& weights) {
    const std::string& format = file_.Keyword("EDGE_WEIGHT_FORMAT")->value;
    data_.distance_matrix =
        ExpandWeights(weights.values, format, static_cast<size_t>(file_.dimension));
    const bool integers = std::all_of(weights.values.begin(), weights.values.end(),
                                      [](double weight) { return weight == std::floor(weight); });
    data_.metric = integers ? Metric::kRounded : Metric::kExact;
  }

  absl::Status RefuseForTsp() const {
    for (const auto& [key, section] : file_.sections) {
      if (key == "NODE_COORD_SECTION" || key == "DISPLAY_DATA_SECTION") continue;
      if (key == "EDGE_WEIGHT_SECTION") continue;
      return ErrorAt(section.line, key, ": given, wanted none for TYPE ", type_);
    }
    for (const char* key : {"CAPACITY", "DISTANCE", "SERVICE_TIME", "VEHICLES_MAX_DURATION"}) {
      if (const VrplibKeyword* keyword = file_.Keyword(key)) {
        return ErrorAt(keyword->line, key, ": given, wanted none for TYPE ", type_);
      }
    }
    if (file_.vehicles > 1) {  // PyVRP's files say 1
      return Error("VEHICLES: got ", file_.vehicles, ", wanted none or 1 for TYPE ", type_);
    }
    return absl::OkStatus();
  }

  absl::Status ReadNodes() {
    const VrplibSection* depots = file_.Section("DEPOT_SECTION");
    if (depots == nullptr || depots->values.empty()) {
      return Error("DEPOT_SECTION: absent or empty, wanted the number of at least one depot");
    }
    data_.num_depots = static_cast<int32_t>(depots->values.size());
    const VrplibSection* demands = file_.Section("DEMAND_SECTION");
    if (demands == nullptr) return Error("DEMAND_SECTION: absent, wanted for TYPE ", type_);
    data_.demands = demands->values;
    if (const VrplibSection* backhauls = file_.Section("BACKHAUL_SECTION")) {
      data_.backhauls = backhauls->values;
    } else if (type_ == "VRPB") {
      return Error("BACKHAUL_SECTION: absent, wanted for TYPE VRPB");
    }
    if (const VrplibSection* windows = file_.Section("TIME_WINDOW_SECTION")) {
      for (size_t i = 0; i < windows->values.size(); i += 2) {
        data_.windows.push_back({windows->values[i], windows->values[i + 1]});
      }
    }
    return ReadServices();
  }

  absl::Status ReadServices() {
    const VrplibSection* section = file_.Section("SERVICE_TIME_SECTION");
    if (section != nullptr) data_.services = section->values;
    const VrplibKeyword* keyword = file_.Keyword("SERVICE_TIME");
    if (keyword == nullptr) return absl::OkStatus();
    if (section != nullptr) {
      return ErrorAt(keyword->line, "SERVICE_TIME: given, and SERVICE_TIME_SECTION too");
    }
    VRP_ASSIGN_OR_RETURN(const double service, NumberOf("SERVICE_TIME", *keyword));
    data_.services.assign(static_cast<size_t>(file_.dimension), service);
    for (const double depot : file_.Section("DEPOT_SECTION")->values) {
      data_.services[static_cast<size_t>(depot) - 1] = 0;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> NumberOf(std::string_view key, const VrplibKeyword& keyword) const {
    const std::optional<double> number = ParseNumber(keyword.value);
    if (number.has_value()) return *number;
    return ErrorAt(keyword.line, key, ": got ", Quoted(keyword.value), ", wanted a finite number");
  }

  // One value for all vehicles (KEY) or one for each (KEY_SECTION); `fallback` where neither is
  // given.
  absl::StatusOr<std::vector<double>> PerVehicle(const std::string& key, double fallback) const {
    const size_t count = static_cast<size_t>(std::max(file_.vehicles, 1));
    const VrplibKeyword* keyword = file_.Keyword(key);
    const VrplibSection* section = file_.Section(key + "_SECTION");
    if (keyword != nullptr && section != nullptr) {
      return ErrorAt(keyword->line, key, ": given, and ", key, "_SECTION too");
    }
    if (section != nullptr) return section->values;
    if (keyword == nullptr) return std::vector<double>(count, fallback);
    VRP_ASSIGN_OR_RETURN(const double value, NumberOf(key, *keyword));
    return std::vector<double>(count, value);
  }

  absl::Status ReadVehicles() {
    VRP_ASSIGN_OR_RETURN(const std::vector<double> capacities, PerVehicle("CAPACITY", kNoLimit));
    if (capacities.front() == kNoLimit) return Error("CAPACITY: absent, wanted for TYPE ", type_);
    VRP_ASSIGN_OR_RETURN(std::vector<double> durations,
                         PerVehicle("VEHICLES_MAX_DURATION", kNoLimit));
    if (const VrplibKeyword* keyword = file_.Keyword("DISTANCE")) {
      // Christofides' sets: a limit on a route's length, service times included.
      VRP_ASSIGN_OR_RETURN(const double limit, NumberOf("DISTANCE", *keyword));
      for (double& duration : durations) duration = std::min(duration, limit);
    }
    const VrplibSection* depots = file_.Section("VEHICLES_DEPOT_SECTION");
    const double first_depot = file_.Section("DEPOT_SECTION")->values.front();
    for (size_t k = 0; k < capacities.size(); ++k) {
      VRP_ASSIGN_OR_RETURN(const NodeIndex depot,
                           DepotIndex(depots == nullptr ? first_depot : depots->values[k]));
      VehicleType vehicle{.id = {},
                          .count = 1,
                          .depot = depot,
                          .capacity = capacities[k],
                          .max_duration = durations[k]};
      if (file_.vehicles == 0) vehicle.count = 0;
      AddVehicle(std::move(vehicle));
    }
    return absl::OkStatus();
  }

  // Equal vehicles that follow each other are one type, so that the order of the file stays.
  void AddVehicle(VehicleType vehicle) {
    if (!data_.vehicles.empty()) {
      VehicleType& last = data_.vehicles.back();
      if (last.depot == vehicle.depot && last.capacity == vehicle.capacity &&
          last.max_duration == vehicle.max_duration) {
        ++last.count;
        return;
      }
    }
    data_.vehicles.push_back(std::move(vehicle));
  }

  // The place of a depot among the depots by number.
  absl::StatusOr<NodeIndex> DepotIndex(double number) const {
    NodeIndex before = 0;
    bool found = false;
    for (const double depot : file_.Section("DEPOT_SECTION")->values) {
      if (depot < number) ++before;
      found = found || depot == number;
    }
    if (found) return before;
    return Error("VEHICLES_DEPOT_SECTION: got node ", FormatNumber(number),
                 ", wanted one of DEPOT_SECTION");
  }

  void PutDepotsFirst() {
    std::vector<bool> is_depot(static_cast<size_t>(file_.dimension), false);
    for (const double depot : file_.Section("DEPOT_SECTION")->values) {
      is_depot[static_cast<size_t>(depot) - 1] = true;
    }
    std::vector<size_t> order(is_depot.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_partition(order.begin(), order.end(), [&](size_t i) { return is_depot[i]; });
    if (std::is_sorted(order.begin(), order.end())) return;
    Reorder(order, data_.positions);
    Reorder(order, data_.demands);
    Reorder(order, data_.backhauls);
    Reorder(order, data_.windows);
    Reorder(order, data_.services);
    if (data_.distance_matrix.empty()) return;
    std::vector<double> matrix;
    matrix.reserve(order.size() * order.size());
    for (const size_t from : order) {
      for (const size_t to : order)
        matrix.push_back(data_.distance_matrix[from * order.size() + to]);
    }
    data_.distance_matrix = std::move(matrix);
  }

  template <typename T>
  static void Reorder(const std::vector<size_t>& order, std::vector<T>& values) {
    if (values.empty()) return;
    std::vector<T> reordered;
    for (const size_t i : order) reordered.push_back(values[i]);
    values = std::move(reordered);
  }

  VrplibFile file_;
  std::string type_;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> ParseVrplib(std::string_view text, std::string_view name) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  VRP_ASSIGN_OR_RETURN(VrplibFile file, ParseVrplibFile(text, name));
  return Builder(std::move(file)).Run();
}

}  // namespace vrp
