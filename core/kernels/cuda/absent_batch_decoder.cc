// For builds without CUDA.
#include "core/kernels/decoder/batch_decoder.h"

namespace vrp {

std::unique_ptr<BatchDecoder<float>> MakeCudaBatchDecoder(const CudaDecoderOptions&) {
  return nullptr;
}

}  // namespace vrp
