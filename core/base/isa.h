// Chooses the instruction set of the kernels once at run time among those of the CPU.
#pragma once

#include <string_view>
#include <vector>

namespace vrp {

// Instruction sets of the kernels.
enum class Isa {
  kAvx2,    // x86-64-v3, the baseline
  kAvx512,  // F, BW, DQ, VL
};

// Returns "avx2" or "avx512".
std::string_view IsaName(Isa isa);
// Returns the instruction sets that this CPU and operating system can run, the baseline first.
std::vector<Isa> UsableIsas();
// Returns the fastest usable set. VRP_ISA=avx2 in the environment selects the baseline instead.
Isa BestIsa();

// Implementations of products in bf16, in addition to BestIsa. The emulated implementations use
// AVX-512, are slower than fp32, and serve only tests.
enum class Bf16 {
  kNone,
  kVectors,  // AVX-512 BF16
  kTiles,    // AMX
  kEmulatedVectors,
  kEmulatedTiles,
};
// Returns the implementations that this CPU and operating system can run, the fastest first. The
// first call asks the operating system for permission to use tiles.
const std::vector<Bf16>& RunnableBf16();
// Returns the fastest implementation in hardware that is faster than fp32; kNone if there is none.
// VRP_ISA in the environment selects another runnable one: amx_bf16, avx512_bf16,
// avx512_bf16_emulated or amx_bf16_emulated. All other values, such as avx2, select kNone.
Bf16 UsableBf16();
// Whether the CPU's own instructions, not an emulation, multiply in bf16.
bool IsNative(Bf16 bf16);

}  // namespace vrp
