#include "core/search/model/problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/search/model/problem_builder.h"

namespace vrp {

Problem Problem::Create(const Instance& instance, const StopCondition& stop) {
  Problem problem(instance);
  ProblemBuilder(problem, stop).Run();
  return problem;
}

double Problem::DistanceWithoutMatrix(const Vehicle& vehicle, NodeIndex from, NodeIndex to) const {
  return vehicle.row_distance != nullptr ? RowEntry(vehicle.row_distance, from, to)
                                         : instance_.Distance(from, to);
}

double Problem::EarliestFurther(NodeIndex node, double time) const {
  for (int32_t w = further_begin_[node]; w < further_begin_[node + 1]; ++w) {
    const TimeWindow& window = further_[w];
    if (time <= window.close + time_slack_ || window.soft()) return std::max(time, window.open);
  }
  return kNever;
}

double Problem::LatestFurther(NodeIndex node, double time, bool on_time) const {
  for (int32_t w = further_begin_[node + 1] - 1; w >= further_begin_[node]; --w) {
    const TimeWindow& window = further_[w];
    if (time < window.open - time_slack_) continue;
    return window.soft() && !on_time ? time : std::min(time, window.close);
  }
  const bool only = further_begin_[node] == further_begin_[node + 1];
  const double close = only && on_time ? late_from_[node] : close_[node];
  return time < open_[node] - time_slack_ ? -kNever : std::min(time, close);
}

}  // namespace vrp
