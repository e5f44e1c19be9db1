// Interface of the classes that make the individuals of a population.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/stop.h"
#include "core/search/methods/population/individual.h"
#include "core/search/methods/population/population.h"
#include "core/search/model/fast_random.h"

namespace vrp {

// A population and its best individual. Not thread-safe; `problem` and `random` must outlive it.
class PopulationSearch {
 public:
  virtual ~PopulationSearch() = default;

  // Each makes one individual, improves it and adds it, unless `stop` comes first: from a plan that
  // leaves out nobody who is required and can be served; to begin a population with; in random
  // order; from two members of the population, which must not be empty.
  virtual void AddPlan(const Plan& plan, const StopCondition& stop) = 0;
  virtual void AddFounder(const StopCondition& stop) = 0;
  virtual void AddRandom(const StopCondition& stop) = 0;
  virtual void AddChild(const StopCondition& stop) = 0;
  // Returns whether there is a vehicle for each of the plan's routes.
  virtual bool FleetSuffices(const Plan& /*plan*/) const { return true; }

  // That so many individuals will be made in all.
  void Expect(double individuals) { population_.Expect(individuals); }
  int32_t size() const { return population_.size(); }
  bool has_best() const { return best_.has_value(); }
  // The best feasible individual since the start.
  const Individual& best() const { return *best_; }
  // Iterations of ruin and recreate, or as many as take the same time.
  int64_t iterations() const { return iterations_; }
  // Individuals since the best one was found.
  int64_t idle() const { return idle_; }
  // Starts over with an empty population; best() stays.
  void Restart() {
    population_.Clear();
    idle_ = 0;
  }

 protected:
  PopulationSearch(const Problem& problem, FastRandom& random)
      : problem_(problem), random_(random), population_(problem.depots()) {}

  // Two members, different ones unless the draws fail.
  std::pair<const Individual&, const Individual&> DrawParents();
  void Keep(Individual individual, const Penalties& penalties);
  void KeepBest(const Individual& individual);
  // Returns whether a feasible individual is so when it is asked again, visit by visit.
  virtual bool Confirms(const Individual& /*individual*/) { return true; }

  const Problem& problem_;
  FastRandom& random_;
  Population population_;
  int64_t iterations_ = 0;

 private:
  std::optional<Individual> best_;
  int64_t idle_ = 0;
};

}  // namespace vrp
