// Random integer instances and plans for the tests of local search.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/packed_plans.h"

namespace vrp::test {

struct ImproveCase {
  int32_t customers = 20;
  int32_t capacity = 30;  // demands are 1 .. 9
  int32_t spare = 3;      // number of allowed routes beyond the plan's; none for a TSP
  bool tsp = false;       // whether there is one route and no demands
  uint64_t seed = 1;
};

// Returns a plan with the customers in random order. Each route takes customers until one does not
// fit.
ImprovedPlan RandomPlan(const ImproveCase& options);

int64_t CostOf(const ImprovedPlan& plan);

// Whether each customer occurs once, no route exceeds the capacity, and the number of routes is
// allowed.
bool IsFeasible(const ImprovedPlan& plan);

// A plan with the scratch of the thread that improves it.
class ImproveFixture {
 public:
  explicit ImproveFixture(const ImprovedPlan& plan);

  const ImproveTask& task() const { return tasks_[0]; }
  const ImproveScratch& scratch() const { return scratch_; }
  // Copies the initial plan to the scratch's trial and current plans, and indexes its routes.
  void Reset();
  // Returns the current trial.
  ImprovedPlan Trial();

 private:
  ImprovedPlan plan_;
  PackedPlans packed_;
  std::vector<uint16_t> neighbours_;
  std::vector<ImproveTask> tasks_;
  std::vector<uint8_t> memory_;
  ImproveScratch scratch_;
};

}  // namespace vrp::test
