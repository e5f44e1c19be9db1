// Reads the positions and distances of a VRPLIB or TSPLIB file.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/metric.h"

namespace vrp {

struct VrplibDistances {
  Metric metric = Metric::kRounded;
  double speed = 1;
  std::vector<Position> positions = {};  // [N]; empty if the file has none
  std::vector<double> matrix = {};       // [N, N]; empty: from the positions
};

// EUC_2D, CEIL_2D, EXACT_2D and LKH's FLOOR_2D with SCALE 10 keep positions alone. EXPLICIT and
// types that no Metric stands for (ATT, GEO, MAN_2D, MAX_2D, EUC_3D, ...) become a matrix.
// `stated_exactly` says that the file's best value has a fraction: EUC_2D is then not rounded.
absl::StatusOr<VrplibDistances> ReadVrplibDistances(const VrplibFile& file, const VrplibType& type,
                                                    bool stated_exactly);

}  // namespace vrp
