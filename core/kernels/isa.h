// Which instruction set the kernels run with: chosen once at run time, never one that the CPU
// lacks.
#pragma once

#include <string_view>
#include <vector>

namespace vrp {

enum class Isa {
  kAvx2,    // x86-64-v3, the baseline
  kAvx512,  // F, BW, DQ, VL
};

std::string_view IsaName(Isa isa);
// What this CPU (and system) can run, the baseline first.
std::vector<Isa> UsableIsas();
// The fastest of them; VRP_ISA=avx2 in the environment takes the baseline instead.
Isa BestIsa();

// How products in bf16 are computed beside BestIsa.
enum class Bf16 {
  kNone,
  kHardware,  // AVX-512 BF16
  kEmulated,  // by AVX-512, slower than fp32: VRP_ISA=avx512_bf16_emulated, for tests of training
};
Bf16 UsableBf16();

}  // namespace vrp
