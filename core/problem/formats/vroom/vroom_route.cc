#include "core/problem/formats/vroom/vroom_route.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

std::vector<TimeWindow> WindowsOf(const Instance& instance, NodeIndex customer) {
  std::vector<TimeWindow> windows = {instance.window(customer)};
  const auto& further = instance.data().further_windows;
  if (further.empty()) return windows;
  const std::vector<TimeWindow>& more = further[static_cast<size_t>(customer)];
  windows.insert(windows.end(), more.begin(), more.end());
  return windows;
}

std::vector<TimeWindow> WindowsOf(const Break& pause) {
  std::vector<TimeWindow> windows = {pause.window};
  windows.insert(windows.end(), pause.further_windows.begin(), pause.further_windows.end());
  return windows;
}

// Whether `value` exceeds the limit of a vehicle, apart from rounding.
bool Exceeds(double value, double limit) { return value > limit + 1e-6 * std::max(1.0, limit); }

class RouteEvaluator {
 public:
  RouteEvaluator(const Instance& instance, const VroomNames& names, const VroomCustomRoute& custom,
                 const std::vector<double>& starts)
      : instance_(instance),
        names_(names),
        custom_(custom),
        type_(instance.vehicles()[custom.type]),
        timed_(TimedVroomSteps(instance, custom)),
        starts_(starts),
        load_(static_cast<size_t>(instance.load_dimensions()), 0),
        time_(starts.front()),
        at_(type_.depot) {
    result_.route.vehicle_type = custom.type;
    result_.route.load = load_;
    result_.plan.number = custom.number;
  }

  VroomRouteResult Run() && {
    LoadDeliveries();
    for (step_ = 0; step_ < custom_.steps.size(); ++step_) {
      here_ = {};
      const VroomRouteStep& step = custom_.steps[step_];
      if (step.type == VroomStepType::kStart) AddStop(type_.depot);
      if (step.type == VroomStepType::kTask) AddTask(step.node);
      if (step.type == VroomStepType::kBreak) AddBreak(step.break_index);
      if (step.type == VroomStepType::kEnd) AddEnd();
      CheckLimits();
      result_.plan.steps.push_back(std::move(here_));
    }
    ReportUnmatchedPickups();
    ReportMissingBreaks();
    SetCost();
    return std::move(result_);
  }

 private:
  const VroomVehicle& vehicle() const { return *custom_.vehicle; }
  double start() const { return starts_[step_]; }

  // Loads what jobs deliver, before the start.
  void LoadDeliveries() {
    for (const VroomRouteStep& step : custom_.steps) {
      if (step.type != VroomStepType::kTask) continue;
      ChangeLoad(names_.TaskOf(step.node).delivery, 1);
      for (size_t k = 0; k < load_.size(); ++k) {
        result_.route.load[k] += instance_.demand(step.node, static_cast<int32_t>(k));
      }
    }
  }

  void ChangeLoad(const std::vector<double>& amounts, double sign) {
    for (size_t k = 0; k < amounts.size(); ++k) load_[k] += sign * amounts[k];
  }

  // Drives to the next stop and returns the arrival.
  double Drive(NodeIndex node) {
    const double left = timed_[step_].travel - driven_;
    travel_ += left;
    metres_ += names_.Metres(custom_.type, at_, node).value_or(0) - driven_metres_;
    driven_ = driven_metres_ = 0;
    at_ = node;
    return std::min(time_ + left, start());
  }

  // Drives on until the next break starts, at most to the next stop, and returns the arrival.
  double DriveUntilBreak() {
    size_t next = step_;
    while (custom_.steps[next].type == VroomStepType::kBreak) ++next;
    const double all = timed_[next].travel;
    const double part = std::clamp(start() - time_, 0.0, all - driven_);
    const bool to_task = custom_.steps[next].type == VroomStepType::kTask;
    const NodeIndex to = to_task ? custom_.steps[next].node : type_.open_end ? at_ : type_.end();
    const double metres = names_.Metres(custom_.type, at_, to).value_or(0);
    const double part_metres = all > 0 ? metres * part / all : 0;
    travel_ += part;
    driven_ += part;
    metres_ += part_metres;
    driven_metres_ += part_metres;
    return time_ + part;
  }

  void AddStop(NodeIndex node) {
    const double arrival = step_ == 0 ? start() : Drive(node);
    time_ = start() + timed_[step_].work;
    result_.route.stops.push_back(
        {.node = node, .arrival = arrival, .start = start(), .departure = time_, .load = load_});
    if (step_ == 0) ReportShift(TimeOutsideWindows(timed_[step_].windows, start()));
  }

  void AddTask(NodeIndex node) {
    const VroomTask& task = names_.TaskOf(node);
    ChangeLoad(task.delivery, -1);
    ChangeLoad(task.pickup, 1);
    ChangeLoad(task.amount, task.type == VroomTaskType::kPickup ? 1 : -1);
    AddStop(node);
    const double late = TimeOutsideWindows(timed_[step_].windows, start());
    if (AddTime(late)) {
      Report({.kind = ViolationKind::kTimeWindow, .node = node}, late, "serves customer ",
             instance_.id(node));
    }
    const auto has_skill = [&](const std::string& skill) {
      return std::ranges::find(vehicle().skills, skill) != vehicle().skills.end();
    };
    if (!std::ranges::all_of(task.required_skills, has_skill)) here_.Add(VroomCause::kSkills);
    if (++tasks_ > vehicle().max_tasks) here_.Add(VroomCause::kMaxTasks);
    CheckPrecedence(node, task.type);
  }

  // The delivery of a shipment is the node after its pickup.
  void CheckPrecedence(NodeIndex node, VroomTaskType type) {
    if (type == VroomTaskType::kPickup && early_deliveries_.contains(node + 1)) {
      here_.Add(VroomCause::kPrecedence);
    } else if (type == VroomTaskType::kPickup) {
      pickup_steps_.emplace(node + 1, step_);
    } else if (type == VroomTaskType::kDelivery && pickup_steps_.erase(node) == 0) {
      here_.Add(VroomCause::kPrecedence);
      early_deliveries_.insert(node);
    }
  }

  void AddBreak(int32_t index) {
    const Break& pause = type_.breaks[index];
    const double arrival = DriveUntilBreak();
    time_ = std::max(start(), arrival) + pause.duration;
    result_.route.breaks.push_back({.index = index,
                                    .after = static_cast<int32_t>(result_.route.stops.size()) - 1,
                                    .start = time_ - pause.duration,
                                    .end = time_});
    taken_.insert(index);
    const double late = TimeOutsideWindows(timed_[step_].windows, start());
    if (AddTime(late)) {
      Report({.kind = ViolationKind::kBreak}, late, "takes break ", BreakId(index));
    }
    bool fits = true;
    for (size_t k = 0; k < pause.max_load.size(); ++k) {
      fits = fits && load_[k] <= CapacityWithRounding(pause.max_load[k]);
    }
    if (fits) return;
    here_.Add(VroomCause::kMaxLoad);
    AddViolation({.kind = ViolationKind::kBreak, .amount = 1},
                 Concat("takes break ", BreakId(index), " with a load above its max_load"));
  }

  void AddEnd() {
    if (type_.open_end) {
      time_ = std::max(time_, start());
    } else {
      AddStop(type_.end());
    }
    result_.route.duration = time_ - starts_.front();
    ReportShift(TimeOutsideWindows(timed_[step_].windows, start()));
  }

  // Adds a lead time or a delay of the step. Returns whether there is one in whole seconds.
  bool AddTime(double late) {
    const int64_t seconds = std::llround(late);
    if (seconds < 0) here_.Add(VroomCause::kLeadTime, -seconds);
    if (seconds > 0) here_.Add(VroomCause::kDelay, seconds);
    return seconds != 0;
  }

  void ReportShift(double late) {
    if (!AddTime(late)) return;
    Report({.kind = ViolationKind::kShift}, late, late < 0 ? "leaves" : "ends", "");
  }

  void Report(Violation violation, double late, std::string_view action, const std::string& name) {
    violation.amount = std::abs(late);
    AddViolation(
        std::move(violation),
        Concat(action, name, " at ", FormatNumber(start()), ", ", FormatNumber(std::abs(late)),
               late < 0 ? " before " : " after ",
               step_ == 0 || step_ + 1 == custom_.steps.size() ? "its shift" : "its window"));
  }

  void AddViolation(Violation violation, std::string message) {
    violation.message = std::move(message);
    result_.violations.push_back(std::move(violation));
  }

  // Adds the causes that depend on the route so far.
  void CheckLimits() {
    for (size_t k = 0; k < vehicle().capacity.size(); ++k) {
      if (load_[k] > CapacityWithRounding(vehicle().capacity[k])) here_.Add(VroomCause::kLoad);
    }
    if (Exceeds(travel_, vehicle().max_travel_time)) here_.Add(VroomCause::kMaxTravelTime);
    if (Exceeds(metres_, vehicle().max_distance)) here_.Add(VroomCause::kMaxDistance);
  }

  void ReportUnmatchedPickups() {
    for (const auto& [delivery, step] : pickup_steps_) {
      result_.plan.steps[step].Add(VroomCause::kPrecedence);
    }
  }

  void ReportMissingBreaks() {
    for (int32_t index = 0; index < std::ssize(type_.breaks); ++index) {
      if (taken_.contains(index)) continue;
      result_.plan.route.Add(VroomCause::kMissingBreak);
      AddViolation({.kind = ViolationKind::kBreak, .amount = 1},
                   Concat("omits break ", BreakId(index)));
    }
  }

  std::string BreakId(int32_t index) const {
    return Concat(vehicle().break_names[static_cast<size_t>(index)].id);
  }

  // VROOM charges travel times, but not waiting.
  void SetCost() {
    const PlannedRoute planned = PlanOf(instance_, {.routes = {result_.route}}).front();
    RouteFigures figures{.distance = RouteDistance(instance_, planned),
                         .duration = travel_,
                         .work = RouteWork(instance_, planned),
                         .driving = travel_};
    CostSplit& split = result_.split;
    if (instance_.data().objective == Objective::kDuration) {
      figures.duration = result_.route.duration;
    }
    if (planned.customers.empty()) {
      const bool leaves = !type_.open_end;
      figures.distance = leaves ? instance_.Distance(type_, type_.depot, type_.end()) : 0;
      split.distance = type_.cost_per_distance * figures.distance;
      split.duration = (type_.cost_per_time + type_.cost_per_travel_time) * travel_;
      split.fixed = type_.fixed_cost;
    } else {
      split = SplitCost(instance_, {planned}, {figures}, 0);
    }
    result_.route.distance = MetricSum(instance_.metric(), figures.distance);
    result_.plan.cost = split.total();
  }

  const Instance& instance_;
  const VroomNames& names_;
  const VroomCustomRoute& custom_;
  const VehicleType& type_;
  const std::vector<VroomTimedStep> timed_;
  const std::vector<double>& starts_;
  VroomRouteResult result_;
  size_t step_ = 0;
  VroomViolations here_;                   // of the current step
  std::vector<double> load_;               // [K] after the current step
  double time_ = 0;                        // end of the last step
  double travel_ = 0, metres_ = 0;         // on the route so far
  double driven_ = 0, driven_metres_ = 0;  // since the last stop, up to a break
  NodeIndex at_ = 0;                       // the last stop
  int64_t tasks_ = 0;
  std::map<NodeIndex, size_t> pickup_steps_;  // by the delivery, of shipments on board
  std::set<NodeIndex> early_deliveries_;      // without a pickup before them
  std::set<int32_t> taken_;                   // breaks
};

}  // namespace

std::vector<VroomTimedStep> TimedVroomSteps(const Instance& instance,
                                            const VroomCustomRoute& custom) {
  const VehicleType& type = instance.vehicles()[custom.type];
  std::vector<VroomTimedStep> timed;
  NodeIndex at = type.depot;
  for (const VroomRouteStep& step : custom.steps) {
    VroomTimedStep& next = timed.emplace_back();
    next.earliest = step.earliest;
    next.latest = step.latest;
    if (step.type == VroomStepType::kStart) {
      next.windows = {{.open = type.shift.open}};
    } else if (step.type == VroomStepType::kTask) {
      next.travel = instance.Duration(type, at, step.node);
      next.work = instance.Work(type, at, step.node);
      next.windows = WindowsOf(instance, step.node);
      at = step.node;
    } else if (step.type == VroomStepType::kBreak) {
      next.is_break = true;
      next.work = type.breaks[step.break_index].duration;
      next.windows = WindowsOf(type.breaks[step.break_index]);
    } else {
      if (!type.open_end) next.travel = instance.Duration(type, at, type.end());
      next.windows = {{.close = type.shift.close}};
    }
  }
  return timed;
}

VroomRouteResult EvaluateVroomRoute(const Instance& instance, const VroomNames& names,
                                    const VroomCustomRoute& custom,
                                    const std::vector<double>& starts) {
  return RouteEvaluator(instance, names, custom, starts).Run();
}

}  // namespace vrp
