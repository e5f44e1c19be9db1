// AdamW (Loshchilov and Hutter 2019) over a network's flat parameters. Needs no torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/kernels/optimiser/adamw.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// The optimiser with its moments in float32; bias corrections are in double. It updates each
// element separately, so that the result does not depend on the number of threads. Not thread-safe.
class AdamW {
 public:
  AdamW(const ParameterLayout& layout, const AdamWOptions& options);

  // Makes one step along `scale` times the gradient, so that clipping needs no extra pass. Frozen
  // parameters do not change. `pool` may be null; the calling thread then does all the work.
  void Step(FlatParameters& parameters, double learning_rate, double scale, CpuPool* pool);

  const AdamWOptions& options() const { return options_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }
  // Returns the first moment [size], for checkpoints.
  std::span<float> mean() { return mean_; }
  // Returns the second moment [size], for checkpoints.
  std::span<float> square() { return square_; }
  std::span<const float> mean() const { return mean_; }
  std::span<const float> square() const { return square_; }

 private:
  const AdamWOptions options_;
  std::vector<UpdatePiece> pieces_;
  std::vector<float> mean_;
  std::vector<float> square_;
  int64_t steps_ = 0;
};

// Returns the Euclidean norm of `gradient`, which is the same for any number of threads.
double GradientNorm(std::span<const float> gradient, CpuPool* pool);

}  // namespace vrp
