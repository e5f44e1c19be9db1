// The rules of a batch's instances in the memory of the device that decodes it. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/kernels/routing_rules.h"
#include "core/model/torch_batch.h"

namespace vrp {

struct DeviceRules {
  const StepRules* rules = nullptr;  // [B], on the device
  at::Tensor memory;                 // what they and their problems lie in; on the CPU: the rules
};

// Instances first .. first + count - 1, in one copy. On the CPU the problems' arrays stay where
// they are; `batch` outlives the result.
DeviceRules MakeDeviceRules(const NetworkBatch& batch, int32_t first, int32_t count,
                            Transfers& transfers);

}  // namespace vrp
