#include "core/base/isa.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace vrp {
namespace {

std::string_view RequestedIsa() {
  const char* const requested = std::getenv("VRP_ISA");
  return requested == nullptr ? "" : requested;
}

std::string_view Bf16Name(Bf16 bf16) {
  switch (bf16) {
    case Bf16::kNone:
      return "none";
    case Bf16::kVectors:
      return "avx512_bf16";
    case Bf16::kTiles:
      return "amx_bf16";
    case Bf16::kEmulatedVectors:
      return "avx512_bf16_emulated";
    case Bf16::kEmulatedTiles:
      return "amx_bf16_emulated";
  }
  return "none";
}

// Whether the processor has AMX tiles for bf16. Asks the processor itself, because clang 16's
// __builtin_cpu_supports does not know tiles.
bool HasBf16Tiles() {
  constexpr uint32_t kLeaf = 7;                                 // extended features
  constexpr uint32_t kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;  // bits of EDX
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(kLeaf, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kAmxBf16) != 0 && (edx & kAmxTile) != 0;
}

// Requests permission to use tiles, which every process needs since Linux 5.16. Returns whether
// Linux granted it.
bool MayUseTiles() {
  constexpr int64_t kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int64_t kTileData = 18;               // XFEATURE_XTILEDATA
  return HasBf16Tiles() && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Whether bf16 products are faster than fp32. Intel's vectors multiply bf16 at the rate of fp32,
// and rounding adds time: a Xeon with AMX reaches 0.7 of fp32's speed. AMD's vectors multiply bf16
// at twice the rate of fp32.
bool IsFasterThanFp32(Bf16 bf16) {
  return bf16 == Bf16::kTiles || (bf16 == Bf16::kVectors && !__builtin_cpu_is("intel"));
}

}  // namespace

std::string_view IsaName(Isa isa) { return isa == Isa::kAvx512 ? "avx512" : "avx2"; }

std::vector<Isa> UsableIsas() {
  std::vector<Isa> isas = {Isa::kAvx2};
  // __builtin_cpu_supports also checks that the operating system saves the registers (XGETBV).
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    isas.push_back(Isa::kAvx512);
  }
  return isas;
}

Isa BestIsa() {
  static const Isa best = [] {
    return RequestedIsa() == IsaName(Isa::kAvx2) ? Isa::kAvx2 : UsableIsas().back();
  }();
  return best;
}

const std::vector<Bf16>& RunnableBf16() {
  static const std::vector<Bf16> kinds = [] {
    std::vector<Bf16> found;
    if (UsableIsas().back() != Isa::kAvx512) return found;
    const bool vectors = __builtin_cpu_supports("avx512bf16") != 0;
    if (vectors && MayUseTiles()) found.push_back(Bf16::kTiles);
    if (vectors) found.push_back(Bf16::kVectors);
    found.insert(found.end(), {Bf16::kEmulatedVectors, Bf16::kEmulatedTiles});
    return found;
  }();
  return kinds;
}

Bf16 UsableBf16() {
  static const Bf16 usable = [] {
    const std::string_view requested = RequestedIsa();
    for (const Bf16 kind : RunnableBf16()) {
      if (requested.empty() ? IsFasterThanFp32(kind) : requested == Bf16Name(kind)) return kind;
    }
    return Bf16::kNone;
  }();
  return usable;
}

bool IsNative(Bf16 bf16) { return bf16 == Bf16::kVectors || bf16 == Bf16::kTiles; }

}  // namespace vrp
