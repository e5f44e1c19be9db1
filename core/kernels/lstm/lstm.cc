#include "core/kernels/lstm/lstm.h"

#include <algorithm>

#include "core/kernels/lstm/lstm_kernels.h"

namespace vrp {

template <typename T>
const LstmKernels<T>& LstmKernelsFor(Isa isa) {
  if (isa == Isa::kAvx2) {
    static const LstmKernels<T> avx2 = simd::avx2::MakeLstmKernels<T>();
    return avx2;
  }
  static const LstmKernels<T> avx512 = simd::avx512::MakeLstmKernels<T>();
  return avx512;
}
template const LstmKernels<float>& LstmKernelsFor<float>(Isa);
template const LstmKernels<double>& LstmKernelsFor<double>(Isa);

// Calls only the requested getter, because the others are compiled for instructions that this CPU
// may lack.
const LstmKernels<float>& Bf16LstmKernelsFor(Bf16 bf16) {
  switch (bf16) {
    case Bf16::kVectors: {
      static const LstmKernels<float> vectors = simd::avx512_bf16::MakeLstmKernels();
      return vectors;
    }
    case Bf16::kTiles: {
      static const LstmKernels<float> tiles = simd::amx_bf16::MakeLstmKernels();
      return tiles;
    }
    case Bf16::kEmulatedTiles: {
      static const LstmKernels<float> emulated = simd::amx_bf16_emulated::MakeLstmKernels();
      return emulated;
    }
    case Bf16::kNone:
    case Bf16::kEmulatedVectors:
      break;
  }
  static const LstmKernels<float> emulated = simd::avx512_bf16_emulated::MakeLstmKernels();
  return emulated;
}

template <typename T>
void LstmForwardStep(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                     int64_t t) {
  const int64_t width = run.hidden_size;
  const int64_t before = run.Before(t) * width;
  const int64_t after = (run.sequences() + run.first[t]) * width;
  kernels.step({.rows = run.first[t + 1] - run.first[t],
                .hidden_size = width,
                .packed = packed,
                .from_last = t % 2 != 0,
                .hidden = t == 0 && run.from_zero ? nullptr : run.hiddens + before,
                .cell = run.cells + before,
                .gates = run.gates + run.first[t] * GateStride<T>(width),
                .next_cell = run.cells + after,
                .next_hidden = run.hiddens + after,
                .work = run.work});
}
template void LstmForwardStep<float>(const LstmKernels<float>&, const float*, const LstmRun<float>&,
                                     int64_t);
template void LstmForwardStep<double>(const LstmKernels<double>&, const double*,
                                      const LstmRun<double>&, int64_t);

template <typename T>
void LstmForward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run) {
  for (int64_t t = 0; t + 1 < std::ssize(run.first); ++t) {
    LstmForwardStep<T>(kernels, packed, run, t);
  }
}
template void LstmForward<float>(const LstmKernels<float>&, const float*, const LstmRun<float>&);
template void LstmForward<double>(const LstmKernels<double>&, const double*,
                                  const LstmRun<double>&);

template <typename T>
void LstmBackward(const LstmKernels<T>& kernels, const T* packed, const LstmRun<T>& run,
                  T* d_hiddens, T* d_cells) {
  const int64_t width = run.hidden_size;
  std::fill_n(d_cells, run.sequences() * width, T{0});
  for (int64_t t = std::ssize(run.first) - 2; t >= 0; --t) {
    const int64_t before = run.Before(t) * width;
    const int64_t after = (run.sequences() + run.first[t]) * width;
    kernels.backward_step({.rows = run.first[t + 1] - run.first[t],
                           .hidden_size = width,
                           .packed = packed,
                           .from_last = t % 2 != 0,
                           .cell = run.cells + before,
                           .next_cell = run.cells + after,
                           .d_hidden = d_hiddens + after,
                           .d_cell = d_cells,
                           .gates = run.gates + run.first[t] * GateStride<T>(width),
                           .d_before = t == 0 && run.from_zero ? nullptr : d_hiddens + before,
                           .work = run.work});
  }
}
template void LstmBackward<float>(const LstmKernels<float>&, const float*, const LstmRun<float>&,
                                  float*, float*);
template void LstmBackward<double>(const LstmKernels<double>&, const double*,
                                   const LstmRun<double>&, double*, double*);

template <typename T>
void GatherPreviousHidden(const LstmRun<T>& run, T* to) {
  const int64_t width = run.hidden_size;
  for (int64_t t = 0; t + 1 < std::ssize(run.first); ++t) {
    const int64_t count = (run.first[t + 1] - run.first[t]) * width;
    to = std::copy_n(run.hiddens + run.Before(t) * width, count, to);
  }
}
template void GatherPreviousHidden<float>(const LstmRun<float>&, float*);
template void GatherPreviousHidden<double>(const LstmRun<double>&, double*);

}  // namespace vrp
