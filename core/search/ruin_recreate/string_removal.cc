#include "core/search/ruin_recreate/string_removal.h"

#include <algorithm>

namespace vrp {
namespace {

// The article's parameters: mean number of customers removed, longest string, share of strings with
// a gap, and how readily the gap grows.
constexpr double kMeanRemoved = 10;
constexpr double kLongestString = 10;
constexpr double kSplitRate = 0.5;
constexpr double kSplitGrowth = 0.01;

}  // namespace

StringSizes DrawStringSizes(FastRandom& random, double served, int32_t routes) {
  const double longest = std::clamp(served / routes, 1.0, kLongestString);
  const double most_strings = 4 * kMeanRemoved / (1 + longest) - 1;
  return {.longest = static_cast<int32_t>(longest),
          .strings = static_cast<int32_t>(1 + random.Unit() * most_strings)};
}

RemovedString DrawString(FastRandom& random, int32_t visits, int32_t at, int32_t longest) {
  const int32_t length = random.Between(1, std::max(1, std::min(longest, visits)));
  RemovedString string;
  if (length > 1 && length < visits && random.Unit() < kSplitRate) {
    string.kept = 1;
    while (length + string.kept < visits && random.Unit() < kSplitGrowth) ++string.kept;
  }
  const int32_t window = length + string.kept;
  string.begin = random.Between(std::max(1, at - window + 1), std::min(at, visits - window + 1));
  string.first = string.kept == 0 ? length : random.Between(1, length - 1);
  string.rest = length - string.first;
  return string;
}

}  // namespace vrp
