// A sequence transformer and what it learned from as they are stored.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/habits/route_habits.h"
#include "core/model/habits/sequence_habit_model.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// Returns the tables as safetensors, without the coordinate system and the sizes of the network:
//   the parameters of SequenceLayout F32
//   scales F64 [6]: distance, leg length, demand, time, and the usual depot of SequenceScales
//   zones F32 [Z, 2]: centres
//   inputs.text U8, inputs.ends I64: the drivers with an input, and where each ends
//   drivers.text U8, drivers.ends I64 [D]: all drivers
//   earlier.ends I64 [D], earlier.types U8 [T], earlier.contexts F32 [T, F]: their earlier routes
//   stops I64 [S]: the hashes of the ids of stops
// Beside them the tensors of `routes` (RouteTensors).
std::string WriteSequenceWeights(const SequenceTables& tables, const RouteHabitTables& routes);
// Reads the text of WriteSequenceWeights. `sizes` are the card's; the number of features is taken
// from the weights. Returns kDataLoss that begins with `name` if they do not fit each other.
absl::StatusOr<SequenceTables> ReadSequenceWeights(const SafetensorsFile& file,
                                                   SequenceTransformerOptions sizes,
                                                   std::string_view name);

}  // namespace vrp
