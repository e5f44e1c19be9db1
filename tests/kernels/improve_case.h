// Random instances and plans of whole numbers for the tests of improvement.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/packed_plans.h"

namespace vrp::test {

struct ImproveCase {
  int32_t customers = 20;
  int32_t capacity = 30;  // demands are 1 .. 9
  int32_t spare = 3;      // routes that there may be beyond the plan's
  bool tsp = false;       // one route, no demands
  uint64_t seed = 1;
};

// Customers in random order, cut into routes where they are full.
ImprovedPlan RandomPlan(const ImproveCase& options);

int64_t CostOf(const ImprovedPlan& plan);

// Each customer once, no route too full, no more of them than there may be.
bool IsSound(const ImprovedPlan& plan);

// A plan with the memory of the threads that improve it, which is one thread's here.
class ImproveDesk {
 public:
  explicit ImproveDesk(const ImprovedPlan& plan);

  const ImproveTask& task() const { return tasks_[0]; }
  const ImproveScratch& scratch() const { return scratch_; }
  // The plan begun with becomes the scratch's trial, surveyed.
  void Reset();
  // The trial as it is.
  ImprovedPlan Trial();

 private:
  ImprovedPlan plan_;
  PackedPlans packed_;
  std::vector<uint16_t> near_;
  std::vector<ImproveTask> tasks_;
  std::vector<uint8_t> memory_;
  ImproveScratch scratch_;
};

}  // namespace vrp::test
