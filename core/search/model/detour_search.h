// Depth-first search for the routes that serve a unit along with others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/search/model/detours.h"
#include "core/search/model/route_evaluator.h"
#include "core/search/model/shortest_paths.h"

namespace vrp {

// The remaining work and time of all detour searches of one problem.
struct DetourBudget {
  int64_t work = 0;    // steps of about a nanosecond
  StopCondition stop;  // ends them too

  bool is_spent() const { return work <= 0 || stop.ShouldStop(); }
};

// Finds routes of one vehicle type. Tries the most promising visits first. Not thread-safe; all
// that it is given must outlive it.
class DetourSearch {
 public:
  DetourSearch(const Problem& problem, RouteEvaluator& evaluator, const Vehicle& vehicle,
               const ShortestPaths& to_end);

  // Adds detours over `wanted`, a customer or both ends of a shipment, to `found`. Returns whether
  // all routes were looked at, or enough were found.
  bool Run(std::span<const NodeIndex> wanted, DetourBudget& budget, std::vector<Detour>& found);

 private:
  struct Step {
    double time = 0, distance = 0, duration = 0;
  };

  void Start(size_t most_others, size_t most_found);
  // From the last of `nodes_`, with so many of wanted_ visited and so many other units.
  void Extend(const Step& step, size_t done, size_t others);
  void Enter(const Step& step, NodeIndex node, size_t done, size_t others);
  // The step on to `node`; nullopt: it is too late, or the rest of the route would be.
  std::optional<Step> Reaches(const Step& step, NodeIndex node, size_t done) const;
  std::optional<Step> Visit(const Step& step, NodeIndex node) const;
  std::span<const NodeIndex> WithEnd();
  void Keep();
  void Charge(int64_t steps);

  const Problem& problem_;
  RouteEvaluator& evaluator_;
  const Vehicle& vehicle_;
  const ShortestPaths& to_end_;
  std::span<const NodeIndex> wanted_;
  std::span<const ShortestPaths> ways_;  // to each of wanted_, then to the end
  size_t most_others_ = 0, most_found_ = 0;
  StopCondition stop_;
  int64_t work_left_ = 0;
  int32_t until_poll_ = 0;
  std::vector<Detour>* found_ = nullptr;
  std::vector<char> bound_;                        // [units]: no other route may take them
  std::vector<char> served_;                       // [units]
  std::vector<NodeIndex> nodes_, nodes_with_end_;  // the start and the visits so far; with the end
  std::vector<NodeIndex> open_;                    // deliveries of what is on board
};

}  // namespace vrp
