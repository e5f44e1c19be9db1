#include "core/problem/formats/vrplib/vrplib_fleet.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/vrplib/vrplib_allowed.h"
#include "core/problem/formats/vrplib/vrplib_customers.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

class FleetReader {
 public:
  FleetReader(const VrplibFile& file, const VrplibType& type, InstanceData& data)
      : file_(file), type_(type), data_(data), depots_(DepotNumbers(file)) {}

  absl::Status Run() && {
    // Without rows for each vehicle, the vehicles are one entry, so that a short file cannot take
    // much memory.
    const bool is_one_type = file_.vehicles == 0 || !HasRowsForVehicles();
    fleet_.assign(is_one_type ? 1 : static_cast<size_t>(file_.vehicles),
                  {.count = is_one_type ? file_.vehicles : 1, .open_end = type_.open_end});
    VRP_RETURN_IF_ERROR(CheckSets());
    VRP_RETURN_IF_ERROR(ReadCapacities());
    VRP_RETURN_IF_ERROR(ReadKeywords());
    VRP_RETURN_IF_ERROR(ReadDistanceLimit());
    VRP_RETURN_IF_ERROR(HasUnassignedVehicles() ? AddTypePerDepot() : ReadDepots());
    VRP_RETURN_IF_ERROR(ReadReloads());
    if (const VrplibLists* allowed = file_.Lists(kAllowedClients)) {
      AddSkillsOfVehicles(*allowed, fleet_);
    }
    if (HasUnassignedVehicles()) {
      data_.vehicles = std::move(fleet_);
      return absl::OkStatus();
    }
    for (VehicleType& vehicle : fleet_) AddVehicle(std::move(vehicle));
    return absl::OkStatus();
  }

 private:
  bool HasRowsForVehicles() const {
    const auto of_vehicles = [](const auto& entry) {
      return entry.first.starts_with("VEHICLES_") || entry.first == "CAPACITY_SECTION";
    };
    return std::any_of(file_.sections.begin(), file_.sections.end(), of_vehicles) ||
           std::any_of(file_.lists.begin(), file_.lists.end(), of_vehicles);
  }

  absl::Status CheckSets() const {
    const VrplibLists* allowed = file_.Lists(kAllowedClients);
    const size_t sets = allowed == nullptr ? 0 : CountSets(*allowed);
    if (sets <= kMaxVrplibSets) return absl::OkStatus();
    return file_.ErrorAt(allowed->line, kAllowedClients, ": has ", sets,
                         " different sets, wanted at most ", kMaxVrplibSets);
  }

  // Reads one value for all vehicles (KEY) or one for each (KEY_SECTION) into `field`. Returns
  // whether the file has either.
  absl::StatusOr<bool> ReadPerVehicle(const std::string& key, double VehicleType::*field) {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> value, file_.Number(key));
    const VrplibSection* section = file_.Section(key + "_SECTION");
    if (value.has_value() && section != nullptr) {
      return file_.ErrorAt(file_.Keyword(key)->line, key, ": given, and ", key,
                           "_SECTION too; wanted one of them");
    }
    for (size_t k = 0; k < fleet_.size(); ++k) {
      if (section != nullptr) fleet_[k].*field = section->values[k * section->columns];
      if (value.has_value()) fleet_[k].*field = *value;
    }
    return value.has_value() || section != nullptr;
  }

  absl::Status ReadCapacities() {
    VRP_ASSIGN_OR_RETURN(const bool given, ReadPerVehicle("CAPACITY", &VehicleType::capacity));
    if (!given && !type_.no_loads) {
      return file_.Error("CAPACITY: absent, wanted for TYPE ", type_.name);
    }
    const VrplibSection* section = file_.Section("CAPACITY_SECTION");
    const size_t columns = section == nullptr ? 1 : section->columns;
    if (columns != static_cast<size_t>(data_.load_dimensions) && given) {
      const int64_t line = section == nullptr ? file_.Keyword("CAPACITY")->line : section->line;
      return file_.ErrorAt(line, "CAPACITY: has ", columns, " numbers per vehicle, wanted ",
                           data_.load_dimensions,
                           " in CAPACITY_SECTION, as DEMAND_SECTION has per node");
    }
    for (size_t k = 0; k < fleet_.size() && columns > 1; ++k) {
      const auto first = section->values.begin() + static_cast<std::ptrdiff_t>(k * columns);
      fleet_[k].further_capacities.assign(first + 1, first + static_cast<std::ptrdiff_t>(columns));
    }
    return absl::OkStatus();
  }

  // Reads the fields that have a keyword of their own, except the capacity.
  absl::Status ReadKeywords() {
    absl::Status status;
    ForEachField<VehicleType>([&](auto field) {
      constexpr FieldKind kKind = decltype(field)::kKind;
      if constexpr (kKind == FieldKind::kLimit || kKind == FieldKind::kCost) {
        if (field.vrplib.empty() || !status.ok()) return;
        const absl::StatusOr<bool> given = ReadPerVehicle(std::string(field.vrplib), field.member);
        status = given.status();
        if (kKind == FieldKind::kCost && given.ok() && *given) data_.objective = Objective::kCost;
        if (!field.is_distance) return;
        // The instance's distances are `speed` times the file's distances.
        for (VehicleType& vehicle : fleet_) vehicle.*field.member *= data_.speed;
      }
    });
    return status;
  }

  // Reads DISTANCE: in the instances of Christofides et al., the limit on a route's duration,
  // including service times.
  absl::Status ReadDistanceLimit() {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> limit, file_.Number("DISTANCE"));
    for (VehicleType& vehicle : fleet_) {
      vehicle.max_duration = std::min(vehicle.max_duration, limit.value_or(kNoLimit));
    }
    return absl::OkStatus();
  }

  // In files of PyVRP without a type, vehicles without a depot start at the first.
  bool HasUnassignedVehicles() const {
    return depots_.size() > 1 && file_.Section("VEHICLES_DEPOT_SECTION") == nullptr &&
           file_.Keyword("TYPE") != nullptr;
  }

  // Adds a vehicle type for each depot if the file does not assign vehicles to depots. Refuses
  // files with fewer vehicles than customers or with a row for each vehicle, since these vehicles
  // have no depot.
  absl::Status AddTypePerDepot() {
    const int64_t customers = file_.dimension - std::ssize(depots_);
    const bool unlimited = file_.vehicles == 0 || file_.vehicles >= customers;
    if (HasRowsForVehicles() || !unlimited) {
      return file_.ErrorAt(
          file_.Section("DEPOT_SECTION")->line, "DEPOT_SECTION: has ", depots_.size(),
          " depots, but the file does not assign a depot to each of the ", file_.vehicles,
          " vehicles; wanted VEHICLES_DEPOT_SECTION, or no VEHICLES ",
          "(unlimited vehicles at each depot)");
    }
    const VehicleType vehicle = fleet_.front();
    fleet_.clear();
    for (size_t depot = 0; depot < depots_.size(); ++depot) {
      fleet_.push_back(vehicle);
      fleet_.back().count = 0;
      fleet_.back().depot = static_cast<NodeIndex>(depot);
    }
    return absl::OkStatus();
  }

  absl::Status ReadDepots() {
    const VrplibSection* section = file_.Section("VEHICLES_DEPOT_SECTION");
    for (size_t k = 0; k < fleet_.size(); ++k) {
      const double number = section == nullptr ? depots_.front() : section->values[k];
      const int64_t line = section == nullptr ? 0 : section->line;
      VRP_ASSIGN_OR_RETURN(fleet_[k].depot, DepotIndex(line, "VEHICLES_DEPOT_SECTION", number));
    }
    return absl::OkStatus();
  }

  // Returns the index of the depot that `section`, which begins in `line`, calls node `number`.
  // Counts depots in the order of their numbers.
  absl::StatusOr<NodeIndex> DepotIndex(int64_t line, std::string_view section,
                                       double number) const {
    if (std::find(depots_.begin(), depots_.end(), number) != depots_.end()) {
      return static_cast<NodeIndex>(
          std::count_if(depots_.begin(), depots_.end(), [&](double d) { return d < number; }));
    }
    return file_.ErrorAt(line, section, ": got node ", FormatNumber(number),
                         ", wanted one of DEPOT_SECTION");
  }

  // Reads reloads. They are unlimited or limited by VEHICLES_MAX_RELOADS.
  absl::Status ReadReloads() {
    VRP_ASSIGN_OR_RETURN(const std::optional<double> limit, file_.Number("VEHICLES_MAX_RELOADS"));
    const VrplibSection* section = file_.Section("VEHICLES_MAX_RELOADS_SECTION");
    if (limit.has_value() && section != nullptr) {
      return file_.ErrorAt(section->line,
                           "VEHICLES_MAX_RELOADS_SECTION: given, and VEHICLES_MAX_RELOADS too; "
                           "wanted one of them");
    }
    const VrplibLists* reload_depots = file_.Lists("VEHICLES_RELOAD_DEPOT_SECTION");
    for (size_t k = 0; k < fleet_.size(); ++k) {
      const double count =
          section != nullptr ? section->values[k] : limit.value_or(file_.dimension);
      if (!(count >= 0 && count <= kMaxVehicles && count == std::floor(count))) {
        const int64_t line =
            section == nullptr ? file_.Keyword("VEHICLES_MAX_RELOADS")->line : section->line;
        return file_.ErrorAt(
            line, section == nullptr ? "VEHICLES_MAX_RELOADS" : "VEHICLES_MAX_RELOADS_SECTION",
            ": got ", FormatNumber(count), ", wanted a whole number from 0 to ", kMaxVehicles);
      }
      for (const int32_t number :
           reload_depots == nullptr ? std::vector<int32_t>() : reload_depots->rows[k]) {
        VRP_ASSIGN_OR_RETURN(
            fleet_[k].reload_depots.emplace_back(),
            DepotIndex(reload_depots->line, "VEHICLES_RELOAD_DEPOT_SECTION", number));
        fleet_[k].max_reloads = static_cast<int32_t>(count);
      }
      std::vector<NodeIndex>& depots = fleet_[k].reload_depots;
      if (fleet_[k].max_reloads == 0 || depots == std::vector{fleet_[k].depot}) depots.clear();
    }
    return absl::OkStatus();
  }

  void AddVehicle(VehicleType vehicle) {
    if (!data_.vehicles.empty()) {
      VehicleType& last = data_.vehicles.back();
      vehicle.count = last.count;
      if (last == vehicle) {
        ++last.count;
        return;
      }
      vehicle.count = 1;
    }
    data_.vehicles.push_back(std::move(vehicle));
  }

  const VrplibFile& file_;
  const VrplibType& type_;
  InstanceData& data_;
  const std::vector<double> depots_;
  std::vector<VehicleType> fleet_;  // one entry per vehicle, one per depot, or one for all
};

}  // namespace

absl::Status ReadVrplibFleet(const VrplibFile& file, const VrplibType& type, InstanceData& data) {
  return FleetReader(file, type, data).Run();
}

}  // namespace vrp
