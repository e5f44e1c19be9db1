#include "core/search/model/skills.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace vrp {
namespace {

// Sets of skills are compared as long as that takes a millisecond.
constexpr int64_t kMostCompared = 1'000'000;

using SkillSet = std::vector<std::string>;

// Returns the number of `set` in `numbers`, the next one if it is new.
int32_t NumberOf(SkillSet set, std::map<SkillSet, int32_t>& numbers) {
  std::sort(set.begin(), set.end());
  return numbers.emplace(std::move(set), static_cast<int32_t>(numbers.size())).first->second;
}

}  // namespace

Skills::Skills(const Instance& instance, std::span<const VehicleType* const> types,
               std::vector<Vehicle>& vehicles)
    : required_(instance.num_nodes(), 0), allowed_(1, 1) {
  const std::vector<SkillSet>& of_nodes = instance.data().required_skills;
  if (of_nodes.empty()) return;
  std::map<SkillSet, int32_t> required = {{{}, 0}};
  std::map<SkillSet, int32_t> owned;
  for (size_t node = 0; node < of_nodes.size(); ++node) {
    if (!of_nodes[node].empty()) required_[node] = NumberOf(of_nodes[node], required);
  }
  for (size_t t = 0; t < types.size(); ++t) {
    vehicles[t].skills = NumberOf(types[t]->skills, owned);
  }
  required_sets_ = std::ssize(required);
  owned_sets_ = std::ssize(owned);
  allowed_.assign(required_sets_ * owned_sets_, 0);
  for (const auto& [need, row] : required) {
    for (const auto& [skills, column] : owned) {
      allowed_[row * owned_sets_ + column] =
          std::includes(skills.begin(), skills.end(), need.begin(), need.end());
    }
  }
  CompareRequired();
}

void Skills::CompareRequired() {
  const int64_t pairs = required_sets_ * required_sets_;
  if (pairs * owned_sets_ > kMostCompared) return;
  together_.assign(pairs, 0);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const char* const one = &allowed_[pair / required_sets_ * owned_sets_];
    const char* const other = &allowed_[pair % required_sets_ * owned_sets_];
    for (int64_t column = 0; column < owned_sets_; ++column) {
      together_[pair] |= one[column] & other[column];
    }
  }
  const bool all = std::find(together_.begin(), together_.end(), 0) == together_.end();
  if (all) together_.clear();
}

}  // namespace vrp
