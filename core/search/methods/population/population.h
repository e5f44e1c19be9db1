// The individuals that crossover draws from.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/search/methods/population/individual.h"
#include "core/search/methods/population/member_distances.h"
#include "core/search/model/fast_random.h"

namespace vrp {

// Feasible and infeasible individuals apart, each ranked by cost and by how much it adds to the
// diversity (Vidal et al. 2012, "A hybrid genetic algorithm for multidepot and periodic vehicle
// routing problems"). When one has smallest() + generation() members, the worst are dropped until
// smallest() are left. Not thread-safe.
class Population {
 public:
  // `depots`: the nodes of individuals that are no customers.
  explicit Population(NodeIndex depots = 1) : depots_(depots) {}

  // The article's, and what a short search makes do with.
  static constexpr int32_t kSmallest = 25;
  static constexpr int32_t kGeneration = 40;
  static constexpr int32_t kLeast = 8;
  int32_t smallest() const { return smallest_; }
  int32_t generation() const { return generation_; }
  // That so many individuals will be added in all: few are to breed from the best few.
  void Expect(double individuals);

  // A copy of a member is not added.
  void Add(Individual individual, const Penalties& penalties);
  // Infeasible individuals cost otherwise from now on.
  void UpdatePenalties(const Penalties& penalties);
  // The better of two drawn by lot. There must be a member.
  const Individual& Tournament(FastRandom& random);
  void Clear();
  int32_t size() const {
    return static_cast<int32_t>(feasible_.members.size() + infeasible_.members.size());
  }

 private:
  struct Member {
    Individual individual;
    double cost = 0;
    double rank = 0;            // biased fitness: less is better
    MemberDistances distances;  // in the order of the subpopulation
  };
  struct Subpopulation {
    std::vector<std::unique_ptr<Member>> members;  // by cost
    bool ranked = true;
  };

  static void Rank(Subpopulation& group);
  bool HasCopy(const Subpopulation& group, const Member& member) const;
  static void DropWorst(Subpopulation& group);
  static void Sort(Subpopulation& group);

  NodeIndex depots_;
  Subpopulation feasible_, infeasible_;
  int32_t smallest_ = kSmallest;
  int32_t generation_ = kGeneration;
};

}  // namespace vrp
