#include "core/habits/habit_guide.h"

#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/guided_instance.h"

namespace vrp {

HabitGuide::HabitGuide(const Instance& instance, LegProbabilities probabilities,
                       std::shared_ptr<const RouteHabits> routes, double weight)
    : instance_(instance),
      probabilities_(std::move(probabilities)),
      routes_(std::move(routes)),
      weight_(weight),
      leg_cost_(UsualLegCost(instance)),
      searched_(instance) {}

absl::StatusOr<std::shared_ptr<const HabitGuide>> HabitGuide::Create(
    const Instance& instance, const HabitModel& model, std::shared_ptr<const RouteHabits> routes,
    double weight) {
  if (!(weight >= 0 && weight <= kMaxHabitWeight)) {
    return absl::InvalidArgumentError(Concat("habit_weight: got ", FormatNumber(weight),
                                             ", wanted 0 to ", FormatNumber(kMaxHabitWeight)));
  }
  std::vector<int32_t> group_of;
  if (routes != nullptr) group_of = InterchangeableDrivers(instance, *routes);
  VRP_ASSIGN_OR_RETURN(LegProbabilities probabilities,
                       LegProbabilities::Create(instance, model, group_of));
  std::shared_ptr<HabitGuide> guide(
      new HabitGuide(instance, std::move(probabilities), std::move(routes), weight));
  if (weight > 0) {
    VRP_ASSIGN_OR_RETURN(guide->searched_,
                         GuideInstance(instance, guide->probabilities_, weight * guide->leg_cost_));
  }
  return guide;
}

UsualRoutes HabitGuide::Finish(const Plan& plan, const StopCondition& stop) const {
  if (routes_ == nullptr || weight_ == 0) return {.plan = plan};
  return WithUsualRoutes(instance_, *routes_, weight_ * leg_cost_, plan, stop);
}

PlanHabits HabitGuide::ScoreOf(const Plan& plan) const {
  PlanHabits score;
  for (const PlannedRoute& route : plan) {
    if (route.customers.empty()) continue;
    const VehicleType& type = VehicleOf(instance_, route);
    const VehicleType* const given = instance_.vehicles().empty() ? nullptr : &type;
    const int32_t driver = probabilities_.DriverOf(route.vehicle_type);
    NodeIndex from = type.depot;
    const auto drive = [&](NodeIndex to) {
      const bool counts = !(instance_.is_depot(from) && instance_.is_depot(to)) &&
                          LeavesPlace(instance_, given, from, to);
      if (counts) {
        score.log_probability += probabilities_.Log(driver, from, to);
        ++score.legs;
      }
      from = to;
    };
    for (const NodeIndex node : route.customers) drive(node);
    if (!type.open_end) drive(type.end());
  }
  score.cost = weight_ * leg_cost_ * -score.log_probability;
  return score;
}

}  // namespace vrp
