#include "core/estimate/subset_bases.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr uint64_t kSubsetSeed = 0x73756273;

// Returns a random number for a customer. The sum of those of a subset tells it from others.
uint64_t MarkOf(NodeIndex customer) {
  return CounterRandom(kSubsetSeed, static_cast<uint64_t>(customer), 0).Next64();
}

}  // namespace

std::vector<SubsetBase> FindSubsetBases(std::span<const std::vector<NodeIndex>> subsets) {
  std::unordered_map<uint64_t, int64_t> known;
  std::unordered_set<size_t> sizes;
  std::vector<uint64_t> marks;
  for (const std::vector<NodeIndex>& subset : subsets) {
    uint64_t sum = 0;
    for (const NodeIndex customer : subset) sum += MarkOf(customer);
    known.emplace(sum, std::ssize(marks));
    sizes.insert(subset.size());
    marks.push_back(sum);
  }
  std::vector<SubsetBase> bases(subsets.size());
  for (size_t i = 0; i < subsets.size(); ++i) {
    if (subsets[i].size() < 2 || !sizes.contains(subsets[i].size() - 1)) continue;
    for (const NodeIndex customer : subsets[i]) {
      const auto found = known.find(marks[i] - MarkOf(customer));
      if (found == known.end()) continue;
      bases[i] = {.base = found->second, .added = customer};
      break;
    }
  }
  return bases;
}

}  // namespace vrp
