// Weights in the layout that the products need, and gradients in the layout that the products
// write.
//
// Some weights are composed once, so that not every node at every step is multiplied by both
// factors. The pairs are the embedding and the encoder's input weights, the context's and the
// decoder's, the pointer's query and key weights. Heads are padded to a multiple of
// kPointerChannelPadding channels, narrow matrices to a multiple of kPointerColumnPadding columns.
// The weights of LSTMs and attentions, most of the work, may be multiplied in bf16.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/base/cpu_pool.h"
#include "core/base/isa.h"
#include "core/kernels/dense/dense.h"
#include "core/kernels/lstm/lstm.h"
#include "core/kernels/support/aligned_buffer.h"
#include "core/model/pointer_network/pointer_architecture.h"
#include "core/model/policy/network_inputs.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

// Multiple to which the channels of a head are padded.
inline constexpr int64_t kPointerChannelPadding = 16;
// Padded number of context columns. Feature columns are padded to a multiple of this number.
inline constexpr int64_t kPointerColumnPadding = 16;

// A weight [outputs, inputs] packed by `kernels`, for y = W x and for its gradient.
struct PointerLinear {
  const LstmKernels<float>* kernels = nullptr;
  int64_t outputs = 0;
  int64_t inputs = 0;
  AlignedBuffer<float> forward = {};
  AlignedBuffer<float> back = {};
};

// The packed weights of an LSTM layer, and the offsets of its parameters.
struct PointerLayer {
  PointerLinear input;  // input weights; not packed for the encoder's first layer
  PointerLinear recurrent;
  AlignedBuffer<float> bias;  // [4H], the sum of both
  int64_t input_offset = 0;   // offset in the flat span, like the next three
  int64_t recurrent_offset = 0;
  int64_t bias_offset = 0;
  int64_t other_bias_offset = 0;
};

// Gradients that Finish adds to the flat span at the end.
struct PointerSums {
  AlignedBuffer<float> embed;          // [H, features()]; the column after the inputs is the bias
  AlignedBuffer<float> encoder_input;  // [4H, features()], also with the bias
  AlignedBuffer<float> context;        // [4H, 16]
  AlignedBuffer<float> query, key, value;  // [M D, H]
  AlignedBuffer<float> out;                // [H, M D]
  AlignedBuffer<float> pointer;            // [H, H]
  AlignedBuffer<float> dynamic;            // [16, H]
  AlignedBuffer<float> dynamic_bias;       // [16]
};

// All packed weights of a network. Thread-safe while Pack is not running.
class PointerWeights {
 public:
  PointerWeights(const PointerNetworkOptions& options, Isa isa, Bf16 bf16);

  const ParameterLayout& layout() const { return layout_; }
  int64_t hidden() const { return hidden_; }
  int64_t layers() const { return layers_; }
  int64_t channels() const { return channels_; }  // D, padded
  int64_t heads_width() const;                    // M D
  const NetworkInputs& inputs() const { return inputs_; }
  int64_t features() const { return features_; }  // padded columns of a node's features

  // Packs all weights. Without a pool the calling thread packs them.
  void Pack(const float* parameters, CpuPool* pool);
  void Clear(PointerSums& sums) const;
  // Adds `sums` to the flat `gradient`, and copies the gradients of the first biases to the second
  // ones. Changes `sums`. Must be called once for each `sums`, after its last group of a step.
  void Finish(const float* parameters, PointerSums& sums, float* gradient) const;

  std::vector<PointerLayer> encoder;
  std::vector<PointerLayer> decoder;
  PointerLinear embed;              // [H, features()]
  PointerLinear encoder_input;      // [4H, features()]
  PointerLinear context;            // [4H, 16]
  PointerLinear start;              // [2LH, H]
  PointerLinear query, key, value;  // [M D, H]
  PointerLinear out;                // [H, M D]
  PointerLinear pointer;            // [H, H]
  PointerLinear dynamic;            // [16, H]
  AlignedBuffer<float> start_bias;
  AlignedBuffer<float> dynamic_bias;     // [16]
  AlignedBuffer<float> glimpse_dynamic;  // [M, kPointerDynamic]

  int64_t start_offset = 0;
  int64_t start_bias_offset = 0;
  int64_t glimpse_dynamic_offset = 0;

 private:
  // Packs `weights` [outputs, inputs] into `to`.
  static void PackLinear(const float* weights, PointerLinear& to);
  // Functions that pack weights, independently of each other.
  using Jobs = std::vector<absl::AnyInvocable<void()>>;
  void PackLayers(const float* parameters, std::vector<PointerLayer>& layers, Jobs& jobs);
  void PackComposed(const float* parameters, Jobs& jobs);
  void PackAttention(const float* parameters, Jobs& jobs);
  void PackHeads(const float* from, PointerLinear& to) const;
  void PackOut(const float* from);
  void PackPointer(const float* parameters);
  void PackDynamic(const float* parameters);
  std::vector<PointerLayer> Layers(const char* name, const LstmKernels<float>& kernels) const;
  // The numbers of columns of a narrow product's weights.
  struct PaddedShape {
    int64_t inputs = 0;   // without padding
    int64_t columns = 0;  // padded
  };
  PaddedShape FeatureShape() const { return {inputs_.width(), features_}; }
  // Returns the weights of a narrow product: [H, `inputs`] padded to [H, `columns`], with `bias` as
  // column `inputs` unless it is null.
  std::vector<float> PadColumns(const float* weights, const float* bias, PaddedShape shape) const;
  void FinishComposed(const float* weights, const std::vector<float>& padded, float* composed,
                      float* d_padded, float* d_weights) const;
  void FinishAttention(const float* parameters, PointerSums& sums, float* gradient) const;
  int64_t Offset(std::string_view name) const { return layout_.Offset(name); }
  // Returns the row or column of the padded heads that holds channel i.
  int64_t Padded(int64_t i) const;

  const ParameterLayout layout_;
  const DenseKernels<float>& dense_;
  const LstmKernels<float>& lstm_;
  const int64_t hidden_;
  const int64_t layers_;
  const int64_t width_;     // of a head, without padding
  const int64_t channels_;  // of a head, padded
  const NetworkInputs inputs_;
  const int64_t features_;
};

}  // namespace vrp
