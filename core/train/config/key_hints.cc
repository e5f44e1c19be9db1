#include "core/train/config/key_hints.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/train/config/foreign_keys.h"

namespace vrp {
namespace {

// Returns the key without its section.
std::string_view LeafOf(std::string_view path) { return path.substr(path.find('.') + 1); }

// Returns the edit distance of two keys. Ignores the sections if the name of `a` is long and near
// that of `b`.
size_t Difference(std::string_view a, std::string_view b) {
  constexpr size_t kMinNameLength = 6;  // minimum length of a long name, in characters
  const size_t path_distance = EditDistance(a, b);
  const std::string_view leaf = LeafOf(a);
  if (leaf.size() < kMinNameLength) return path_distance;
  const size_t name_distance = EditDistance(leaf, LeafOf(b));
  return name_distance <= leaf.size() / 5 ? std::min(path_distance, name_distance) : path_distance;
}

}  // namespace

std::string KeyHint(std::string_view path, const std::set<std::string>& known) {
  const std::string_view foreign = ForeignKeyHint(path);
  if (!foreign.empty()) return Concat("; ", foreign);
  const std::string_view leaf = LeafOf(path);
  std::vector<std::string> best;
  for (const std::string& key : known) {
    if (!leaf.empty() && LeafOf(key) == leaf) best.push_back(key);
  }
  size_t nearest = best.empty() ? std::max<size_t>(3, path.size() / 4) : 0;
  for (const std::string& key : known) {
    const size_t difference = Difference(path, key);
    if (difference >= nearest || key.back() == '.') continue;
    nearest = difference;
    best = {key};
  }
  if (best.empty()) return "";
  return Concat("; did you mean ", absl::StrJoin(best, " or "), "?");
}

}  // namespace vrp
