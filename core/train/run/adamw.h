// AdamW (Loshchilov and Hutter 2019) over a network's flat parameters. No torch here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/kernels/optimiser/adamw.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Moments in float32 beside the parameters; bias corrections in double. Element by element, so that
// the result does not depend on how the work is shared out. Not thread-safe.
class AdamW {
 public:
  AdamW(const ParameterLayout& layout, const AdamWOptions& options);

  // One step along `scale` times the gradient (clipping needs no pass of its own). Frozen
  // parameters stay as they are. Null: on the calling thread alone.
  void Step(FlatParameters& parameters, double learning_rate, double scale, CpuPool* pool);

  const AdamWOptions& options() const { return options_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }
  // Both moments, [size] each; for checkpoints.
  std::span<float> mean() { return mean_; }
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

// The Euclidean norm of `gradient`, the same for any number of threads.
double GradientNorm(std::span<const float> gradient, CpuPool* pool);

}  // namespace vrp
