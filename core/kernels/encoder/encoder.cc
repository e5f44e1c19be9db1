#include "core/kernels/encoder/encoder.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/kernels/encoder/encoder_kernels.h"

namespace vrp {
namespace {

constexpr int64_t kAlignment = 64;  // bytes

template <typename T>
class KernelEncoder : public Encoder<T> {
 public:
  KernelEncoder(const EncoderShape& shape, std::vector<EncoderLayerOffsets> layers,
                simd::EncoderFunctions<T> functions)
      : shape_(shape), layers_(std::move(layers)), functions_(functions) {
    const auto size = static_cast<size_t>(functions_.packed_size(shape_));
    memory_.resize(size + kAlignment / sizeof(T));
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    packed_ = memory_.data() + (-address % kAlignment) / sizeof(T);
  }
  KernelEncoder(const KernelEncoder&) = delete;
  KernelEncoder& operator=(const KernelEncoder&) = delete;

  void Pack(const T* parameters) override {
    functions_.pack(shape_, layers_.data(), parameters, packed_);
  }
  int64_t SavedSize(std::span<const int32_t> first_rows) const override {
    return functions_.saved_size(shape_, first_rows.data(), Instances(first_rows));
  }
  int64_t ScratchSize(std::span<const int32_t> first_rows) const override {
    return functions_.scratch_size(shape_, first_rows.data(), Instances(first_rows));
  }
  void Forward(const EncoderGroup<T>& group, T* x, T* saved, T* scratch) const override {
    functions_.forward(Call(group), x, saved, scratch);
  }
  void Backward(const EncoderGroup<T>& group, T* dx, T* saved, T* scratch,
                T* gradient) const override {
    functions_.backward(Call(group), dx, saved, scratch, gradient);
  }

 private:
  static int64_t Instances(std::span<const int32_t> first_rows) {
    return static_cast<int64_t>(first_rows.size()) - 1;
  }
  simd::EncoderCall<T> Call(const EncoderGroup<T>& group) const {
    return {shape_,
            layers_.data(),
            packed_,
            group.first_rows.data(),
            Instances(group.first_rows),
            group.edges.data(),
            group.cycles};
  }

  EncoderShape shape_;
  std::vector<EncoderLayerOffsets> layers_;
  simd::EncoderFunctions<T> functions_;
  std::vector<T> memory_;
  T* packed_;
};

template <typename T>
simd::EncoderFunctions<T> CausalFunctions(Isa isa) {
  return isa == Isa::kAvx512 ? simd::avx512::GetCausalEncoderFunctions<T>()
                             : simd::avx2::GetCausalEncoderFunctions<T>();
}

simd::EncoderFunctions<float> Bf16Functions(Bf16 bf16) {
  switch (bf16) {
    case Bf16::kNone:
    case Bf16::kEmulatedVectors:
      return simd::avx512_bf16_emulated::GetEncoderFunctions<float>();
    case Bf16::kVectors:
      return simd::avx512_bf16::GetEncoderFunctions<float>();
    case Bf16::kTiles:
      return simd::amx_bf16::GetEncoderFunctions<float>();
    case Bf16::kEmulatedTiles:
      return simd::amx_bf16_emulated::GetEncoderFunctions<float>();
  }
  return {};
}

simd::EncoderFunctions<float> CausalBf16Functions(Bf16 bf16) {
  switch (bf16) {
    case Bf16::kNone:
    case Bf16::kEmulatedVectors:
      return simd::avx512_bf16_emulated::GetCausalEncoderFunctions<float>();
    case Bf16::kVectors:
      return simd::avx512_bf16::GetCausalEncoderFunctions<float>();
    case Bf16::kTiles:
      return simd::amx_bf16::GetCausalEncoderFunctions<float>();
    case Bf16::kEmulatedTiles:
      return simd::amx_bf16_emulated::GetCausalEncoderFunctions<float>();
  }
  return {};
}

}  // namespace

template <typename T>
std::unique_ptr<Encoder<T>> MakeEncoder(const EncoderShape& shape,
                                        std::vector<EncoderLayerOffsets> layers, Isa isa) {
  return std::make_unique<KernelEncoder<T>>(shape, std::move(layers),
                                            isa == Isa::kAvx512
                                                ? simd::avx512::GetEncoderFunctions<T>()
                                                : simd::avx2::GetEncoderFunctions<T>());
}
template std::unique_ptr<Encoder<float>> MakeEncoder<float>(const EncoderShape&,
                                                            std::vector<EncoderLayerOffsets>, Isa);
template std::unique_ptr<Encoder<double>> MakeEncoder<double>(const EncoderShape&,
                                                              std::vector<EncoderLayerOffsets>,
                                                              Isa);

std::unique_ptr<Encoder<float>> MakeBf16Encoder(const EncoderShape& shape,
                                                std::vector<EncoderLayerOffsets> layers,
                                                Bf16 bf16) {
  return std::make_unique<KernelEncoder<float>>(shape, std::move(layers), Bf16Functions(bf16));
}

template <typename T>
std::unique_ptr<Encoder<T>> MakeCausalEncoder(const EncoderShape& shape,
                                              std::vector<EncoderLayerOffsets> layers, Isa isa) {
  return std::make_unique<KernelEncoder<T>>(shape, std::move(layers), CausalFunctions<T>(isa));
}
template std::unique_ptr<Encoder<float>> MakeCausalEncoder<float>(const EncoderShape&,
                                                                  std::vector<EncoderLayerOffsets>,
                                                                  Isa);
template std::unique_ptr<Encoder<double>> MakeCausalEncoder<double>(
    const EncoderShape&, std::vector<EncoderLayerOffsets>, Isa);

std::unique_ptr<Encoder<float>> MakeBf16CausalEncoder(const EncoderShape& shape,
                                                      std::vector<EncoderLayerOffsets> layers,
                                                      Bf16 bf16) {
  return std::make_unique<KernelEncoder<float>>(shape, std::move(layers),
                                                CausalBf16Functions(bf16));
}

}  // namespace vrp
