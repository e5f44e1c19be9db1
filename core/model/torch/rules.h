// The rules of a batch's instances in the memory of the device that decodes it. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/batch.h"

namespace vrp {

// Rules and what their problems point to, as bytes that can lie on a device.
class RulesImage {
 public:
  // Instances first .. first + count - 1, then the first again up to `padded`; `batch` outlives it.
  RulesImage(const NetworkBatch& batch, int32_t first, int32_t count, int32_t padded = 0);

  int64_t bytes() const;
  int64_t matrix_bytes() const;  // of these, of matrices
  // Writes the rules, then the arrays, to `to`, with pointers as if it were `there`.
  void Write(uint8_t* to, const uint8_t* there) const;

 private:
  std::vector<StepRules> rules_;
  const int32_t count_;            // of these that are no repetition
  const double* begin_ = nullptr;  // what of the batch's storage they point to
  const double* end_ = nullptr;
};

struct DeviceRules {
  const StepRules* rules = nullptr;  // [B], on the device
  at::Tensor memory;                 // what they and their problems lie in; on the CPU: the rules
};

// Instances first .. first + count - 1, in one copy. On the CPU the problems' arrays stay where
// they are; `batch` outlives the result.
DeviceRules MakeDeviceRules(const NetworkBatch& batch, int32_t first, int32_t count,
                            Transfers& transfers);

}  // namespace vrp
