// Kernels of a residual connection with an instance norm. A block has 128 channels of one instance:
// a warp per node, four channels per thread. Each kernel reads its inputs once, because the first
// kCachedNodes nodes stay in registers; it reads further nodes twice, the second time from a cache.
#include <math.h>

#include "core/kernels/launch/kernel_launch.cuh"
#include "core/kernels/residual_norm/residual_norm_launch.h"

namespace vrp {
namespace {

constexpr int32_t kNormLanes = 32;
constexpr int32_t kNormWarps = 13;
constexpr int32_t kCachedRows = 4;  // number of nodes that a thread keeps in registers
constexpr int32_t kCachedNodes = kCachedRows * kNormWarps;  // a depot and 50 customers fit
constexpr int32_t kNormThreads = kNormLanes * kNormWarps;
constexpr int32_t kBlockChannels = kNormLanes * kNormVector;
// Leaves 72 registers per thread. While one block waits for memory, the other computes.
constexpr int32_t kBlocksPerMultiprocessor = 2;
constexpr int32_t kSums = 2 * kBlockChannels;  // of a block: two per channel
static_assert(kSums <= kNormThreads);

// Neighbouring channels, loaded and stored by one instruction.
template <typename T>
struct alignas(kNormVector * sizeof(T)) Packed {
  T values[kNormVector];
};

// The same channels in registers.
struct Channels {
  float values[kNormVector] = {};

  __device__ float& operator[](int32_t i) { return values[i]; }
  __device__ float operator[](int32_t i) const { return values[i]; }
};

template <typename T>
__device__ Channels Load(const T* from) {
  const Packed<T> packed = *reinterpret_cast<const Packed<T>*>(from);
  Channels channels;
  for (int32_t i = 0; i < kNormVector; ++i) channels[i] = ToFloat(packed.values[i]);
  return channels;
}

template <typename T>
__device__ void Store(const Channels& channels, T* to) {
  Packed<T> packed;
  for (int32_t i = 0; i < kNormVector; ++i) StoreFloat(channels[i], packed.values[i]);
  *reinterpret_cast<Packed<T>*>(to) = packed;
}

__device__ Channels Plus(const Channels& a, const Channels& b) {
  Channels sum;
  for (int32_t i = 0; i < kNormVector; ++i) sum[i] = a[i] + b[i];
  return sum;
}

// Two sums over nodes for each channel of a thread.
struct ChannelSums {
  Channels first;
  Channels second;
};

// The part of an instance that a thread works on.
struct NormPart {
  int32_t instance;
  int32_t channel;  // first of the thread's channels
  int32_t warp;     // first of the thread's nodes; the next ones are kNormWarps apart
  int32_t size;     // number of valid nodes; 0 for threads beyond the last channel
  int32_t nodes;    // number of nodes with padding; 0 for threads beyond the last channel
  int64_t row;      // index of the instance's first node and channel in tensors [B, N, H]
  int32_t hidden;

  __device__ int64_t At(int32_t node) const { return row + int64_t{node} * hidden; }
  __device__ int64_t OfInstance() const { return int64_t{instance} * hidden + channel; }
  __device__ bool Writes() const { return warp == 0 && nodes > 0; }
};

template <typename T>
__device__ NormPart PartOf(const ResidualNormInputs<T>& inputs) {
  const int32_t slabs = (inputs.hidden + kBlockChannels - 1) / kBlockChannels;
  const auto block = static_cast<int32_t>(blockIdx.x);
  NormPart part;
  part.instance = block / slabs;
  part.channel = block % slabs * kBlockChannels + static_cast<int32_t>(threadIdx.x) * kNormVector;
  part.warp = static_cast<int32_t>(threadIdx.y);
  const bool inside = part.channel < inputs.hidden;
  part.size = inside ? static_cast<int32_t>(inputs.sizes[part.instance]) : 0;
  part.nodes = inside ? inputs.nodes : 0;
  part.hidden = inputs.hidden;
  part.row = int64_t{part.instance} * inputs.nodes * inputs.hidden + part.channel;
  return part;
}

// Calls body(node, cached index) for the thread's valid nodes in registers, in a loop that the
// compiler unrolls.
template <typename Body>
__device__ void EachCached(const NormPart& part, const Body& body) {
  for (int32_t i = 0; i < kCachedRows; ++i) {
    const int32_t node = part.warp + i * kNormWarps;
    if (node < part.size) body(node, i);
  }
}

// Calls body(node) for the thread's other valid nodes. Unrolling would take the registers of the
// cached ones.
template <typename Body>
__device__ void EachOther(const NormPart& part, const Body& body) {
#pragma unroll 1
  for (int32_t node = part.warp + kCachedNodes; node < part.size; node += kNormWarps) body(node);
}

// Writes zeros to the thread's nodes in the padding.
template <typename T>
__device__ void ClearPadding(const NormPart& part, T* to) {
  const int32_t beyond = (part.size - part.warp + kNormWarps - 1) / kNormWarps;
  const int32_t first = part.warp + (beyond > 0 ? beyond : 0) * kNormWarps;
  for (int32_t node = first; node < part.nodes; node += kNormWarps) {
    Store(Channels(), to + part.At(node));
  }
}

// Adds the sums of all warps, in a fixed order. All threads of the block must call this together.
__device__ ChannelSums SumOverWarps(const ChannelSums& mine) {
  __shared__ float of_warps[kNormWarps][kSums];
  __shared__ float totals[kSums];
  const auto lane = static_cast<int32_t>(threadIdx.x);
  const auto warp = static_cast<int32_t>(threadIdx.y);
  for (int32_t i = 0; i < kNormVector; ++i) {
    of_warps[warp][i * kNormLanes + lane] = mine.first[i];
    of_warps[warp][kBlockChannels + i * kNormLanes + lane] = mine.second[i];
  }
  __syncthreads();
  const int32_t thread = warp * kNormLanes + lane;
  if (thread < kSums) {
    float total = 0;
    for (int32_t other = 0; other < kNormWarps; ++other) total += of_warps[other][thread];
    totals[thread] = total;
  }
  __syncthreads();
  ChannelSums sums;
  for (int32_t i = 0; i < kNormVector; ++i) {
    sums.first[i] = totals[i * kNormLanes + lane];
    sums.second[i] = totals[kBlockChannels + i * kNormLanes + lane];
  }
  return sums;
}

template <typename T>
__device__ Channels LoadSum(const ResidualNormInputs<T>& inputs, int64_t at) {
  return Plus(Load(inputs.x + at), Load(inputs.branch + at));
}

// The mean and inverse standard deviation of a thread's channels.
struct Moments {
  Channels mean;
  Channels inverse;
};

// Sums are of differences from the instance's first node, which is at most sqrt(N) deviations from
// the mean. Squares of the values themselves could cancel each other.
__device__ Moments MomentsOf(const ChannelSums& sums, const Channels& first, int32_t size) {
  Moments moments;
  for (int32_t i = 0; i < kNormVector; ++i) {
    const float mean = sums.first[i] / static_cast<float>(size);
    const float variance = sums.second[i] / static_cast<float>(size) - mean * mean;
    moments.mean[i] = first[i] + mean;
    moments.inverse[i] = 1 / sqrtf((variance < 0 ? 0 : variance) + kInstanceNormEpsilon);
  }
  return moments;
}

template <typename T>
__global__ void __launch_bounds__(kNormThreads, kBlocksPerMultiprocessor)
    ResidualNormKernel(ResidualNormInputs<T> inputs, ResidualNormOutputs<T> outputs) {
  const NormPart part = PartOf(inputs);
  Channels first;
  if (part.size > 0) first = LoadSum(inputs, part.At(0));
  Channels cached[kCachedRows];
  EachCached(part, [&](int32_t node, int32_t i) { cached[i] = LoadSum(inputs, part.At(node)); });
  ChannelSums sums;
  const auto add = [&](const Channels& sum) {
    for (int32_t i = 0; i < kNormVector; ++i) {
      const float difference = sum[i] - first[i];
      sums.first[i] += difference;
      sums.second[i] += difference * difference;
    }
  };
  EachCached(part, [&](int32_t, int32_t i) { add(cached[i]); });
  EachOther(part, [&](int32_t node) { add(LoadSum(inputs, part.At(node))); });
  sums = SumOverWarps(sums);
  if (part.nodes == 0) return;
  const Moments moments = MomentsOf(sums, first, part.size);
  if (part.Writes()) {
    Store(moments.mean, outputs.mean + part.OfInstance());
    Store(moments.inverse, outputs.inverse + part.OfInstance());
  }
  const Channels scale = Load(inputs.scale + part.channel);
  const Channels shift = Load(inputs.shift + part.channel);
  const auto write = [&](int32_t node, const Channels& sum) {
    Channels normed;
    for (int32_t i = 0; i < kNormVector; ++i) {
      normed[i] = (sum[i] - moments.mean[i]) * moments.inverse[i] * scale[i] + shift[i];
    }
    Store(normed, outputs.normed + part.At(node));
  };
  EachCached(part, [&](int32_t node, int32_t i) { write(node, cached[i]); });
  EachOther(part, [&](int32_t node) { write(node, LoadSum(inputs, part.At(node))); });
  ClearPadding(part, outputs.normed);
}

// A node's standardised values and the gradient with respect to them, before the scale.
struct NormedNode {
  Channels normed;
  Channels gradient;
};

template <typename T>
__device__ NormedNode LoadNode(const ResidualNormInputs<T>& inputs,
                               const ResidualNormGradient<T>& gradient, const NormPart& part,
                               int32_t at) {
  NormedNode node = {.normed = LoadSum(inputs, part.At(at)),
                     .gradient = Load(gradient.first + part.At(at))};
  if (gradient.second != nullptr) {
    node.gradient = Plus(node.gradient, Load(gradient.second + part.At(at)));
  }
  const Channels mean = Load(gradient.mean + part.OfInstance());
  const Channels inverse = Load(gradient.inverse + part.OfInstance());
  for (int32_t i = 0; i < kNormVector; ++i) {
    node.normed[i] = (node.normed[i] - mean[i]) * inverse[i];
  }
  return node;
}

template <typename T>
__global__ void __launch_bounds__(kNormThreads, kBlocksPerMultiprocessor)
    ResidualNormBackwardKernel(ResidualNormInputs<T> inputs, ResidualNormGradient<T> gradient) {
  const NormPart part = PartOf(inputs);
  const auto load = [&](int32_t node) { return LoadNode(inputs, gradient, part, node); };
  NormedNode cached[kCachedRows];
  EachCached(part, [&](int32_t node, int32_t i) { cached[i] = load(node); });
  ChannelSums sums;
  const auto add = [&](const NormedNode& node) {
    for (int32_t i = 0; i < kNormVector; ++i) {
      sums.first[i] += node.gradient[i] * node.normed[i];
      sums.second[i] += node.gradient[i];
    }
  };
  EachCached(part, [&](int32_t, int32_t i) { add(cached[i]); });
  EachOther(part, [&](int32_t node) { add(load(node)); });
  sums = SumOverWarps(sums);
  if (part.nodes == 0) return;
  if (part.Writes()) {
    float* const affine = gradient.affine + int64_t{part.instance} * 2 * part.hidden + part.channel;
    Store(sums.first, affine);
    Store(sums.second, affine + part.hidden);
  }
  const Channels inverse = Load(gradient.inverse + part.OfInstance());
  const Channels scale = Load(inputs.scale + part.channel);
  const float share = 1 / static_cast<float>(part.size);
  const auto write = [&](int32_t at, const NormedNode& node) {
    Channels result;
    for (int32_t i = 0; i < kNormVector; ++i) {
      const float centred =
          node.gradient[i] - share * (sums.second[i] + node.normed[i] * sums.first[i]);
      result[i] = centred * inverse[i] * scale[i];
    }
    Store(result, gradient.sum + part.At(at));
  };
  EachCached(part, [&](int32_t node, int32_t i) { write(node, cached[i]); });
  EachOther(part, [&](int32_t node) { write(node, load(node)); });
  ClearPadding(part, gradient.sum);
}

template <typename T>
LaunchShape ShapeFor(const ResidualNormInputs<T>& inputs) {
  const int64_t slabs = (inputs.hidden + kBlockChannels - 1) / kBlockChannels;
  return {.blocks = inputs.nodes == 0 ? 0 : inputs.instances * slabs,
          .threads = dim3(kNormLanes, kNormWarps)};
}

}  // namespace

template <typename T>
cudaError_t LaunchResidualNorm(const ResidualNormInputs<T>& inputs,
                               const ResidualNormOutputs<T>& outputs, cudaStream_t stream) {
  return LaunchKernel(ResidualNormKernel<T>, ShapeFor(inputs), stream, inputs, outputs);
}

template <typename T>
cudaError_t LaunchResidualNormBackward(const ResidualNormInputs<T>& inputs,
                                       const ResidualNormGradient<T>& gradient,
                                       cudaStream_t stream) {
  return LaunchKernel(ResidualNormBackwardKernel<T>, ShapeFor(inputs), stream, inputs, gradient);
}

template cudaError_t LaunchResidualNorm(const ResidualNormInputs<float>&,
                                        const ResidualNormOutputs<float>&, cudaStream_t);
template cudaError_t LaunchResidualNorm(const ResidualNormInputs<Bf16Value>&,
                                        const ResidualNormOutputs<Bf16Value>&, cudaStream_t);
template cudaError_t LaunchResidualNormBackward(const ResidualNormInputs<float>&,
                                                const ResidualNormGradient<float>&, cudaStream_t);
template cudaError_t LaunchResidualNormBackward(const ResidualNormInputs<Bf16Value>&,
                                                const ResidualNormGradient<Bf16Value>&,
                                                cudaStream_t);

}  // namespace vrp
