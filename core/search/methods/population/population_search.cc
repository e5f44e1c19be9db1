#include "core/search/methods/population/population_search.h"

namespace vrp {
namespace {

// Attempts to draw two different parents.
constexpr int kTries = 10;

}  // namespace

std::pair<const Individual&, const Individual&> PopulationSearch::DrawParents() {
  const Individual& a = population_.Tournament(random_);
  const Individual* b = &population_.Tournament(random_);
  for (int tries = 0; b == &a && tries < kTries; ++tries) b = &population_.Tournament(random_);
  return {a, *b};
}

void PopulationSearch::Keep(Individual individual, const Penalties& penalties) {
  ++idle_;
  if (individual.feasible) KeepBest(individual);
  population_.Add(std::move(individual), penalties);
}

void PopulationSearch::KeepBest(const Individual& individual) {
  if (best_.has_value() && individual.cost >= best_->cost - problem_.epsilon()) return;
  if (!Confirms(individual)) return;
  best_ = individual;
  idle_ = 0;
}

}  // namespace vrp
