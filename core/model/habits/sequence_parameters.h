// Sizes, parameters and inputs of the sequence transformer (sequence_transformer.h).
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/kernels/encoder/encoder.h"
#include "core/model/habits/sequence_batch.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {

inline constexpr int32_t kMaxSequencePositions = 256;
inline constexpr int32_t kMaxContextFeatures = 128;
inline constexpr int32_t kMaxRelations = 64;

// Sizes of the network, within the limits above and of graph_transformer_architecture.h.
struct SequenceTransformerOptions {
  int32_t layers = 4;
  int32_t width = 64;          // H, a multiple of kWidthMultiple
  int32_t heads = 4;           // divides width
  int32_t feed_forward = 256;  // a multiple of kWidthMultiple
  int32_t positions = 256;     // the longest sequence, in tokens
  int32_t features = 8;        // F, of a token's or a candidate's context
  int32_t relations = 0;       // K, of a position and a candidate

  bool operator==(const SequenceTransformerOptions&) const = default;
};

// Returns kInvalidArgument if a size is out of range; the text begins with the size's name.
absl::Status CheckSequenceOptions(const SequenceTransformerOptions& options);

// Returns the shape of the causal encoder.
EncoderShape SequenceEncoderShape(const SequenceTransformerOptions& options);

// Returns the layout, in this order: embed.context.weight [H, F], embed.type.weight [3, H] (the
// rows are TokenType's), embed.position.weight [positions, H], the parameters of
// encoder_parameters.h, norm.{scale [H], shift [H]}, pointer.query.{weight [H, H], bias [H]},
// pointer.key.weight [H, H], and with relations pointer.relation.{weight [K, H], bias [K]}. A bias
// of the context or of the keys would have no effect.
ParameterLayout SequenceLayout(const SequenceTransformerOptions& options);

// Returns the offsets of the causal encoder's parameters.
std::vector<EncoderLayerOffsets> SequenceEncoderOffsets(const SequenceTransformerOptions& options,
                                                        const ParameterLayout& layout);

// Returns kInvalidArgument with the first error of the batch, such as
// `sequence 3: length: got 300, wanted 1 to 256 tokens`. Without `reads_targets`, the targets do
// not matter.
absl::Status CheckSequenceBatch(const SequenceBatch& batch,
                                const SequenceTransformerOptions& options, bool reads_targets);

}  // namespace vrp
