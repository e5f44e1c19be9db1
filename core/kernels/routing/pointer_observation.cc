#include "core/kernels/routing/pointer_observation.h"

namespace vrp {

double PointerScale(const RoutingProblem& problem) {
  return PointerScaleBy(SerialGroup(), problem);
}

}  // namespace vrp
