// LSTMs over whole sequences in torch's operators. Needs torch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/torch/network.h"
#include "core/model/torch/parameters.h"

namespace vrp {

// A scope that turns autocast off on `device`.
class PausedAutocast {
 public:
  explicit PausedAutocast(at::DeviceType device);
  ~PausedAutocast();
  PausedAutocast(const PausedAutocast&) = delete;
  PausedAutocast& operator=(const PausedAutocast&) = delete;

  bool was_on() const { return was_on_; }

 private:
  const at::DeviceType device_;
  const bool was_on_;  // whether autocast was enabled before
};

// Settings of the dropout between the layers of an LSTM.
struct LstmDropout {
  double share = 0;      // share of dropped units; 0: no dropout
  bool decoder = false;  // whether the LSTM is the decoder's
  DropoutDraws draws;
  int64_t trajectories = 1;  // sequences per instance
};

struct LstmRun {
  at::Tensor inputs;                // [T, R, H]
  at::Tensor hidden;                // [L, R, H]: the first state
  at::Tensor cell;                  // [L, R, H]
  std::vector<at::Tensor> weights;  // of each layer: weight_ih, weight_hh, bias_ih, bias_hh
  LstmDropout dropout;
  // Whether to compute in fp16 and to return fp16's values in float32. The gradient of the outputs
  // is scaled to fp16's range on the way back, and the gradients of inputs, states and weights are
  // scaled back in float32. Their relative error is thus that of fp16's mantissa.
  bool half = false;
};

// Returns an LSTM's weights by layer, as in LstmRun.
std::vector<at::Tensor> LstmParameters(const TorchParameters& parameters, std::string_view prefix,
                                       int32_t layers);

// Runs an LSTM with autocast off and returns its outputs [T, R, H]. Under autocast on CUDA it
// computes in fp16: torch has no LSTM of cuDNN in bf16, and cuDNN has one kernel for all steps of a
// layer only in fp16 (for 8, 16, ... 128 sequences and sizes that are multiples of 128). Applies
// our own dropout, which depends only on DropoutDraws, because torch's draws from a mutable state.
at::Tensor RunLstm(LstmRun run);

}  // namespace vrp
