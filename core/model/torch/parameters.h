// A network's parameters as torch sees them: named leaves of one flat tensor, beside the host's
// FlatParameters, whose values count. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Not thread-safe while parameters change; reading is.
class TorchParameters {
 public:
  // In float32 on the CPU the tensors lie over the host's memory, so that nothing is ever copied;
  // `host` outlives this. Elsewhere they are copies of it.
  TorchParameters(FlatParameters* host, at::TensorOptions options);

  at::TensorOptions options() const { return flat_.options(); }
  const at::Tensor& flat() const { return flat_; }  // [size]
  // Aborts for a name that is not there.
  const at::Tensor& Get(std::string_view name) const;

  // Takes over what has changed in the host's values; returns the bytes that were moved.
  int64_t Upload();

  // The other way: after the tensors' values have changed on the device.
  void Download();

  // From here on backward() adds to gradient(), which is made if need be. Frozen parameters have
  // none, theirs stays 0.
  void TrackGradient();
  const at::Tensor& gradient() const { return gradient_; }  // [size]
  // Adds gradient() to the host's, which there must be; returns the bytes that were moved.
  int64_t DownloadGradient();

 private:
  FlatParameters* const host_;
  const bool shared_;  // the host's memory is the tensors'
  at::Tensor flat_;
  at::Tensor gradient_;
  std::vector<at::Tensor> leaves_;  // in the order of the layout
};

}  // namespace vrp
