// The habits of whole routes as they are stored, beside those of legs.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/route_habits.h"
#include "core/model/habits/tensor_reader.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// The tensors of tables, which must outlive the object:
//   routes.radius F64 [1], routes.zones F64 [Z, 3], routes.areas F64 [A, 3]
//   routes.drivers.text U8, routes.drivers.ends I64 [D], routes.drivers.areas F32 [D A]
//   routes.weights F32
class RouteTensors {
 public:
  explicit RouteTensors(const RouteHabitTables& tables);

  // Adds the tensors to `views`, which must not outlive the object.
  void AddTo(std::vector<TensorView>& views) const;

 private:
  const RouteHabitTables& tables_;
  const std::vector<double> radius_;
  const JoinedTexts drivers_;
};

// Reads the tensors of RouteTensors. Returns null if there are none, as in models of older programs
// and of histories without positions, and kDataLoss that begins with `name` if they do not fit each
// other.
absl::StatusOr<std::shared_ptr<const RouteHabits>> ReadRouteHabits(const SafetensorsFile& file,
                                                                   CoordinateSystem coordinates,
                                                                   std::string_view name);

}  // namespace vrp
