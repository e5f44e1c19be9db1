// The counts of a habit model as they are stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/habits/counts/count_tables.h"
#include "core/habits/route_habits.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// Returns the tables as safetensors, without parameters, coordinates and leg length:
//   ids.text U8, ids.ends I64 [S]: the ids one after the other, and where each ends
//   positions F64 [S, 2]: NaN, NaN: unknown
//   drivers.text U8, drivers.ends I64 [D]
//   zones.centres F64 [K, 3], zones.legs F32 [D + 1, K + 2, K + 2]
//   rows.driver I32 [R]: -1: of all drivers, whose rows come first; then by driver
//   rows.node I32 [R], rows.ends I64 [R], entries.node I32 [E], entries.count F32 [E]
// Beside them the tensors of `routes` (RouteTensors).
std::string WriteCountWeights(const CountTables& tables, const RouteHabitTables& routes);
// Reads the text of WriteCountWeights. Returns kDataLoss that begins with `name` if the tables are
// not consistent.
absl::StatusOr<CountTables> ReadCountWeights(const SafetensorsFile& file, std::string_view name);
// Returns the number of counts.
int64_t CountEntries(const CountTables& tables);

}  // namespace vrp
