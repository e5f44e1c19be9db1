// Guides a search by habits, and says how usual a plan is.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/habits/habit_model.h"
#include "core/habits/leg_probabilities.h"
#include "core/habits/route_habits.h"
#include "core/habits/usual_routes.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

inline constexpr double kDefaultHabitWeight = 0.1;
inline constexpr double kMaxHabitWeight = 10;

// How usual the legs of a plan are.
struct PlanHabits {
  double log_probability = 0;  // sum of the natural logarithms over `legs`
  int64_t legs = 0;            // legs that leave their place, except those between two depots
  Cost cost = 0;               // what the search added to the plan's cost
  int32_t moved = 0;           // routes that Finish gave to another driver
  int32_t turned = 0;          // routes that Finish turned
};

// The habits of one instance. Immutable; thread-safe.
class HabitGuide {
 public:
  // `routes` may be null: only legs are known. Returns kInvalidArgument for a weight outside 0 to
  // kMaxHabitWeight, and the errors of LegProbabilities::Create and GuideInstance. Takes about
  // 0.25 s for one driver and the largest instances.
  static absl::StatusOr<std::shared_ptr<const HabitGuide>> Create(
      const Instance& instance, const HabitModel& model, std::shared_ptr<const RouteHabits> routes,
      double weight);

  // Returns the instance to search instead of the given one (GuideInstance). Its plans are those of
  // the given instance. With weight 0, both are the same.
  const Instance& searched() const { return searched_; }
  double weight() const { return weight_; }
  // Returns the cost of a leg per unit of weight and of minus the logarithm of its probability:
  // UsualLegCost of the instance.
  double leg_cost() const { return leg_cost_; }
  // Gives the routes of the best plan found to the drivers who know their areas, and turns them the
  // usual way (WithUsualRoutes), for at most the weight times leg_cost() and the log odds of the
  // direction. With weight 0 the plan stays.
  UsualRoutes Finish(const Plan& plan, const StopCondition& stop) const;
  // Returns the score of a plan, whose node numbers and vehicle types must be in range.
  PlanHabits ScoreOf(const Plan& plan) const;

 private:
  HabitGuide(const Instance& instance, LegProbabilities probabilities,
             std::shared_ptr<const RouteHabits> routes, double weight);

  const Instance instance_;  // the given one; shares its data
  const LegProbabilities probabilities_;
  const std::shared_ptr<const RouteHabits> routes_;  // may be null
  const double weight_;
  const double leg_cost_;
  Instance searched_;
};

}  // namespace vrp
