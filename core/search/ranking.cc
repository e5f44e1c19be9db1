#include "core/search/ranking.h"

#include <algorithm>
#include <array>
#include <span>

namespace vrp {
namespace {

constexpr int64_t kSample = 64;

// Moves the keys below `pivot` to the front and returns how many. Without a branch: whether a key
// is below is hard to foretell, and a wrong guess costs more than the move.
int64_t Partition(std::span<uint64_t> keys, uint64_t pivot) {
  int64_t below = 0;
  for (uint64_t& key : keys) {
    const uint64_t moved = key;
    key = keys[below];
    keys[below] = moved;
    below += moved < pivot ? 1 : 0;
  }
  return below;
}

// The `count` least keys come first, in no order. Few of many: a sample tells below which key they
// lie, give or take, so that the selection proper has few keys to look at.
void SelectLeast(std::span<uint64_t> keys, int64_t count) {
  const int64_t size = std::ssize(keys);
  if (count <= 0 || count >= size) return;
  int64_t begin = 0, end = size;
  if (size > 4 * kSample && 4 * count < size) {
    std::array<uint64_t, kSample> sample;
    for (int64_t i = 0; i < kSample; ++i) sample[i] = keys[i * size / kSample];
    const int64_t rank = kSample * count * 3 / (2 * size) + 3;
    std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
    const int64_t below = Partition(keys, sample[rank]);
    (below < count ? begin : end) = below;
  }
  std::nth_element(keys.begin() + begin, keys.begin() + count, keys.begin() + end);
}

}  // namespace

void KeepLeast(std::vector<uint64_t>& keys, int64_t count) {
  SelectLeast(keys, count);
  if (count < std::ssize(keys)) keys.resize(count);
}

void SortLeast(std::vector<uint64_t>& keys, int64_t count) {
  SelectLeast(keys, count);
  std::sort(keys.begin(), keys.begin() + std::min(count, std::ssize(keys)));
}

}  // namespace vrp
