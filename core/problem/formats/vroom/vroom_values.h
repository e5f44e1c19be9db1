// Reads the parts of VROOM's JSON that vehicles, jobs and shipments share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/formats/vroom/vroom_input.h"

namespace vrp {

// Each returns the value of one key, or a default if the key is absent. Only `id` is required.
// Skills are integers in the file. Each returns kInvalidArgument for a value of the wrong type.
absl::StatusOr<int64_t> ReadVroomId(JsonFields& fields);
absl::StatusOr<double> ReadVroomNumber(JsonFields& fields, const std::string& key, double absent);
absl::StatusOr<std::string> ReadVroomDescription(JsonFields& fields);
absl::StatusOr<std::map<std::string, double>> ReadVroomTimesPerType(JsonFields& fields,
                                                                    const std::string& key);
absl::StatusOr<std::vector<std::string>> ReadVroomSkills(JsonFields& fields);
// Sorts valid windows, as VROOM does.
absl::StatusOr<std::vector<TimeWindow>> ReadVroomWindows(JsonFields& fields);
// Reads a location from the keys `coordinates` and `index`, each of which may be absent.
absl::StatusOr<VroomLocation> ReadVroomLocation(JsonFields& fields, const std::string& coordinates,
                                                const std::string& index);

// Calls `read(fields, path)` for each object of the array `key`, with paths like `v.json:
// vehicles[3]`. Refuses keys that `read` did not read. An absent array is empty.
template <typename Read>
absl::Status ForEachVroomObject(JsonFields& fields, std::string_view source, const std::string& key,
                                Read read) {
  const nlohmann::json* array = fields.Find(key);
  if (array == nullptr) return absl::OkStatus();
  if (!array->is_array()) {
    return fields.Error(key, "got ", Shown(*array), ", wanted an array of objects");
  }
  for (size_t i = 0; i < array->size(); ++i) {
    const std::string path = Concat(key, "[", i, "]");
    if (!(*array)[i].is_object()) {
      return fields.Error(path, "got ", Shown((*array)[i]), ", wanted an object");
    }
    const std::string location =
        Concat(source, source.find(": ") == source.npos ? ": " : ".", path);
    JsonFields entry((*array)[i], location);
    VRP_RETURN_IF_ERROR(read(entry, location));
    VRP_RETURN_IF_ERROR(entry.RefuseUnknownKeys());
  }
  return absl::OkStatus();
}

}  // namespace vrp
