#include "tests/bench/core_peak.h"

#include <immintrin.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <thread>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

constexpr int kRounds = 20;
constexpr int64_t kIterations = 500'000;  // loop iterations per burst: a few milliseconds
// Number of independent chains of multiply-adds. It exceeds the number that a core's two FMA units
// have in flight.
constexpr int kChains = 12;
constexpr float kHalf = 0.5F;

// A measured function. Returns its number of operations. Adds its sums to `used`, so that the
// compiler does not remove them. All values stay finite.
using Burst = double (*)(float& used);

__attribute__((target("avx2,fma"))) double Avx2Burst(float& used) {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(used);
  const __m256 factor = _mm256_set1_ps(kHalf);
  for (int64_t i = 0; i < kIterations; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  for (const __m256& sum : sums) used += kHalf * _mm256_cvtss_f32(sum);
  return 2.0 * 8 * kChains * kIterations;
}

__attribute__((target("avx512f"))) double Avx512Burst(float& used) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(used);
  const __m512 factor = _mm512_set1_ps(kHalf);
  for (int64_t i = 0; i < kIterations; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, factor);
  }
  for (const __m512& sum : sums) used += kHalf * _mm512_cvtss_f32(sum);
  return 2.0 * 16 * kChains * kIterations;
}

__attribute__((target("avx512f,avx512bf16"))) double Bf16Burst(float& used) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(used);
  const __m512bh factor = _mm512_cvtne2ps_pbh(_mm512_set1_ps(kHalf), _mm512_set1_ps(-kHalf));
  for (int64_t i = 0; i < kIterations; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_dpbf16_ps(sum, factor, factor);
  }
  // The sums have grown but still fit into a float.
  for (const __m512& sum : sums) used += _mm512_cvtss_f32(sum) > 0 ? kHalf : 0;
  return 2.0 * 32 * kChains * kIterations;
}

struct TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

__attribute__((target("amx-tile,amx-bf16"))) double TileBurst(float& used) {
  static constexpr TileConfig kConfig;  // static, since GCC 12 may drop stores before the load
  _tile_loadconfig(&kConfig);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (int64_t i = 0; i < kIterations; ++i) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
  }
  float sums[16 * 16];
  _tile_stored(0, sums, 64);
  _tile_release();
  used += sums[0];
  return 2.0 * 16 * 16 * 32 * 4 * kIterations;
}

// Returns the best rate of kRounds rounds in GFLOP/s, summed over `threads` threads.
double BestRate(Burst burst, int threads) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> rates(static_cast<size_t>(threads));
    std::vector<std::thread> workers;
    std::barrier start(threads);
    for (double& rate : rates) {
      workers.emplace_back([burst, &start, &rate] {
        start.arrive_and_wait();
        float used = kHalf;
        const absl::Time begun = SteadyNow();
        const double operations = burst(used);
        rate = operations / absl::ToDoubleSeconds(SteadyNow() - begun) + used * 0;
      });
    }
    double all = 0;
    for (std::thread& worker : workers) worker.join();
    for (const double rate : rates) all += rate;
    best = std::max(best, all);
  }
  return best * 1e-9;
}

}  // namespace

std::string_view KindName(const CorePeak& peak) {
  if (peak.kind == Bf16::kTiles) return "bf16_tiles";
  return peak.kind == Bf16::kVectors ? "bf16_vectors" : "fp32";
}

std::vector<CorePeak> MeasureCorePeaks(int threads) {
  const Burst fp32 = BestIsa() == Isa::kAvx512 ? &Avx512Burst : &Avx2Burst;
  std::vector<CorePeak> peaks = {{Bf16::kNone, BestRate(fp32, threads)}};
  for (const Bf16 kind : RunnableBf16()) {
    if (!IsNative(kind)) continue;
    peaks.push_back({kind, BestRate(kind == Bf16::kTiles ? &TileBurst : &Bf16Burst, threads)});
  }
  return peaks;
}

}  // namespace vrp
