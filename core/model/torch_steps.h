// What trajectories show at a step, gathered on the host into one buffer, so that a step is one
// copy to the device. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/kernels/step_sight.h"
#include "core/model/torch_batch.h"
#include "core/model/torch_network.h"

namespace vrp {

struct StepShape {
  int64_t instances = 0;  // B
  int64_t queries = 0;    // Q
  int64_t nodes = 0;      // N
};

// A step on the device.
struct DeviceSteps {
  StepInputs inputs;
  at::Tensor given;     // [B, Q] int64: the choice that is made for the network; -1: none
  at::Tensor uniforms;  // [B, Q] double: the random number that it draws with
};

// Row b * Q + q. Different rows may be written from different threads.
class StepBuffer {
 public:
  StepBuffer(StepReader reader, const StepShape& shape, at::TensorOptions options);

  // False: no node is allowed, the trajectory is stuck. Rows that are not written wait.
  bool Observe(int64_t row, const StepRules& rules, const RouteState& state,
               const uint8_t* visited);
  void SetGiven(int64_t row, int64_t node) { given_[row] = node; }
  void SetUniform(int64_t row, double value) { uniforms_[row] = value; }

  // Afterwards the buffer must not be written any more.
  DeviceSteps Upload(Transfers& transfers) const;

 private:
  // Where a column of the buffer begins, in bytes.
  struct Offsets {
    int64_t current = 0;
    int64_t first = 0;
    int64_t given = 0;
    int64_t uniforms = 0;
    int64_t shares = 0;
    int64_t dynamic = 0;
    int64_t begins = 0;
    int64_t forbidden = 0;
    int64_t end = 0;
  };

  template <typename T>
  StepColumns<T> Columns() const;

  const StepLayout layout_;
  const StepShape shape_;
  const at::ScalarType type_;  // of shares and dynamic features
  Offsets offsets_;
  at::Tensor bytes_;
  uint8_t* data_ = nullptr;
  int64_t* given_ = nullptr;
  double* uniforms_ = nullptr;
};

}  // namespace vrp
