// The syntax of VRPLIB and TSPLIB files: keywords and sections, in any order, before anything is
// made of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/text.h"

namespace vrp {

struct VrplibKeyword {
  std::string value = {};
  int64_t line = 0;
};

// `rows` of a section: one for each node (or vehicle) in the order of their numbers, `columns`
// values each.
struct VrplibSection {
  std::vector<double> values = {};
  int64_t line = 0;
  size_t columns = 1;
};

// Rows of any length: one for each vehicle in the order of their numbers, or for each group.
struct VrplibLists {
  std::vector<std::vector<int32_t>> rows = {};
  int64_t line = 0;
};

struct VrplibFile {
  std::string source = {};                             // the file's name, for errors
  std::map<std::string, VrplibKeyword> keywords = {};  // "CAPACITY": ...
  // NODE_COORD_SECTION [N, 2 or 3]; DEMAND_SECTION and BACKHAUL_SECTION [N, K];
  // SERVICE_TIME_SECTION, RELEASE_TIME_SECTION and PRIZE_SECTION [N]; TIME_WINDOW_SECTION [N, 2];
  // PICKUP_AND_DELIVERY_SECTION [N, 6]: demand, opening, closing, service, pickup, delivery;
  // CAPACITY_SECTION [vehicles, K]; VEHICLES_DEPOT_SECTION, VEHICLES_MAX_DURATION_SECTION,
  // VEHICLES_MAX_DISTANCE_SECTION, VEHICLES_MAX_RELOADS_SECTION, VEHICLES_FIXED_COST_SECTION and
  // VEHICLES_UNIT_DISTANCE_COST_SECTION [vehicles]; DEPOT_SECTION and EDGE_WEIGHT_SECTION as they
  // stand. LINEHAUL_SECTION is stored as DEMAND_SECTION.
  std::map<std::string, VrplibSection> sections = {};
  // VEHICLES_ALLOWED_CLIENTS_SECTION and VEHICLES_RELOAD_DEPOT_SECTION, a row for each vehicle;
  // MUTUALLY_EXCLUSIVE_GROUP_SECTION; BACKHAUL_SECTION, one row, where it is a list of nodes up to
  // -1 (LKH's form). Numbers of nodes, from 1.
  std::map<std::string, VrplibLists> lists = {};
  int32_t dimension = 0;
  int32_t vehicles = 0;  // 0: not given

  const VrplibKeyword* Keyword(const std::string& key) const;
  const VrplibSection* Section(const std::string& key) const;
  const VrplibLists* Lists(const std::string& key) const;
  // The value of a keyword that is a number; nullopt where it is absent.
  absl::StatusOr<std::optional<double>> Number(const std::string& key) const;

  // kInvalidArgument: `source: parts`, `source:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ": ", parts...));
  }
  template <typename... Parts>
  absl::Status ErrorAt(int64_t line, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ":", line, ": ", parts...));
  }
};

// kInvalidArgument with `name:line: what, got, wanted`. A keyword or section that is not known is
// refused by name, so that no constraint is dropped silently; so is a TYPE that is not known,
// before the sections that it may bring along.
absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name);

// How many numbers an EDGE_WEIGHT_SECTION of this format has; -1 for a format that is not known.
int64_t EdgeWeightCount(std::string_view format, int64_t nodes);

}  // namespace vrp
