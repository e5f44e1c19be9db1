// The attention decoders there are, so that all of them pass the same tests: the CPU's, of each
// instruction set, and the programs that CUDA runs, here with one thread.
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

// The programs poll the stop condition before a launch only, and know no beam search.
template <typename T>
std::unique_ptr<AttentionDecoder<T>> MakeDecoderOfKind(DecoderKind kind, const DecoderShape& shape);

}  // namespace vrp
