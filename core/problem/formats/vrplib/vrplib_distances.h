// Reads the positions and distances of a VRPLIB or TSPLIB file.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/metric.h"

namespace vrp {

// The positions and distances of a file.
struct VrplibDistances {
  Metric metric = Metric::kRounded;
  double speed = 1;                      // distance units per time unit
  std::vector<Position> positions = {};  // [N]; empty if the file has none
  std::vector<double> matrix = {};       // [N, N]; empty: computed from the positions
};

// Reads the distances. EXACT_2D, EUC_2D without SCALE, CEIL_2D without SCALE or with SCALE 1, and
// LKH's FLOOR_2D with SCALE 10 only store positions. All others, such as EXPLICIT, ATT, GEO,
// MAN_2D, MAX_2D and EUC_3D, become a matrix. If `unrounded` and the metric of `type` is kRounded,
// EUC_2D without SCALE is not rounded, because the file's best value has a fraction. Returns
// kInvalidArgument naming the keyword or section.
absl::StatusOr<VrplibDistances> ReadVrplibDistances(const VrplibFile& file, const VrplibType& type,
                                                    bool unrounded);

}  // namespace vrp
