#include "core/problem/formats/vroom/vroom_steps.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_paths.h"

namespace vrp {
namespace {

class StepResolver {
 public:
  StepResolver(const VroomNames& names, size_t vehicle, std::set<NodeIndex>& planned)
      : names_(names),
        vehicle_(names.file()->vehicles[vehicle]),
        path_(VroomVehiclePath(vehicle) + ".steps["),
        planned_(planned) {}

  absl::StatusOr<std::vector<VroomRouteStep>> Run() && {
    const std::vector<VroomStep>& steps = vehicle_.steps;
    if (steps.front().type != VroomStepType::kStart) Add({.type = VroomStepType::kStart});
    for (size_t s = 0; s < steps.size(); ++s) {
      const VroomStep& step = steps[s];
      if (step.type == VroomStepType::kStart && s > 0) {
        return Error(s, "type", "got start, wanted it only as the first step");
      }
      if (step.type == VroomStepType::kEnd && s + 1 < steps.size()) {
        return Error(s, "type", "got end, wanted it only as the last step");
      }
      Add(step);
      if (step.type == VroomStepType::kTask) VRP_RETURN_IF_ERROR(ResolveTask(s));
      if (step.type == VroomStepType::kBreak) VRP_RETURN_IF_ERROR(ResolveBreak(s));
    }
    if (steps.back().type != VroomStepType::kEnd) Add({.type = VroomStepType::kEnd});
    return std::move(resolved_);
  }

 private:
  void Add(const VroomStep& step) {
    resolved_.push_back({.type = step.type, .earliest = step.earliest, .latest = step.latest});
  }

  absl::Status ResolveTask(size_t s) {
    const VroomStep& step = vehicle_.steps[s];
    const std::optional<NodeIndex> node = names_.CustomerOf(step.task, *step.id);
    if (!node.has_value()) return Error(s, "id", "got ", *step.id, ", wanted the id of a task");
    if (!planned_.insert(*node).second) {
      return Error(s, "id", "got ", *step.id,
                   ", a task that is in the steps already; wanted each task once");
    }
    resolved_.back().node = *node;
    return absl::OkStatus();
  }

  absl::Status ResolveBreak(size_t s) {
    const std::optional<int64_t>& id = vehicle_.steps[s].id;
    if (!id.has_value()) return Error(s, "id", "absent, wanted the id of a break of the vehicle");
    const auto name = std::ranges::find(vehicle_.break_names, *id, &VroomBreakName::id);
    if (name == vehicle_.break_names.end()) {
      return Error(s, "id", "got ", *id, ", wanted the id of a break of the vehicle");
    }
    const auto index = static_cast<int32_t>(name - vehicle_.break_names.begin());
    if (std::ranges::find(resolved_, index, &VroomRouteStep::break_index) != resolved_.end()) {
      return Error(s, "id", "got ", *id,
                   ", a break that is in the steps already; wanted each break once");
    }
    resolved_.back().break_index = index;
    return absl::OkStatus();
  }

  template <typename... Parts>
  absl::Status Error(size_t s, std::string_view key, const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(path_, s, "].", key, ": ", parts...));
  }

  const VroomNames& names_;
  const VroomVehicle& vehicle_;
  const std::string path_;
  std::set<NodeIndex>& planned_;
  std::vector<VroomRouteStep> resolved_;
};

}  // namespace

absl::StatusOr<std::vector<VroomRouteStep>> ResolveVroomSteps(const VroomNames& names,
                                                              size_t vehicle,
                                                              std::set<NodeIndex>& planned) {
  return StepResolver(names, vehicle, planned).Run();
}

}  // namespace vrp
