#include "core/problem/formats/vrplib/vrplib_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/writer_support.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

constexpr int64_t kMaxVehicleRows = 1'000'000;     // rows of one section
constexpr size_t kMaxVehicleNumbers = 25'000'000;  // numbers in the rows of one section

class VrplibTextWriter {
 public:
  explicit VrplibTextWriter(const VrplibForm& form)
      : form_(form),
        data_(form.data),
        nodes_(data_.ids.size()),
        type_(FindVrplibType(VrplibTypeOf(data_))) {}

  absl::StatusOr<std::string> Run() && {
    for (size_t node = 0; node < data_.windows.size(); ++node) {
      if (data_.windows[node].close != kNoLimit) continue;
      return CannotExpress(Concat(NodePath(data_, node).ToString(), ".window: no end"),
                           kVrplibFormat);
    }
    WriteKeywordsOfInstance();
    WriteDistances();
    if (!type_->tour) {
      WriteCustomers();
      WriteChoices();
      VRP_RETURN_IF_ERROR(WriteFleet());
    }
    return Concat(keywords_, sections_, "EOF\n");
  }

 private:
  void Line(std::string_view key, std::string_view value) {
    keywords_ += Concat(key, " : ", value, "\n");
  }
  void Line(std::string_view key, double value) { Line(key, FormatNumber(value)); }

  // Writes rows `number values...`, with numbers from 1.
  template <typename Row>
  void Section(std::string_view name, size_t count, Row row) {
    sections_ += Concat(name, "\n");
    for (size_t i = 0; i < count; ++i) sections_ += Concat(i + 1, " ", row(i), "\n");
  }

  // Writes `columns` numbers per node, or nothing if there are no values.
  void NumberSection(std::string_view name, const std::vector<double>& values, size_t columns = 1) {
    if (values.empty()) return;
    Section(name, nodes_, [&](size_t node) {
      std::string row;
      for (size_t k = 0; k < columns; ++k) {
        row += Concat(k == 0 ? "" : " ", FormatNumber(values[node * columns + k]));
      }
      return row;
    });
  }

  void WriteKeywordsOfInstance() {
    if (!data_.name.empty()) Line("NAME", data_.name);
    const std::optional<std::string_view> weights = VrplibWeightsOf(data_);
    if (CanWriteReference(weights)) {
      Line("COMMENT", Concat("Best value: ", FormatNumber(*data_.reference_cost)));
    }
    Line("TYPE", type_->name);
    Line("DIMENSION", static_cast<double>(nodes_));
    if (!data_.distance_matrix.empty()) {
      Line("EDGE_WEIGHT_TYPE", "EXPLICIT");
      Line("EDGE_WEIGHT_FORMAT", "FULL_MATRIX");
    } else if (weights.has_value()) {
      Line("EDGE_WEIGHT_TYPE", *weights);
      if (*weights == "FLOOR_2D") Line("SCALE", 10);
    }
  }

  // Whether the reference cost can be written. If it has a fraction, the reader would conclude that
  // EUC_2D's distances are not rounded.
  bool CanWriteReference(const std::optional<std::string_view>& weights) const {
    if (!data_.reference_cost.has_value()) return false;
    const double cost = *data_.reference_cost;
    const bool rounded =
        data_.distance_matrix.empty() && weights == "EUC_2D" && type_->metric == Metric::kRounded;
    return FormatNumber(cost).find('e') == std::string::npos &&
           (!rounded || cost == std::floor(cost));
  }

  void WriteDistances() {
    const auto& matrix = data_.distance_matrix;
    if (!data_.positions.empty()) {
      Section("NODE_COORD_SECTION", nodes_, [&](size_t i) {
        return Concat(FormatNumber(data_.positions[i].x), " ", FormatNumber(data_.positions[i].y));
      });
    }
    if (matrix.empty()) return;
    sections_ += "EDGE_WEIGHT_SECTION\n";
    for (size_t i = 0; i < matrix.size(); ++i) {
      sections_ += Concat(FormatNumber(matrix[i]), (i + 1) % nodes_ == 0 ? "\n" : " ");
    }
  }

  void WriteCustomers() {
    const auto columns = static_cast<size_t>(data_.load_dimensions);
    if (type_->pairs) {
      WritePairs();
    } else {
      NumberSection("DEMAND_SECTION", data_.demands, columns);
      if (!data_.windows.empty()) {
        Section("TIME_WINDOW_SECTION", nodes_, [&](size_t i) { return WindowOf(i); });
      }
      NumberSection("SERVICE_TIME_SECTION", data_.services);
    }
    NumberSection("BACKHAUL_SECTION", data_.backhauls.empty() ? data_.pickups : data_.backhauls,
                  columns);
    NumberSection("RELEASE_TIME_SECTION", data_.releases);
    sections_ += "DEPOT_SECTION\n";
    for (int32_t depot = 1; depot <= data_.num_depots; ++depot) sections_ += Concat(depot, "\n");
    sections_ += "-1\n";
  }

  std::string WindowOf(size_t node) const {
    return Concat(FormatNumber(data_.windows[node].open), " ",
                  FormatNumber(data_.windows[node].close));
  }

  // Writes demand, opening, closing, service, pickup node and delivery node.
  void WritePairs() {
    std::vector<std::string> ends(nodes_, " 0 0");
    std::vector<double> amounts(nodes_, 0);
    for (const Shipment& shipment : data_.shipments) {
      const auto pickup = static_cast<size_t>(shipment.pickup);
      const auto delivery = static_cast<size_t>(shipment.delivery);
      ends[pickup] = Concat(" 0 ", delivery + 1);
      ends[delivery] = Concat(" ", pickup + 1, " 0");
      amounts[pickup] = shipment.amounts.front();
      amounts[delivery] = 0 - shipment.amounts.front();
    }
    Section("PICKUP_AND_DELIVERY_SECTION", nodes_, [&](size_t i) {
      return Concat(FormatNumber(amounts[i]), " ", WindowOf(i), " ",
                    FormatNumber(data_.services.empty() ? 0 : data_.services[i]), ends[i]);
    });
  }

  // Writes prizes and alternative groups.
  void WriteChoices() {
    if (!data_.prizes.empty()) {
      Section("PRIZE_SECTION", nodes_, [&](size_t i) {
        return FormatNumber(data_.prizes[i] == kNoLimit ? 0 : data_.prizes[i]);
      });
    }
    const auto& groups = data_.alternative_groups;
    if (groups.empty()) return;
    Section("MUTUALLY_EXCLUSIVE_GROUP_SECTION", groups.size(),
            [&](size_t group) { return NumbersOf(groups[group]); });
  }

  static std::string NumbersOf(const std::vector<NodeIndex>& nodes) {
    std::string numbers;
    for (const NodeIndex node : nodes) numbers += Concat(numbers.empty() ? "" : " ", node + 1);
    return numbers;
  }

  absl::Status WriteFleet() {
    int64_t vehicles = 0;
    size_t numbers = 0;  // upper bound of the numbers in one section
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      const auto count = static_cast<size_t>(data_.vehicles[type].count);
      vehicles += data_.vehicles[type].count;
      numbers += count * (static_cast<size_t>(data_.load_dimensions) +
                          form_.allowed.sets[form_.allowed.set_of_type[type]].size());
    }
    const bool rows = HasVehicleRows(form_);
    if (rows && (vehicles > kMaxVehicleRows || numbers > kMaxVehicleNumbers)) {
      return CannotExpress(Concat("vehicles: ", vehicles, " rows with ", numbers, " numbers"),
                           kVrplibFormat);
    }
    if (vehicles > 0) Line("VEHICLES", static_cast<double>(vehicles));
    WriteCapacities();
    VRP_RETURN_IF_ERROR(WriteKeywords());
    WriteReloads();
    WriteRows();
    return absl::OkStatus();
  }

  // Returns the factor from the file's unit to the instance's distances, which are scaled for
  // MDVRPTW files.
  double SpeedOfFile() const { return data_.metric == Metric::kScaled1000 ? data_.speed : 1; }

  // Writes a row for each vehicle.
  template <typename Row>
  void VehicleSection(std::string_view name, Row row) {
    sections_ += Concat(name, "\n");
    int64_t number = 0;
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      const std::string values = row(type);
      for (int32_t i = 0; i < data_.vehicles[type].count; ++i) {
        sections_ += Concat(++number, values.empty() ? "" : " ", values, "\n");
      }
    }
  }

  // Writes `KEY : value` if all vehicles have the same value, else a section with a row for each
  // vehicle.
  template <typename ValueOf>
  void PerVehicle(std::string_view key, ValueOf value_of) {
    const double first = value_of(data_.vehicles.front());
    if (std::all_of(data_.vehicles.begin(), data_.vehicles.end(),
                    [&](const VehicleType& vehicle) { return value_of(vehicle) == first; })) {
      Line(key, first);
      return;
    }
    VehicleSection(Concat(key, "_SECTION"),
                   [&](size_t type) { return FormatNumber(value_of(data_.vehicles[type])); });
  }

  void WriteCapacities() {
    if (type_->no_loads) return;
    if (data_.load_dimensions == 1) {
      PerVehicle("CAPACITY", [](const VehicleType& vehicle) { return vehicle.capacity; });
      return;
    }
    VehicleSection("CAPACITY_SECTION", [&](size_t type) {
      std::string row = FormatNumber(data_.vehicles[type].capacity);
      for (const double capacity : data_.vehicles[type].further_capacities) {
        row += Concat(" ", FormatNumber(capacity));
      }
      return row;
    });
  }

  // Writes the fields that have a keyword of their own, except the capacity.
  absl::Status WriteKeywords() {
    absl::Status status;
    ForEachField<VehicleType>([&](auto field) {
      if (field.vrplib.empty() || !status.ok()) return;
      if constexpr (decltype(field)::kKind == FieldKind::kLimit) {
        status = WriteLimit(field);
      } else if constexpr (decltype(field)::kKind == FieldKind::kCost) {
        // If a file has keywords of costs, the reader sets the objective to cost.
        if (data_.objective != Objective::kCost) return;
        PerVehicle(field.vrplib, [&](const VehicleType& vehicle) { return vehicle.*field.member; });
      }
    });
    return status;
  }

  template <typename Field>
  absl::Status WriteLimit(const Field& field) {
    std::optional<size_t> unlimited;
    bool any = false;
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      const bool is_limited = data_.vehicles[type].*field.member != kNoLimit;
      if (!is_limited && !unlimited.has_value()) unlimited = type;
      any = any || is_limited;
    }
    if (!any) return absl::OkStatus();
    if (unlimited.has_value()) {
      return CannotExpress(
          Concat("vehicles[", *unlimited, "].", field.name, ": none, but other vehicles have one"),
          kVrplibFormat);
    }
    const double factor = field.is_distance ? SpeedOfFile() : 1;
    PerVehicle(field.vrplib,
               [&](const VehicleType& vehicle) { return vehicle.*field.member / factor; });
    return absl::OkStatus();
  }

  void WriteReloads() {
    int32_t largest = 0;
    for (const VehicleType& vehicle : data_.vehicles)
      largest = std::max(largest, vehicle.max_reloads);
    if (largest == 0) return;
    // Vehicles without reloads have an empty list of reload depots.
    PerVehicle("VEHICLES_MAX_RELOADS", [&](const VehicleType& vehicle) {
      return vehicle.max_reloads == 0 ? largest : vehicle.max_reloads;
    });
    VehicleSection("VEHICLES_RELOAD_DEPOT_SECTION", [&](size_t type) {
      const VehicleType& vehicle = data_.vehicles[type];
      if (vehicle.max_reloads == 0) return std::string();
      return NumbersOf(vehicle.reload_depots.empty() ? std::vector<NodeIndex>{vehicle.depot}
                                                     : vehicle.reload_depots);
    });
  }

  // Writes the depots of vehicles and the customers that the vehicles may serve.
  void WriteRows() {
    if (std::any_of(data_.vehicles.begin(), data_.vehicles.end(), [](const VehicleType& vehicle) {
          return vehicle.depot != 0 || !vehicle.reload_depots.empty();
        })) {
      VehicleSection("VEHICLES_DEPOT_SECTION",
                     [&](size_t type) { return Concat(data_.vehicles[type].depot + 1); });
    }
    const size_t customers = nodes_ - static_cast<size_t>(data_.num_depots);
    if (form_.allowed.sets.size() == 1 && form_.allowed.sets.front().size() == customers) return;
    std::vector<std::string> sets;
    for (const auto& set : form_.allowed.sets) sets.push_back(NumbersOf(set));
    VehicleSection(kAllowedClients,
                   [&](size_t type) { return sets[form_.allowed.set_of_type[type]]; });
  }

  const VrplibForm& form_;
  const InstanceData& data_;
  const size_t nodes_;
  const VrplibType* const type_;
  std::string keywords_;
  std::string sections_;
};

}  // namespace

absl::StatusOr<std::string> WriteVrplibText(const VrplibForm& form) {
  return VrplibTextWriter(form).Run();
}

}  // namespace vrp
