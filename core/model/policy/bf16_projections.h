// The decoder's projections of the nodes (graph_transformer_pass.h), multiplied in bf16.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/isa.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/lstm/lstm.h"

namespace vrp {

// The product y = W x for rows of nodes; inputs H and outputs are multiples of 16. Const functions
// may run on several threads at once, each with its own `work`, which grows on demand.
class Bf16Projections {
 public:
  // Makes the product. `bf16` must not be kNone.
  Bf16Projections(int64_t outputs, int64_t inputs, Bf16 bf16);

  // Packs weights [outputs, inputs].
  void Pack(const float* weights);
  // Computes y [rows, outputs] from x [rows, inputs].
  void Forward(Rows<const float> x, int64_t rows, Rows<float> y, std::vector<float>& work) const;
  // Computes dx [rows, inputs] from dy [rows, outputs], and adds the weights' gradient to d_weights
  // [outputs, inputs]. The rows of x must be contiguous.
  void Backward(Rows<const float> dy, const float* x, int64_t rows, Rows<float> dx,
                float* d_weights, std::vector<float>& work) const;

 private:
  void Multiply(Rows<const float> a, const std::vector<float>& packed, DenseShape shape,
                Rows<float> to, float* work) const;

  const LstmKernels<float>& kernels_;
  const int64_t outputs_;
  const int64_t inputs_;
  std::vector<float> forward_;
  std::vector<float> back_;
};

}  // namespace vrp
