// The rules of a batch's instances in the memory of the device that decodes it. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/kernels/routing/routing_rules.h"
#include "core/model/torch/batch.h"

namespace vrp {

// Rules and the arrays that they point to, as bytes that can be copied to a device.
class RulesImage {
 public:
  // Makes rules of instances first .. first + count - 1, and repeats the first one up to `padded`
  // instances. `batch` must outlive the image.
  RulesImage(const NetworkBatch& batch, int32_t first, int32_t count, int32_t padded = 0);

  int64_t bytes() const;
  int64_t matrix_bytes() const;  // part of bytes(): the matrices
  // Writes the rules, then the arrays, to `to`. Pointers are valid once the bytes are copied to
  // `address`.
  void Write(uint8_t* to, const uint8_t* address) const;

 private:
  std::vector<StepRules> rules_;
  const int32_t count_;            // number of instances without repetitions
  const double* begin_ = nullptr;  // the range of the batch's storage that rules_ point to
  const double* end_ = nullptr;
};

// Rules in the memory of a device.
struct DeviceRules {
  const StepRules* rules = nullptr;  // [B], on the device
  at::Tensor memory;                 // memory of rules and arrays; on the CPU only of the rules
};

// Copies the rules of instances first .. first + count - 1 to the device in one copy. On the CPU
// the problems' arrays are not copied, and `batch` must outlive the result.
DeviceRules MakeDeviceRules(const NetworkBatch& batch, int32_t first, int32_t count,
                            Transfers& transfers);

}  // namespace vrp
