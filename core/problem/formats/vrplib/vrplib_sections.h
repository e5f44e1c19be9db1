// The keywords and sections that VRPLIB and TSPLIB files may have.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

// A section with a row `number value ...` for each node or vehicle.
struct VrplibRowSection {
  std::string_view name;
  int columns = 1;           // values per row; 0: as many as in the first row
  bool per_vehicle = false;  // whether the rows are for vehicles; otherwise for nodes
};

// A section with a row `number node ...` of any length for each vehicle or group.
struct VrplibListSection {
  std::string_view name;
  bool per_vehicle = false;  // whether the rows are for vehicles; otherwise for groups
};

// Whether `name` is a keyword that this program knows.
bool IsVrplibKeyword(std::string_view name);

// Returns the section named `name`, or nullopt if this program does not know this section. The
// result may refer to the text of `name`.
std::optional<VrplibRowSection> FindVrplibRowSection(std::string_view name);
std::optional<VrplibListSection> FindVrplibListSection(std::string_view name);

}  // namespace vrp
