// WriteVrplib and WriteSolomon: what the readers of these files read back.
#include <algorithm>
#include <cmath>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/field_errors.h"
#include "core/problem/instance_writer.h"

namespace vrp {
namespace {

constexpr int64_t kMostVehicleRows = 1'000'000;

class Writer {
 public:
  explicit Writer(const InstanceData& data) : data_(data), nodes_(data.ids.size()) {}

  absl::StatusOr<std::string> Run() && {
    for (size_t node = 0; node < data_.windows.size(); ++node) {
      if (data_.windows[node].close != kNoLimit) continue;
      return absl::UnimplementedError(
          Concat(NodePath(data_, node), ".window: no end, which CVRPLIB's format cannot say"));
    }
    WriteHead();
    if (absl::Status status = WriteFleet(); !status.ok()) return status;
    WritePlaces();
    WriteCustomers();
    text_ += "EOF\n";
    return std::move(text_);
  }

 private:
  void Line(std::string_view key, std::string_view value) {
    text_ += Concat(key, " : ", value, "\n");
  }
  void Line(std::string_view key, double value) { Line(key, FormatNumber(value)); }

  // Rows `number values...`, numbers from 1.
  template <typename Row>
  void Section(std::string_view name, size_t count, Row row) {
    text_ += Concat(name, "\n");
    for (size_t i = 0; i < count; ++i) text_ += Concat(i + 1, " ", row(i), "\n");
  }
  void NumberSection(std::string_view name, const std::vector<double>& values) {
    if (values.empty()) return;
    Section(name, values.size(), [&](size_t i) { return FormatNumber(values[i]); });
  }

  bool Symmetric() const {
    const auto& matrix = data_.distance_matrix;
    for (size_t i = 0; i < nodes_ && !matrix.empty(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (matrix[i * nodes_ + j] != matrix[j * nodes_ + i]) return false;
      }
    }
    return true;
  }

  std::string_view Type() const {
    if (data_.kind == ProblemKind::kTsp) return Symmetric() ? "TSP" : "ATSP";
    if (data_.kind == ProblemKind::kVrptw) {
      if (data_.metric == Metric::kScaled1000) return "MDVRPTW";
      if (!data_.backhauls.empty()) return "VRPBTW";
      return data_.pickups.empty() ? "VRPTW" : "VRPSPDTW";
    }
    if (!data_.backhauls.empty()) return "VRPB";
    if (!data_.pickups.empty()) return "VRPSPD";
    if (data_.num_depots > 1) return "MDVRP";
    return Symmetric() ? "CVRP" : "ACVRP";
  }

  void WriteHead() {
    if (!data_.name.empty()) Line("NAME", data_.name);
    if (data_.reference_cost.has_value()) {
      Line("COMMENT", Concat("Best value: ", FormatNumber(*data_.reference_cost)));
    }
    Line("TYPE", Type());
    Line("DIMENSION", static_cast<double>(nodes_));
    if (data_.distance_matrix.empty()) {
      Line("EDGE_WEIGHT_TYPE", data_.metric == Metric::kCeiled ? "CEIL_2D" : "EUC_2D");
    } else {
      Line("EDGE_WEIGHT_TYPE", "EXPLICIT");
      Line("EDGE_WEIGHT_FORMAT", "FULL_MATRIX");
    }
  }

  // `KEY : value` where all vehicles have the same, else a section with one for each.
  template <typename ValueOf>
  void PerVehicle(const std::string& key, ValueOf value_of) {
    const auto same = [&](const VehicleType& vehicle) {
      return value_of(vehicle) == value_of(data_.vehicles.front());
    };
    if (std::all_of(data_.vehicles.begin(), data_.vehicles.end(), same)) {
      Line(key, value_of(data_.vehicles.front()));
      return;
    }
    text_ += Concat(key, "_SECTION\n");
    int64_t number = 0;
    for (const VehicleType& vehicle : data_.vehicles) {
      for (int32_t i = 0; i < vehicle.count; ++i) {
        text_ += Concat(++number, " ", FormatNumber(value_of(vehicle)), "\n");
      }
    }
  }

  absl::Status WriteFleet() {
    if (data_.vehicles.empty()) return absl::OkStatus();
    int64_t vehicles = 0;
    bool limited = false, depots = false;
    for (const VehicleType& vehicle : data_.vehicles) {
      vehicles += vehicle.count;
      limited = limited || vehicle.max_duration != kNoLimit;
      depots = depots || vehicle.depot != 0;
      if (vehicle.capacity == kNoLimit) return absl::UnimplementedError(Unlimited("capacity"));
    }
    for (const VehicleType& vehicle : data_.vehicles) {
      if (!limited || vehicle.max_duration != kNoLimit) continue;
      return absl::UnimplementedError(Unlimited("max_duration"));
    }
    if (vehicles > kMostVehicleRows || (depots && vehicles == 0)) {
      return absl::UnimplementedError(Concat("vehicles: ", vehicles, ", wanted 1 to ",
                                             kMostVehicleRows, " for CVRPLIB's format"));
    }
    if (vehicles > 0) Line("VEHICLES", static_cast<double>(vehicles));
    PerVehicle("CAPACITY", [](const VehicleType& vehicle) { return vehicle.capacity; });
    if (limited) {
      PerVehicle("VEHICLES_MAX_DURATION",
                 [](const VehicleType& vehicle) { return vehicle.max_duration; });
    }
    if (depots) WriteVehicleDepots();
    return absl::OkStatus();
  }

  static std::string Unlimited(std::string_view field) {
    return Concat("vehicles: one without a ", field, ", which CVRPLIB's format cannot say");
  }

  void WriteVehicleDepots() {
    text_ += "VEHICLES_DEPOT_SECTION\n";
    int64_t number = 0;
    for (const VehicleType& vehicle : data_.vehicles) {
      for (int32_t i = 0; i < vehicle.count; ++i) {
        text_ += Concat(++number, " ", vehicle.depot + 1, "\n");
      }
    }
  }

  void WritePlaces() {
    const auto& matrix = data_.distance_matrix;
    if (!data_.positions.empty()) {
      Section("NODE_COORD_SECTION", nodes_, [&](size_t i) {
        return Concat(FormatNumber(data_.positions[i].x), " ", FormatNumber(data_.positions[i].y));
      });
    }
    if (matrix.empty()) return;
    text_ += "EDGE_WEIGHT_SECTION\n";
    for (size_t i = 0; i < matrix.size(); ++i) {
      text_ += Concat(FormatNumber(matrix[i]), (i + 1) % nodes_ == 0 ? "\n" : " ");
    }
  }

  void WriteCustomers() {
    if (data_.kind == ProblemKind::kTsp) return;
    NumberSection("DEMAND_SECTION", data_.demands);
    NumberSection("BACKHAUL_SECTION", data_.backhauls.empty() ? data_.pickups : data_.backhauls);
    if (!data_.windows.empty()) {
      Section("TIME_WINDOW_SECTION", nodes_, [&](size_t i) {
        return Concat(FormatNumber(data_.windows[i].open), " ",
                      FormatNumber(data_.windows[i].close));
      });
    }
    NumberSection("SERVICE_TIME_SECTION", data_.services);
    text_ += "DEPOT_SECTION\n";
    for (int32_t depot = 1; depot <= data_.num_depots; ++depot) text_ += Concat(depot, "\n");
    text_ += "-1\n";
  }

  const InstanceData& data_;
  const size_t nodes_;
  std::string text_;
};

}  // namespace

absl::StatusOr<std::string> WriteVrplib(const InstanceData& data) {
  if (data.load_dimensions > 1) {
    return absl::UnimplementedError(
        Concat("load_dimensions: ", data.load_dimensions, ", which CVRPLIB's format cannot say"));
  }
  return Writer(data).Run();
}

std::string WriteSolomon(const InstanceData& data) {
  const VehicleType& vehicle = data.vehicles.front();
  std::string text =
      Concat(data.name.empty() ? "instance" : data.name, "\n\nVEHICLE\nNUMBER     CAPACITY\n",
             vehicle.count, " ", FormatNumber(vehicle.capacity),
             "\n\nCUSTOMER\nCUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE "
             "DATE  SERVICE TIME\n\n");
  for (size_t i = 0; i < data.positions.size(); ++i) {
    text += Concat(i);
    for (const double value :
         {data.positions[i].x, data.positions[i].y,
          data.demands[i * static_cast<size_t>(data.load_dimensions)], data.windows[i].open,
          data.windows[i].close, data.services.empty() ? 0 : data.services[i]}) {
      text += Concat(" ", FormatNumber(value));
    }
    text += "\n";
  }
  return text;
}

}  // namespace vrp
