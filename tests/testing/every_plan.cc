#include "tests/testing/every_plan.h"

#include <cstddef>
#include <limits>

#include "core/problem/checker/checker.h"

namespace vrp::test {
namespace {

class PlanGenerator {
 public:
  PlanGenerator(const Instance& instance, bool drops_customers,
                absl::FunctionRef<void(const Plan&)> visit)
      : instance_(instance), drops_customers_(drops_customers), visit_(visit) {}

  void Place(NodeIndex customer) {
    if (customer == instance_.num_nodes()) return visit_(plan_);
    if (drops_customers_) Place(customer + 1);
    for (size_t r = 0; r < plan_.size(); ++r) {
      for (size_t at = 0; at <= plan_[r].customers.size(); ++at) {
        const auto offset = static_cast<std::ptrdiff_t>(at);
        plan_[r].customers.insert(plan_[r].customers.begin() + offset, customer);
        Place(customer + 1);
        plan_[r].customers.erase(plan_[r].customers.begin() + offset);
      }
    }
    for (int32_t type = 0; type < std::ssize(instance_.vehicles()); ++type) {
      plan_.push_back({.vehicle_type = type, .customers = {customer}});
      Place(customer + 1);
      plan_.pop_back();
    }
  }

 private:
  const Instance& instance_;
  const bool drops_customers_;
  absl::FunctionRef<void(const Plan&)> visit_;
  Plan plan_;
};

}  // namespace

void ForEachPlan(const Instance& instance, bool drops_customers,
                 absl::FunctionRef<void(const Plan&)> visit) {
  PlanGenerator(instance, drops_customers, visit).Place(instance.num_depots());
}

EnumerationResult BestOfEveryPlan(const Instance& instance) {
  EnumerationResult best;
  best.value.left_out = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Plan& plan) {
    const CheckReport report = CheckPlan(instance, plan);
    if (!RoutesAreFeasible(report) || report.left_out > best.value.left_out) return;
    const PlanValue value = ValueOf(instance, plan);
    if (value < best.value) best = {value, plan};
  };
  ForEachPlan(instance, true, consider);
  return best;
}

}  // namespace vrp::test
