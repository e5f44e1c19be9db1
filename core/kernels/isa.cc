#include "core/kernels/isa.h"

#include <cstdlib>

namespace vrp {

std::string_view IsaName(Isa isa) { return isa == Isa::kAvx512 ? "avx512" : "avx2"; }

std::vector<Isa> UsableIsas() {
  std::vector<Isa> isas = {Isa::kAvx2};
  // __builtin_cpu_supports asks the operating system too (XGETBV).
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    isas.push_back(Isa::kAvx512);
  }
  return isas;
}

Isa BestIsa() {
  static const Isa best = [] {
    const char* const wanted = std::getenv("VRP_ISA");
    if (wanted != nullptr && std::string_view(wanted) == "avx2") return Isa::kAvx2;
    return UsableIsas().back();
  }();
  return best;
}

Bf16 UsableBf16() {
  static const Bf16 usable = [] {
    if (BestIsa() != Isa::kAvx512) return Bf16::kNone;
    const char* const wanted = std::getenv("VRP_ISA");
    if (wanted != nullptr && std::string_view(wanted) == "avx512_bf16_emulated") {
      return Bf16::kEmulated;
    }
    return __builtin_cpu_supports("avx512bf16") ? Bf16::kHardware : Bf16::kNone;
  }();
  return usable;
}

}  // namespace vrp
