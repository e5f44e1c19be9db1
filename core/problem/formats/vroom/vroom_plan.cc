#include "core/problem/formats/vroom/vroom_plan.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_paths.h"
#include "core/problem/formats/vroom/vroom_route.h"
#include "core/problem/formats/vroom/vroom_steps.h"
#include "core/problem/formats/vroom/vroom_times.h"
#include "core/problem/plan/plan_value.h"

namespace vrp {
namespace {

absl::Status StepsError(size_t vehicle, std::string_view description) {
  return absl::InvalidArgumentError(Concat(VroomVehiclePath(vehicle), ".steps: ", description));
}

// Whether a violation depends on the times of a route, which CheckPlan chooses in its own way.
bool DependsOnTimes(ViolationKind kind) {
  return kind == ViolationKind::kTimeWindow || kind == ViolationKind::kShift ||
         kind == ViolationKind::kBreak;
}

class PlanEvaluator {
 public:
  PlanEvaluator(const Instance& instance, const VroomNames& names)
      : instance_(instance), names_(names) {}

  absl::StatusOr<VroomPlan> Run() && {
    const std::vector<VroomVehicle>& vehicles = names_.file()->vehicles;
    for (size_t v = 0; v < vehicles.size(); ++v) {
      if (!vehicles[v].steps.empty()) VRP_RETURN_IF_ERROR(AddRoute(v));
    }
    if (plan_.routes.empty()) {
      return absl::InvalidArgumentError(
          "vehicles: no vehicle has steps; wanted steps of at least one, or a plan beside the "
          "file");
    }
    const Plan plan = PlanOf(instance_, plan_.solution);
    for (const NodeIndex node : FindUnserved(instance_, plan).customers) {
      plan_.solution.unserved.push_back({.customer = node});
    }
    for (Violation& violation : CheckPlan(instance_, plan).violations) {
      if (!DependsOnTimes(violation.kind)) plan_.violations.push_back(std::move(violation));
    }
    return std::move(plan_);
  }

 private:
  absl::Status AddRoute(size_t v) {
    const auto place = names_.PlaceOf(v);
    if (!place.has_value()) {
      return StepsError(v,
                        "given, but max_tasks is 0; wanted no steps, or max_tasks of at least 1");
    }
    VroomCustomRoute custom = {
        .vehicle = &names_.file()->vehicles[v], .type = place->first, .number = place->second};
    VRP_ASSIGN_OR_RETURN(custom.steps, ResolveVroomSteps(names_, v, planned_));
    const VroomTimes times = ChooseVroomTimes(TimedVroomSteps(instance_, custom));
    if (times.error == VroomTimesError::kInfeasible) {
      return StepsError(v,
                        "no times keep service_at, service_after and service_before; wanted times "
                        "that leave enough for travel and service between the steps");
    }
    if (times.error == VroomTimesError::kTooManySteps) {
      return StepsError(v, "has too many steps and time windows to choose the times; split it");
    }
    Add(EvaluateVroomRoute(instance_, names_, custom, times.starts));
    return absl::OkStatus();
  }

  void Add(VroomRouteResult result) {
    Solution& solution = plan_.solution;
    for (Violation& violation : result.violations) {
      violation.route = static_cast<int32_t>(solution.routes.size());
      violation.message = Concat("routes[", violation.route, "]: ", violation.message);
      plan_.violations.push_back(std::move(violation));
    }
    solution.distance += result.route.distance;
    solution.duration += result.route.duration;
    solution.cost += result.split.total();
    solution.split.distance += result.split.distance;
    solution.split.duration += result.split.duration;
    solution.split.fixed += result.split.fixed;
    solution.routes.push_back(std::move(result.route));
    plan_.routes.push_back(std::move(result.plan));
  }

  const Instance& instance_;
  const VroomNames& names_;
  std::set<NodeIndex> planned_;
  VroomPlan plan_;
};

}  // namespace

absl::StatusOr<VroomPlan> EvaluateVroomPlan(const Instance& instance, const VroomNames& names) {
  if (names.file() == nullptr) {
    return absl::InvalidArgumentError("vehicles: the file is not VROOM's; wanted a plan beside it");
  }
  return PlanEvaluator(instance, names).Run();
}

}  // namespace vrp
