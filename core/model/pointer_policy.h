// A pointer network as a Policy. Needs torch.
#pragma once

#include <memory>
#include <vector>

#include "core/model/pointer_network.h"
#include "core/model/policy.h"

namespace vrp {

at::TensorOptions TensorsOn(DeviceId device);  // float32

std::unique_ptr<Policy> MakePointerPolicy(std::shared_ptr<const PointerNetwork> network,
                                          std::vector<ProblemKind> kinds, DeviceId device);

}  // namespace vrp
