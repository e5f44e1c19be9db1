#include "core/problem/formats/vrplib/vrplib_sections.h"

#include <algorithm>
#include <array>

#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

constexpr std::string_view kSectionEnding = "_SECTION";

// The keywords, except those of vehicle fields.
constexpr std::array<std::string_view, 14> kKeywords = {"NAME",
                                                        "COMMENT",
                                                        "TYPE",
                                                        "DIMENSION",
                                                        "VEHICLES",
                                                        "DISTANCE",
                                                        "SCALE",
                                                        "SERVICE_TIME",
                                                        "EDGE_WEIGHT_TYPE",
                                                        "EDGE_WEIGHT_FORMAT",
                                                        "EDGE_DATA_FORMAT",
                                                        "NODE_COORD_TYPE",
                                                        "DISPLAY_DATA_TYPE",
                                                        "VEHICLES_MAX_RELOADS"};

// The sections, except those of vehicle fields.
constexpr std::array<VrplibRowSection, 12> kRowSections = {{
    {.name = "NODE_COORD_SECTION", .columns = 0},
    {.name = "DISPLAY_DATA_SECTION", .columns = 2},
    {.name = "DEMAND_SECTION", .columns = 0},
    {.name = "LINEHAUL_SECTION", .columns = 0},
    {.name = "BACKHAUL_SECTION", .columns = 0},
    {.name = "SERVICE_TIME_SECTION"},
    {.name = "RELEASE_TIME_SECTION"},
    {.name = "PRIZE_SECTION"},
    {.name = "TIME_WINDOW_SECTION", .columns = 2},
    {.name = "PICKUP_AND_DELIVERY_SECTION", .columns = 6},
    {.name = "VEHICLES_DEPOT_SECTION", .per_vehicle = true},
    {.name = "VEHICLES_MAX_RELOADS_SECTION", .per_vehicle = true},
}};

constexpr std::array<VrplibListSection, 3> kListSections = {{
    {.name = "VEHICLES_ALLOWED_CLIENTS_SECTION", .per_vehicle = true},
    {.name = "VEHICLES_RELOAD_DEPOT_SECTION", .per_vehicle = true},
    {.name = "MUTUALLY_EXCLUSIVE_GROUP_SECTION"},
}};

template <typename Table>
auto FindByName(const Table& table, std::string_view name)
    -> std::optional<typename Table::value_type> {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const auto& section) { return section.name == name; });
  if (found == table.end()) return std::nullopt;
  return *found;
}

// Returns the number of columns of the section for `keyword`, or nullopt if no vehicle field has
// the keyword.
std::optional<int> ColumnsOfVehicleField(std::string_view keyword) {
  std::optional<int> columns;
  ForEachField<VehicleType>([&](auto field) {
    if (field.vrplib.empty() || field.vrplib != keyword) return;
    columns = decltype(field)::kKind == FieldKind::kCapacity ? 0 : 1;
  });
  return columns;
}

}  // namespace

bool IsVrplibKeyword(std::string_view name) {
  return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end() ||
         ColumnsOfVehicleField(name).has_value();
}

std::optional<VrplibRowSection> FindVrplibRowSection(std::string_view name) {
  if (!name.ends_with(kSectionEnding)) return std::nullopt;
  const std::string_view keyword = name.substr(0, name.size() - kSectionEnding.size());
  if (const std::optional<int> columns = ColumnsOfVehicleField(keyword); columns.has_value()) {
    return VrplibRowSection{.name = name, .columns = *columns, .per_vehicle = true};
  }
  return FindByName(kRowSections, name);
}

std::optional<VrplibListSection> FindVrplibListSection(std::string_view name) {
  return FindByName(kListSections, name);
}

}  // namespace vrp
