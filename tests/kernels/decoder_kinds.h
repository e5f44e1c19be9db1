// All attention decoders, for tests that each of them must pass: the CPU's decoder for each
// instruction set, and CUDA's programs on one CPU thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"

namespace vrp {

using DecoderKind = std::optional<Isa>;  // nullopt: CUDA's programs

std::vector<DecoderKind> DecoderKinds();
std::string DecoderKindName(DecoderKind kind);

// Returns a decoder of the given kind. CUDA's programs have no beam search here, and they poll the
// stop condition only before a rollout.
template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeDecoderOfKind(DecoderKind kind, const DecoderShape& shape);

}  // namespace vrp
