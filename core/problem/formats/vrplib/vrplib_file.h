// The keywords and sections of a VRPLIB or TSPLIB file, before an instance is made of them.
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

inline constexpr std::string_view kVrplibFormat = "CVRPLIB's format";  // in errors

struct VrplibKeyword {
  std::string value = {};
  int64_t line = 0;
};

// A row of `columns` values for each node, or vehicle, in the order of their numbers.
struct VrplibSection {
  std::vector<double> values = {};
  int64_t line = 0;
  size_t columns = 1;
};

// A row of any length for each vehicle, in the order of their numbers, or for each group.
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
  // CAPACITY_SECTION [vehicles, K]; VEHICLES_DEPOT_SECTION, VEHICLES_MAX_RELOADS_SECTION and those
  // of the vehicles' fields (fields.h) [vehicles]; DEPOT_SECTION and EDGE_WEIGHT_SECTION: the
  // numbers as they stand. LINEHAUL_SECTION is stored as DEMAND_SECTION.
  std::map<std::string, VrplibSection> sections = {};
  // Node numbers from 1. VEHICLES_ALLOWED_CLIENTS_SECTION and VEHICLES_RELOAD_DEPOT_SECTION have a
  // row for each vehicle, MUTUALLY_EXCLUSIVE_GROUP_SECTION one for each group. BACKHAUL_SECTION has
  // one row if it is LKH's list of nodes up to -1.
  std::map<std::string, VrplibLists> lists = {};
  int32_t dimension = 0;
  int32_t vehicles = 0;  // 0: not given

  // Return null if the keyword or section is absent.
  const VrplibKeyword* Keyword(const std::string& key) const;
  const VrplibSection* Section(const std::string& key) const;
  const VrplibLists* Lists(const std::string& key) const;
  // Returns the number behind a keyword; nullopt if the keyword is absent.
  absl::StatusOr<std::optional<double>> Number(const std::string& key) const;

  // Return kInvalidArgument: `source: parts`, `source:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ": ", parts...));
  }
  template <typename... Parts>
  absl::Status ErrorAt(int64_t line, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ":", line, ": ", parts...));
  }
};

// Returns the number of entries in an EDGE_WEIGHT_SECTION of the format; -1 if it is unknown.
int64_t EdgeWeightCount(std::string_view format, int64_t nodes);

}  // namespace vrp
