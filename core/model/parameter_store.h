// A network's parameters in one flat buffer, each a named view of it, so that optimiser, clipping
// and checkpoint are one span. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/safetensors.h"

namespace vrp {

struct ParameterSpec {
  std::string name;
  std::vector<int64_t> shape;
  double bound = 0;  // drawn from [-bound, bound] at first
};

// Not thread-safe while parameters change; reading is.
class ParameterStore {
 public:
  // Drawn from (seed, parameter's place) by counters: the same on every device.
  ParameterStore(std::vector<ParameterSpec> specs, at::TensorOptions options, uint64_t seed);

  const std::vector<ParameterSpec>& specs() const { return specs_; }
  int64_t size() const { return flat_.numel(); }
  // Aborts for a name that is not there.
  const at::Tensor& Get(std::string_view name) const;
  const at::Tensor& flat() const { return flat_; }  // [size]
  const at::Tensor& gradient() const {
    return gradient_;
  }  // [size]; undefined before TrackGradients

  // From here on backward() adds to gradient().
  void TrackGradients();
  void CopyFrom(const ParameterStore& other);  // of equal specs

  // float32 safetensors under the parameters' names.
  std::string Save() const;
  // Every parameter must be there with its shape and a finite value, and nothing else; on failure
  // nothing has changed.
  absl::Status Load(const SafetensorsFile& file, std::string_view name);

 private:
  std::vector<ParameterSpec> specs_;
  at::Tensor flat_;
  at::Tensor gradient_;
  std::vector<at::Tensor> views_;  // in the order of specs_; leaves for autograd
};

}  // namespace vrp
