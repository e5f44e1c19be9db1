// Plans to improve, as a few flat arrays. Each array takes one copy to the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

// A batch of plans and their instances, packed.
class PackedPlans {
 public:
  explicit PackedPlans(std::span<const ImprovedPlan> from);

  int32_t size() const { return static_cast<int32_t>(entries_.size()); }
  int32_t nodes() const { return nodes_; }    // of the largest instance
  int32_t routes() const { return routes_; }  // maximum of all instances
  int64_t plan_bytes() const { return PlanBytes(nodes_, routes_); }
  const std::vector<int32_t>& distances() const { return distances_; }
  const std::vector<int32_t>& demands() const { return demands_; }
  int64_t neighbour_count() const { return neighbour_count_; }
  std::vector<uint8_t>& plans() { return plans_; }  // [B, plan_bytes()]

  // Returns the tasks with pointers into the given arrays: this object's or copies of them.
  std::vector<ImproveTask> TasksAt(const int32_t* distances, const int32_t* demands,
                                   uint16_t* neighbours) const;
  // Writes `plans` [B, plan_bytes()] back to `to`, the plans given to the constructor.
  void Unpack(std::span<uint8_t> plans, std::span<ImprovedPlan> to) const;

 private:
  // An instance, and the offsets of its arrays in elements.
  struct Entry {
    ImproveTask task;  // without pointers
    int64_t distances = 0;
    int64_t demands = 0;
    int64_t neighbours = 0;
  };
  void Write(const ImprovedPlan& from, const ImproveTask& task, uint8_t* to) const;

  std::vector<Entry> entries_;
  int32_t nodes_ = 2;
  int32_t routes_ = 1;
  int64_t neighbour_count_ = 0;
  std::vector<int32_t> distances_;
  std::vector<int32_t> demands_;
  std::vector<uint8_t> plans_;
};

// Returns the maximum device memory in bytes that a plan takes in a batch of plans of its size.
int64_t ImprovedPlanBytes(const ImprovedPlan& plan);

// Returns the table of the annealing's temperatures and logarithms.
AnnealingTable MakeAnnealingTable();

}  // namespace vrp
