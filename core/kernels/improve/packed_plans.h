// Plans to improve as a few flat arrays, so that a device gets them in as many copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/improve/batch_improver.h"
#include "core/kernels/improve/improve_program.h"

namespace vrp {

class PackedPlans {
 public:
  explicit PackedPlans(std::span<const ImprovedPlan> from);

  int32_t size() const { return static_cast<int32_t>(places_.size()); }
  int32_t nodes() const { return nodes_; }    // the most
  int32_t routes() const { return routes_; }  // likewise
  int64_t plan_bytes() const { return PlanBytes(nodes_, routes_); }
  const std::vector<int32_t>& distances() const { return distances_; }
  const std::vector<int32_t>& demands() const { return demands_; }
  int64_t near_count() const { return near_count_; }
  std::vector<uint8_t>& plans() { return plans_; }  // [B, plan_bytes()]

  // Where the arrays lie: this object's or copies of them.
  std::vector<ImproveTask> TasksAt(const int32_t* distances, const int32_t* demands,
                                   uint16_t* near) const;
  // `plans` [B, plan_bytes()]; `to`: those that this was made of.
  void Unpack(std::span<uint8_t> plans, std::span<ImprovedPlan> to) const;

 private:
  struct Place {
    ImproveTask task;  // without pointers
    int64_t distances = 0;
    int64_t demands = 0;
    int64_t near = 0;
  };
  void Write(const ImprovedPlan& from, const ImproveTask& task, uint8_t* to) const;

  std::vector<Place> places_;
  int32_t nodes_ = 2;
  int32_t routes_ = 1;
  int64_t near_count_ = 0;
  std::vector<int32_t> distances_;
  std::vector<int32_t> demands_;
  std::vector<uint8_t> plans_;
};

// What a plan takes of a device's memory at most, beside plans of its size.
int64_t ImprovedPlanBytes(const ImprovedPlan& plan);

AnnealingTable MakeAnnealingTable();

}  // namespace vrp
