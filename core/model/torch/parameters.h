// A network's parameters for torch: named leaves of one flat tensor, beside the host's
// FlatParameters, which are authoritative. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/weights/flat_parameters.h"

namespace vrp {

// A network's parameters as tensors. Reading is thread-safe while nothing changes.
class TorchParameters {
 public:
  // Makes tensors of `host`, which must outlive them. In float32 on the CPU they share the host's
  // memory, and nothing is copied; otherwise they are copies.
  TorchParameters(FlatParameters* host, at::TensorOptions options);

  at::TensorOptions options() const { return flat_.options(); }
  const at::Tensor& flat() const { return flat_; }  // [size]
  // Returns a parameter. Aborts if `name` is unknown.
  const at::Tensor& Get(std::string_view name) const;

  // Copies the host's values to the device. Returns the bytes moved; 0 on the CPU.
  int64_t Upload();

  // Copies the device's values to the host, after an optimiser has changed them there.
  void Download();

  // Makes gradient(), to which backward() adds from then on. Frozen parameters have no gradient;
  // their part of gradient() stays 0.
  void TrackGradient();
  const at::Tensor& gradient() const { return gradient_; }  // [size]
  // Adds gradient() to the host's gradient, which must be tracked. Returns the bytes moved;
  // 0 on the CPU.
  int64_t DownloadGradient();

 private:
  FlatParameters* const host_;
  const bool shared_;  // whether the tensors share the host's memory
  at::Tensor flat_;
  at::Tensor gradient_;
  std::vector<at::Tensor> leaves_;  // in the order of the layout
};

}  // namespace vrp
