// The syntax of VRPLIB and TSPLIB files: keywords and sections, in any order, before anything is
// made of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

struct VrplibKeyword {
  std::string value = {};
  int64_t line = 0;
};

// `rows` of a section: one for each node (or vehicle) in the order of their numbers, `values`
// numbers each.
struct VrplibSection {
  std::vector<double> values = {};
  int64_t line = 0;
};

struct VrplibFile {
  std::string source = {};                             // the file's name, for errors
  std::map<std::string, VrplibKeyword> keywords = {};  // "CAPACITY": ...
  // NODE_COORD_SECTION [N, 2], DEMAND_SECTION [N], BACKHAUL_SECTION [N], SERVICE_TIME_SECTION [N],
  // TIME_WINDOW_SECTION [N, 2]; CAPACITY_SECTION, VEHICLES_DEPOT_SECTION,
  // VEHICLES_MAX_DURATION_SECTION [vehicles]; DEPOT_SECTION and EDGE_WEIGHT_SECTION as they stand.
  // LINEHAUL_SECTION is stored as DEMAND_SECTION.
  std::map<std::string, VrplibSection> sections = {};
  int32_t dimension = 0;
  int32_t vehicles = 0;  // 0: not given

  const VrplibKeyword* Keyword(const std::string& key) const;
  const VrplibSection* Section(const std::string& key) const;
};

// kInvalidArgument with `name:line: what, got, wanted`. A keyword or section that is not known is
// refused by name, so that no constraint is dropped silently.
absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name);

// How many numbers an EDGE_WEIGHT_SECTION of this format has; -1 for a format that is not known.
int64_t EdgeWeightCount(std::string_view format, int64_t nodes);

}  // namespace vrp
