#include "core/search/methods/population/population.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace vrp {
namespace {

// How many are sure to survive by cost alone.
constexpr int32_t kElite = 4;
// By how much the costs of copies may differ, from sums in another order.
constexpr double kRounding = 1e-9;
// Up to how many individuals are few, and from where on they are enough for the article's sizes.
constexpr double kFew = 150;
constexpr double kMany = 600;

}  // namespace

void Population::Expect(double individuals) {
  const double share = std::clamp((individuals - kFew) / (kMany - kFew), 0.0, 1.0);
  smallest_ = kLeast + static_cast<int32_t>(share * (kSmallest - kLeast));
  generation_ = kLeast + static_cast<int32_t>(share * (kGeneration - kLeast));
}

void Population::Add(Individual individual, const Penalties& penalties) {
  Subpopulation& group = individual.feasible ? feasible_ : infeasible_;
  auto member = std::make_unique<Member>();
  member->cost = individual.Cost(penalties);
  member->individual = std::move(individual);
  if (HasCopy(group, *member)) return;
  const auto place = std::upper_bound(
      group.members.begin(), group.members.end(), member->cost,
      [](double cost, const std::unique_ptr<Member>& other) { return cost < other->cost; });
  const auto at = place - group.members.begin();
  int64_t index = 0;
  for (const std::unique_ptr<Member>& other : group.members) {
    const auto distance =
        static_cast<float>(BrokenPairs(member->individual, other->individual, depots_));
    other->distances.Insert(at, distance);
    member->distances.Insert(index++, distance);
  }
  member->distances.Insert(at, MemberDistances::kFar);
  group.members.insert(place, std::move(member));
  group.ranked = false;
  if (std::ssize(group.members) <= smallest_ + generation_) return;
  while (std::ssize(group.members) > smallest_) DropWorst(group);
}

void Population::UpdatePenalties(const Penalties& penalties) {
  for (const std::unique_ptr<Member>& member : infeasible_.members) {
    member->cost = member->individual.Cost(penalties);
  }
  Sort(infeasible_);
}

void Population::Sort(Subpopulation& group) {
  std::vector<int32_t> order(group.members.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return group.members[a]->cost < group.members[b]->cost;
  });
  std::vector<std::unique_ptr<Member>> sorted;
  for (const int32_t index : order) {
    group.members[index]->distances.Reorder(order);
    sorted.push_back(std::move(group.members[index]));
  }
  group.members = std::move(sorted);
  group.ranked = false;
}

bool Population::HasCopy(const Subpopulation& group, const Member& member) const {
  return std::any_of(group.members.begin(), group.members.end(), [&](const auto& other) {
    return std::abs(other->cost - member.cost) <= kRounding * member.cost &&
           BrokenPairs(other->individual, member.individual, depots_) == 0;
  });
}

void Population::Rank(Subpopulation& group) {
  if (group.ranked) return;
  group.ranked = true;
  const auto size = static_cast<int32_t>(group.members.size());
  std::vector<std::pair<double, int32_t>> by_diversity;
  for (int32_t i = 0; i < size; ++i)
    by_diversity.emplace_back(-group.members[i]->distances.Diversity(), i);
  std::sort(by_diversity.begin(), by_diversity.end());
  const double last = std::max(1, size - 1);
  const double weight = size <= kElite ? 0 : 1 - static_cast<double>(kElite) / size;
  for (int32_t place = 0; place < size; ++place) {
    const int32_t i = by_diversity[place].second;
    group.members[i]->rank = i / last + weight * place / last;
  }
}

void Population::DropWorst(Subpopulation& group) {
  Rank(group);
  size_t worst = 0;
  for (size_t i = 1; i < group.members.size(); ++i) {
    if (group.members[i]->rank > group.members[worst]->rank) worst = i;
  }
  const auto at = static_cast<int64_t>(worst);
  group.members.erase(group.members.begin() + at);
  for (const std::unique_ptr<Member>& member : group.members) member->distances.Erase(at);
  group.ranked = false;
}

const Individual& Population::Tournament(FastRandom& random) {
  Rank(feasible_);
  Rank(infeasible_);
  const auto num_feasible = static_cast<int32_t>(feasible_.members.size());
  const auto draw = [&]() -> const Member& {
    const int32_t index = random.Below(size());
    return index < num_feasible ? *feasible_.members[index]
                                : *infeasible_.members[index - num_feasible];
  };
  const Member& first = draw();
  const Member& second = draw();
  return (second.rank < first.rank ? second : first).individual;
}

void Population::Clear() {
  feasible_.members.clear();
  infeasible_.members.clear();
}

}  // namespace vrp
