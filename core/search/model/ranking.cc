#include "core/search/model/ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace vrp {
namespace {

constexpr int64_t kSample = 64;
// Up to this many keys are sorted by buckets.
constexpr int64_t kFew = 256;

// The `count` least keys come first, in order: by buckets of equal ranges of values, then by
// insertion. Takes few branches that are hard to predict, unlike std::sort.
void SortFew(std::span<uint64_t> keys, int64_t count) {
  constexpr int32_t kBuckets = 128;
  if (keys.empty() || count <= 0) return;
  const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
  const float low = RankedValue(*least);
  const float scale = (kBuckets - 1) / (RankedValue(*most) - low);
  // All values are equal, or some are infinite.
  if (!std::isfinite(scale) || scale == 0) return std::sort(keys.begin(), keys.end());
  const auto bucket = [=](uint64_t key) {
    return static_cast<int32_t>((RankedValue(key) - low) * scale);
  };
  std::array<uint32_t, kBuckets + 1> places = {};
  for (const uint64_t key : keys) ++places[bucket(key) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::array<uint64_t, kFew> sorted;
  for (const uint64_t key : keys) sorted[places[bucket(key)]++] = key;
  // places[b] is now the end of bucket b.
  const auto last = static_cast<size_t>(std::min(count, std::ssize(keys)) - 1);
  const size_t end = places[bucket(sorted[last])];
  for (size_t i = 0; i < end; ++i) {
    size_t at = i;
    for (; at > 0 && keys[at - 1] > sorted[i]; --at) keys[at] = keys[at - 1];
    keys[at] = sorted[i];
  }
  std::copy(sorted.begin() + end, sorted.begin() + keys.size(), keys.begin() + end);
}

// Returns a bound that keeps few more than the `count` least values, give or take, by a sample of
// many.
float MostKept(std::span<const double> values, int64_t count) {
  const int64_t size = std::ssize(values);
  if (count <= 0 || size <= 4 * kSample || size <= 4 * count) {
    return std::numeric_limits<float>::infinity();
  }
  std::array<double, kSample> sample;
  for (int64_t i = 0; i < kSample; ++i) sample[i] = values[i * size / kSample];
  const int64_t rank = kSample * count * 3 / (2 * size) + 3;
  std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
  return static_cast<float>(sample[rank]);
}

}  // namespace

void SortLeast(std::vector<uint64_t>& keys, int64_t count) {
  if (count <= 0 || std::is_sorted(keys.begin(), keys.end())) return;
  std::span<uint64_t> least(keys);
  if (std::ssize(keys) > kFew && count < std::ssize(keys)) {
    std::nth_element(keys.begin(), keys.begin() + count, keys.end());
    least = least.first(count);
  }
  std::ssize(least) <= kFew ? SortFew(least, count) : std::sort(least.begin(), least.end());
}

void RankLeast(std::span<const double> values, std::span<const NodeIndex> nodes, int64_t count,
               std::vector<uint64_t>& keys) {
  const int64_t size = std::ssize(values);
  const float most = MostKept(values, count);
  keys.resize(size);
  int64_t kept = 0;
  for (int64_t k = 0; k < size; ++k) {
    keys[kept] = RankKey(values[k], nodes[k]);
    kept += static_cast<float>(values[k]) <= most ? 1 : 0;
  }
  if (kept < count) {
    for (kept = 0; kept < size; ++kept) keys[kept] = RankKey(values[kept], nodes[kept]);
  }
  keys.resize(kept);
  SortLeast(keys, count);
  keys.resize(std::clamp<int64_t>(count, 0, kept));
}

void SortByValue(std::vector<uint64_t>& keys) {
  constexpr int kDigitBits = 11;
  std::vector<uint64_t> sorted(keys.size());
  for (int shift = 32; shift < 64; shift += kDigitBits) {
    std::array<int64_t, 1 << kDigitBits> places = {};
    const auto digit = [=](uint64_t key) { return (key >> shift) % (1 << kDigitBits); };
    for (const uint64_t key : keys) ++places[digit(key)];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), int64_t{0});
    for (const uint64_t key : keys) sorted[places[digit(key)]++] = key;
    keys.swap(sorted);
  }
}

}  // namespace vrp
