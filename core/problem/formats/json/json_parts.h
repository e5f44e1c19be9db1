// Parts of our JSON that the reader reads one by one: windows, vehicles, shipments.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/json/json_fields.h"
#include "core/problem/instance/instance_data.h"
#include "core/problem/instance/matrix_source.h"
#include "nlohmann/json.hpp"

namespace vrp {

// Reads the keys distance_matrix and duration_matrix, or `matrices`, which stands for both.
struct MatrixKeys {
  const MatrixSource* source = nullptr;
  size_t nodes = 0;  // 0: any number

  absl::Status Read(JsonFields& fields, std::vector<double>& distances,
                    std::vector<double>& durations) const;
};

// Each `place` is where the part stands: "file.json: vehicles[2]". Errors begin with it.

// [open, close] or [open, close, late_cost]; close null: no end.
absl::StatusOr<TimeWindow> WindowFromJson(const nlohmann::json& value, std::string_view place);
// One such window, or an array of them.
absl::StatusOr<std::vector<TimeWindow>> WindowsFromJson(const nlohmann::json& value,
                                                        std::string_view place);
absl::StatusOr<VehicleType> VehicleFromJson(const nlohmann::json& value, std::string_view place,
                                            const MatrixKeys& matrices);
absl::StatusOr<Shipment> ShipmentFromJson(const nlohmann::json& value, std::string_view place);

}  // namespace vrp
