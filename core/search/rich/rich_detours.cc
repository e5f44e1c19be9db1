#include "core/search/rich/rich_detours.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/problem/schedule.h"
#include "core/search/rich/least_ways.h"
#include "core/search/rich/rich_route_set.h"

namespace vrp {
namespace {

// Steps of all searches for detours together: visits tried and relaxations of ways. A tenth of a
// second, or a few milliseconds once the budget is spent.
constexpr int64_t kMostWork = 50'000'000;
constexpr int64_t kLateWork = 2'000'000;
constexpr int64_t kMostWorkOfOne = 1'000'000;  // for one unit and one type
constexpr size_t kMostDetours = 8;             // of one unit
// Detours over up to this many other units come before those over any number.
constexpr size_t kFewOthers = 3;

// Depth-first search for routes of one vehicle type over one unit, the most promising visits first.
class DetourSearch {
 public:
  DetourSearch(const RichProblem& problem, RouteEvaluator& evaluator, const RichVehicle& vehicle,
               const LeastWays& to_end)
      : problem_(problem), evaluator_(evaluator), vehicle_(vehicle), to_end_(to_end) {}

  // Adds detours over `wanted`, a customer or both ends of a shipment, to `found`. Whether all
  // routes were looked at; takes its work from `work`.
  bool Run(std::span<const NodeIndex> wanted, int64_t& work, std::vector<Detour>& found) {
    const int64_t granted = std::min(work, kMostWorkOfOne);
    work_left_ = granted;
    wanted_ = wanted;
    found_ = &found;
    std::vector<LeastWays> ways;
    for (const NodeIndex node : wanted) {
      work_left_ -= 6 * int64_t{problem_.size()} * problem_.size();
      if (work_left_ <= 0) break;
      ways.emplace_back(problem_, vehicle_, node, to_end_.From(node).latest);
    }
    bool all = work_left_ > 0;
    if (all) {
      ways.push_back(to_end_);
      ways_ = ways;
      for (size_t others = 1; others <= kFewOthers && found.empty() && work_left_ > 0; ++others) {
        Start(others, kMostDetours);
      }
      if (found.empty()) Start(SIZE_MAX, 1);
      all = work_left_ > 0;
    }
    work -= granted - std::max<int64_t>(work_left_, 0);
    return all;
  }

 private:
  struct Step {
    double time = 0, distance = 0, duration = 0;
  };

  void Start(size_t most_others, size_t most_found) {
    most_others_ = most_others;
    most_found_ = most_found;
    served_.assign(problem_.units(), 0);
    nodes_ = {vehicle_.start};
    open_.clear();
    Extend({.time = vehicle_.leaves_from}, 0, 0);
  }

  // From the last of `nodes_`, with so many of wanted_ visited and so many other units.
  void Extend(const Step& step, size_t done, size_t others) {
    if (done == wanted_.size() && open_.empty() && others > 0) Keep();
    std::vector<std::pair<double, NodeIndex>> next;
    const auto consider = [&](NodeIndex node, size_t then) {
      --work_left_;
      const std::optional<Step> there = Visit(step, node);
      if (!there.has_value()) return;
      const LeastWays::Rest& rest = ways_[then].From(node);
      if (there->time > rest.latest + problem_.time_slack()) return;
      const double distance = there->distance + rest.distance;
      const double duration = there->duration + rest.duration;
      if (distance > vehicle_.distance_limit) return;
      if (!problem_.InTime(duration, vehicle_.duration_limit)) return;
      next.emplace_back(distance + duration, node);
    };
    if (done < wanted_.size()) consider(wanted_[done], done);
    for (const NodeIndex node : open_) consider(node, done);
    if (others < most_others_) {
      for (int32_t u = 0; u < problem_.units(); ++u) {
        if (served_[u] || u == problem_.UnitOf(wanted_[0])) continue;
        const RichUnit& unit = problem_.unit(u);
        const bool shipment = unit.kind == RichUnit::Kind::kShipment;
        const auto nodes = problem_.NodesOf(unit);
        for (const NodeIndex node : shipment ? nodes.first(1) : nodes) consider(node, done);
      }
    }
    std::sort(next.begin(), next.end());
    for (const auto& [score, node] : next) {
      if (work_left_ <= 0 || found_->size() >= most_found_) return;
      Enter(step, node, done, others);
    }
  }

  void Enter(const Step& step, NodeIndex node, size_t done, size_t others) {
    const int32_t u = problem_.UnitOf(node);
    const RichUnit& unit = problem_.unit(u);
    const bool wanted = done < wanted_.size() && node == wanted_[done];
    const auto opened = std::find(open_.begin(), open_.end(), node);
    const std::vector<NodeIndex> open = open_;
    const bool closes = opened != open_.end();
    if (closes) open_.erase(opened);
    const bool begins = !wanted && !closes;
    if (begins && unit.kind == RichUnit::Kind::kShipment) {
      open_.push_back(problem_.NodesOf(unit)[1]);
    }
    if (begins) served_[u] = 1;
    nodes_.push_back(node);
    if (evaluator_.MayHold(vehicle_, WithEnd())) {
      Extend(*Visit(step, node), done + (wanted ? 1 : 0), others + (begins ? 1 : 0));
    }
    nodes_.pop_back();
    if (begins) served_[u] = 0;
    open_ = open;
  }

  std::optional<Step> Visit(const Step& step, NodeIndex node) const {
    const NodeIndex from = nodes_.back();
    const double distance = problem_.Distance(vehicle_, from, node);
    const double travel = problem_.Duration(vehicle_, from, node, distance);
    const bool first = nodes_.size() == 1;
    const NodeIndex before = first ? from : nodes_[nodes_.size() - 2];
    const double work = first ? 0 : problem_.Handling(vehicle_, before, from);
    const double time = problem_.Earliest(node, step.time + work + travel);
    if (time == RichProblem::kNever) return std::nullopt;
    return Step{time, step.distance + distance, step.duration + work + travel};
  }

  std::span<const NodeIndex> WithEnd() {
    whole_ = nodes_;
    whole_.push_back(vehicle_.end);
    return whole_;
  }

  void Keep() {
    work_left_ -= std::ssize(nodes_);
    if (!evaluator_.Evaluate(vehicle_, WithEnd()).feasible) return;
    Detour detour(nodes_.begin() + 1, nodes_.end());
    if (std::find(found_->begin(), found_->end(), detour) == found_->end()) {
      found_->push_back(std::move(detour));
    }
  }

  const RichProblem& problem_;
  RouteEvaluator& evaluator_;
  const RichVehicle& vehicle_;
  const LeastWays& to_end_;
  std::span<const NodeIndex> wanted_;
  std::span<const LeastWays> ways_;  // to each of wanted_, then to the end
  size_t most_others_ = 0, most_found_ = 0;
  int64_t work_left_ = 0;
  std::vector<Detour>* found_ = nullptr;
  std::vector<char> served_;              // [units]
  std::vector<NodeIndex> nodes_, whole_;  // the start and the visits so far; with the end
  std::vector<NodeIndex> open_;           // deliveries of what is on board
};

// The visits that serve a unit: one of several customers, or both ends of a shipment.
std::vector<std::vector<NodeIndex>> WaysToServe(const RichProblem& problem, const RichUnit& unit) {
  const std::span<const NodeIndex> nodes = problem.NodesOf(unit);
  if (unit.kind == RichUnit::Kind::kShipment) return {{nodes.begin(), nodes.end()}};
  std::vector<std::vector<NodeIndex>> ways;
  for (const NodeIndex node : nodes) ways.push_back({node});
  return ways;
}

}  // namespace

RichDetours RichDetours::Create(const RichProblem& problem, const StopCondition& stop) {
  RichDetours detours;
  RouteEvaluator evaluator(problem);
  detours.reach_.assign(problem.units(), Reach::kNever);
  detours.detours_.resize(problem.units());
  std::vector<std::optional<LeastWays>> to_end(problem.vehicles().size());
  int64_t work = stop.ShouldStop() ? kLateWork : kMostWork;
  const bool detourable = MayDetour(problem.instance());
  for (int32_t u = 0; u < problem.units(); ++u) {
    const RichUnit& unit = problem.unit(u);
    const auto ways = WaysToServe(problem, unit);
    const auto alone = [&](const RichVehicle& vehicle) {
      return std::any_of(ways.begin(), ways.end(), [&](const auto& visits) {
        return evaluator.Evaluate(vehicle, WithEnds(vehicle, visits)).feasible;
      });
    };
    Reach& reach = detours.reach_[u];
    const auto& vehicles = problem.vehicles();
    if (unit.slot >= 0 || std::any_of(vehicles.begin(), vehicles.end(), alone)) {
      reach = Reach::kAlone;
    } else if (detourable) {
      std::vector<Detour>& found = detours.detours_[u];
      for (size_t t = 0; t < vehicles.size() && found.empty(); ++t) {
        const RichVehicle& vehicle = vehicles[t];
        for (const auto& visits : ways) {
          if (!evaluator.MayHold(vehicle, WithEnds(vehicle, visits))) continue;
          const int64_t size = problem.size();
          if (!to_end[t].has_value() && work > 6 * size * size) {
            work -= 6 * size * size;
            const double by = vehicle.shift_close;
            const bool open = vehicle.end == problem.nowhere();
            to_end[t].emplace(problem, vehicle, vehicle.end,
                              open ? by : problem.Latest(vehicle.end, by));
          }
          const bool all =
              to_end[t].has_value() &&
              DetourSearch(problem, evaluator, vehicle, *to_end[t]).Run(visits, work, found);
          if (!all) reach = Reach::kUnknown;
        }
      }
      if (!found.empty()) reach = Reach::kTogether;
    }
    detours.has_any_ = detours.has_any_ || reach == Reach::kTogether;
    if (reach == Reach::kAlone || reach == Reach::kTogether) detours.servable_.push_back(u);
  }
  return detours;
}

bool MayDetour(const Instance& instance) {
  const InstanceData& data = instance.data();
  return data.metric != Metric::kExact || !data.distance_matrix.empty() ||
         !data.duration_matrix.empty() || !data.setups.empty() ||
         std::any_of(data.vehicles.begin(), data.vehicles.end(), [](const VehicleType& vehicle) {
           return !vehicle.distance_matrix.empty() || !vehicle.duration_matrix.empty();
         });
}

bool NeedsDetours(const Instance& instance, const StopCondition& stop) {
  if (instance.vehicles().empty() || !instance.has_windows() || !MayDetour(instance)) return false;
  const RouteScheduler scheduler(instance);
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    if (scheduler.Make({.vehicle_type = 0, .customers = {node}}).feasible) continue;
    return RichProblem::Create(instance, stop).detours().has_any();
  }
  return false;
}

}  // namespace vrp
