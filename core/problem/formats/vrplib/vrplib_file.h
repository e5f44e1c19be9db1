// The keywords and sections of a VRPLIB or TSPLIB file, before conversion to an instance.
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

inline constexpr std::string_view kVrplibFormat = "CVRPLIB's format";  // format name in errors

// The value of a keyword, and its line.
struct VrplibKeyword {
  std::string value = {};
  int64_t line = 0;  // counts from 1, here and below
};

// A section with a row of `columns` values for each node or vehicle, in the order of their numbers.
struct VrplibSection {
  std::vector<double> values = {};
  int64_t line = 0;
  size_t columns = 1;
};

// A section with a row of any length for each vehicle, in the order of their numbers, or for each
// group.
struct VrplibLists {
  std::vector<std::vector<int32_t>> rows = {};
  int64_t line = 0;
};

// A parsed file.
struct VrplibFile {
  std::string source = {};                             // the file's name, for errors
  std::map<std::string, VrplibKeyword> keywords = {};  // "CAPACITY" and so on
  // Sections with rows of fixed length. [N, 2 or 3]: NODE_COORD_SECTION. [N, K]: DEMAND_SECTION,
  // which also stores LINEHAUL_SECTION, and BACKHAUL_SECTION. [N]: SERVICE_TIME_SECTION,
  // RELEASE_TIME_SECTION and PRIZE_SECTION. [N, 2]: TIME_WINDOW_SECTION and DISPLAY_DATA_SECTION.
  // [N, 6]: PICKUP_AND_DELIVERY_SECTION: demand, opening, closing, service, pickup, delivery.
  // [vehicles, K]: CAPACITY_SECTION. [vehicles]: VEHICLES_DEPOT_SECTION,
  // VEHICLES_MAX_RELOADS_SECTION and the sections of vehicle fields (field_list.h).
  // DEPOT_SECTION and EDGE_WEIGHT_SECTION store the numbers in the file's order.
  std::map<std::string, VrplibSection> sections = {};
  // Lists of node numbers from 1. VEHICLES_ALLOWED_CLIENTS_SECTION and
  // VEHICLES_RELOAD_DEPOT_SECTION have one row per vehicle. MUTUALLY_EXCLUSIVE_GROUP_SECTION has N
  // rows, of which those without a group are empty. BACKHAUL_SECTION has one row if it is LKH's
  // list of nodes up to -1.
  std::map<std::string, VrplibLists> lists = {};
  int32_t dimension = 0;
  int32_t vehicles = 0;  // 0: not given

  // Each returns null if the file does not have `key`.
  const VrplibKeyword* Keyword(const std::string& key) const;
  const VrplibSection* Section(const std::string& key) const;
  const VrplibLists* Lists(const std::string& key) const;
  // Returns the number after a keyword; nullopt if the keyword is absent. Returns kInvalidArgument
  // if its value is not a finite number.
  absl::StatusOr<std::optional<double>> Number(const std::string& key) const;

  // Returns kInvalidArgument with the text `source: parts` or `source:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ": ", parts...));
  }
  template <typename... Parts>
  absl::Status ErrorAt(int64_t line, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(source, ":", line, ": ", parts...));
  }
};

// Returns the number of entries in an EDGE_WEIGHT_SECTION of this format; -1 if the format is
// unknown.
int64_t EdgeWeightCount(std::string_view format, int64_t nodes);

}  // namespace vrp
