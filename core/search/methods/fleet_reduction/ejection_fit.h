// Whether a unit fits a route once others have left it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/search/route/search_route.h"

namespace vrp {

// Judges all positions of the unit at once, by times and by what shipments have on board: arriving
// earlier never hurts, so the earliest departure from each stop and the latest arrival there are
// kept for each number of the unit's nodes that are served before it. Ignores all other limits.
// Not thread-safe; `problem` must outlive this.
class EjectionFit {
 public:
  explicit EjectionFit(const Problem& problem);

  // Looks at `unit` and at `route` without the units in `leaving`. O(stops), as Remove.
  void Begin(int32_t unit, const SearchRoute& route, std::span<const char> leaving);
  // Whether it judges this unit and route. It passes alternatives, reloads, releases, setups and
  // several windows of a node unseen.
  bool judges() const { return judges_; }
  // Removes another unit from the route until the call of Restore that belongs to it.
  void Remove(int32_t unit);
  void Restore() { --depth_; }
  // Each returns false only if the unit does not fit: the route as it is now, or without another
  // unit. O(stops between its nodes).
  bool Fits() const;
  bool FitsWithout(int32_t unit) const;

 private:
  // By the number of the unit's nodes that were served before.
  using Times = std::array<double, 3>;
  struct Window {
    double open = 0, close = 0, service = 0;
  };
  struct Stop {
    NodeIndex node = 0;
    Window window = {};
    double drive = 0;                   // to the next stop
    std::array<double, 2> to, from;     // durations to each of the unit's nodes, and from it
    double carried = 0;                 // of shipments; below 0 where they leave
    double room = 0;                    // on board behind the stop, once the unit is
    Times departure = {}, latest = {};  // latest arrival
  };
  struct Route {
    std::vector<Stop> stops = {};
    std::vector<int32_t> position = {};  // by node; of others than the stops arbitrary
  };

  Window WindowOf(NodeIndex node) const;
  void Append(const SearchRoute& from, int32_t position, double removed, Route& route) const;
  void Measure(Route& route) const;
  std::pair<int32_t, int32_t> Positions(const Route& route, int32_t unit) const;
  Times Arrivals(const Times& departures, const Stop& from, const Stop& to, double drive,
                 bool has_room) const;
  Times Departures(const Times& arrivals, const Stop& at, bool has_room) const;
  Times LatestArrivals(const Stop& at, const Stop& next) const;

  const Problem& problem_;
  const bool judges_loads_;
  bool judges_ = false;  // this unit and route
  const Vehicle* vehicle_ = nullptr;
  std::span<const NodeIndex> nodes_;  // of the unit
  std::array<Window, 2> windows_;
  double between_ = 0;         // the unit's nodes
  std::vector<Route> routes_;  // without 0, 1, ... units
  size_t depth_ = 0;           // of the current one
};

}  // namespace vrp
