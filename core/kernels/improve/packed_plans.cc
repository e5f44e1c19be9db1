#include "core/kernels/improve/packed_plans.h"

#include <algorithm>
#include <cmath>

namespace vrp {
namespace {

// First and last temperature, in mean legs of the initial plan of annealing.
constexpr double kFirstTemperature = 1;
constexpr double kLastTemperature = 0.06;

ImproveTask SizesOf(const ImprovedPlan& plan) {
  return {.nodes = plan.nodes, .routes = plan.routes, .capacity = plan.capacity};
}

}  // namespace

PackedPlans::PackedPlans(std::span<const ImprovedPlan> from) {
  for (const ImprovedPlan& plan : from) {
    const ImproveTask task = SizesOf(plan);
    entries_.push_back({.task = task,
                        .distances = std::ssize(distances_),
                        .demands = std::ssize(demands_),
                        .neighbours = neighbour_count_});
    distances_.insert(distances_.end(), plan.distances.begin(), plan.distances.end());
    demands_.insert(demands_.end(), plan.demands.begin(), plan.demands.end());
    neighbour_count_ += int64_t{task.nodes} * task.list_length();
    nodes_ = std::max(nodes_, task.nodes);
    routes_ = std::max(routes_, task.routes);
  }
  plans_.resize(from.size() * static_cast<size_t>(plan_bytes()));
  for (size_t i = 0; i < from.size(); ++i) {
    ImproveTask task = entries_[i].task;
    task.distances = from[i].distances.data();
    task.demands = from[i].demands.data();
    Write(from[i], task, plans_.data() + static_cast<int64_t>(i) * plan_bytes());
  }
}

void PackedPlans::Write(const ImprovedPlan& from, const ImproveTask& task, uint8_t* to) const {
  const LinkedPlan plan = PlanAt(task.nodes, task.routes, to);
  *plan.header = {};
  for (int32_t r = 0; r < task.routes; ++r) {
    const int32_t depot = task.nodes + r;
    Link(task, plan, depot, depot);
    plan.route[depot] = static_cast<uint16_t>(r);
    if (r >= std::ssize(from.plan)) continue;
    int32_t last = depot;
    for (const int32_t customer : from.plan[static_cast<size_t>(r)]) {
      Insert(task, plan, last, customer);
      last = customer;
    }
  }
  for (int32_t point = 1; point < task.points(); ++point) plan.header->cost += plan.legs[point];
}

std::vector<ImproveTask> PackedPlans::TasksAt(const int32_t* distances, const int32_t* demands,
                                              uint16_t* neighbours) const {
  std::vector<ImproveTask> tasks;
  for (const Entry& entry : entries_) {
    ImproveTask& task = tasks.emplace_back(entry.task);
    task.distances = distances + entry.distances;
    task.demands = demands + entry.demands;
    task.neighbours = neighbours + entry.neighbours;
  }
  return tasks;
}

void PackedPlans::Unpack(std::span<uint8_t> plans, std::span<ImprovedPlan> to) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const ImproveTask& task = entries_[i].task;
    const LinkedPlan plan =
        PlanAt(task.nodes, task.routes, plans.data() + static_cast<int64_t>(i) * plan_bytes());
    to[i].plan.clear();
    for (int32_t depot = task.nodes; depot < task.points(); ++depot) {
      if (plan.next[depot] == depot) continue;
      std::vector<int32_t>& route = to[i].plan.emplace_back();
      for (int32_t at = plan.next[depot]; at != depot; at = plan.next[at]) route.push_back(at);
    }
  }
}

int64_t ImprovedPlanBytes(const ImprovedPlan& plan) {
  const ImproveTask task = SizesOf(plan);
  const int64_t row = 4 * int64_t{task.nodes} + 4 + 2 * int64_t{task.list_length()};
  return row * task.nodes + 2 * PlanBytes(task.nodes, task.routes) +
         ImproveScratchBytes(task.nodes, task.routes) + static_cast<int64_t>(sizeof(ImproveTask));
}

AnnealingTable MakeAnnealingTable() {
  AnnealingTable table;
  for (int32_t i = 0; i < kCoolingSteps; ++i) {
    const double share = static_cast<double>(i) / (kCoolingSteps - 1);
    table.temperatures[i] = static_cast<int32_t>(std::lround(
        65536 * kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, share)));
  }
  for (int32_t i = 0; i < kLogSteps; ++i) {
    table.logs[i] = static_cast<int32_t>(std::lround(-4096 * std::log((i + 0.5) / kLogSteps)));
  }
  return table;
}

}  // namespace vrp
