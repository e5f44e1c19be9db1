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

// How products in bf16 are computed beside BestIsa. What is emulated, by AVX-512, is slower than
// fp32, and there for tests.
enum class Bf16 {
  kNone,
  kVectors,  // AVX-512 BF16
  kTiles,    // AMX
  kEmulatedVectors,
  kEmulatedTiles,
};
// All that this CPU (and system) can run, the fastest first. The first call asks the system for the
// process to use tiles.
const std::vector<Bf16>& RunnableBf16();
// The fastest in hardware that is faster than fp32; VRP_ISA in the environment takes another one of
// those that can run: avx512_bf16, avx512_bf16_emulated, amx_bf16_emulated, or none (avx2, avx512).
Bf16 UsableBf16();
bool InHardware(Bf16 bf16);

}  // namespace vrp
