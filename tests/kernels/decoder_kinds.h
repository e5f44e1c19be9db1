// All attention decoders, so that they pass the same tests: the CPU's for each instruction set, and
// CUDA's programs, here with one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"

namespace vrp {

using DecoderKind = std::optional<Isa>;  // none: the programs

std::vector<DecoderKind> DecoderKinds();
std::string DecoderKindName(DecoderKind kind);

// Returns a decoder of that kind. The programs have no beam search and poll the stop condition only
// before a launch.
template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeDecoderOfKind(DecoderKind kind, const DecoderShape& shape);

}  // namespace vrp
