// Insertion of customers that must share a route, all into one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/search/ruin_recreate/insertion.h"

namespace vrp {

// One by one, they would crowd into the route that suits the first of them. (Measured at equal time
// as kWholeGroupRate in ruin.cc: that cost 0.7 to 1.5 % more.) Not thread-safe; all arguments must
// outlive it.
class GroupInsertion {
 public:
  GroupInsertion(RouteStore& routes, Insertion& insertion, FastRandom& random);

  bool has_any() const { return problem_.rules().has_groups(); }  // or there is nothing to do
  // Sets the units that are to be inserted.
  void Begin(std::span<const int32_t> units);
  // Inserts all units of Begin that must share a route with `unit`, if they are several, into the
  // route where they cost least together, if that is below the sum of their limits. Tries each set
  // of units once. Returns whether it inserted them.
  bool Insert(int32_t unit, absl::FunctionRef<double(int32_t unit)> limit);

 private:
  struct Found {
    double cost = Problem::kNever;
    int32_t slot = -1;  // -1: a new route
    int32_t type = -1;
    std::vector<NodeIndex> nodes = {};
  };

  // Sets members_ to the pending units of the group, which are pending no longer.
  void Take(int32_t unit);
  // Whether the route has room for what all members are delivered, as far as loads are plain.
  bool HasRoom(const Vehicle& vehicle, std::span<const double> load) const;
  void TryRoutes(Found& best);
  void TryNewRoutes(double limit, bool is_required, Found& best);
  // Inserts all members into filled_, which is to be the route of `slot`. Returns what it costs
  // then; kNever if it is not feasible or costs `most` or more.
  double Fill(int32_t slot, double most);
  std::span<const int32_t> SlotsToTry();

  RouteStore& routes_;
  const Problem& problem_;
  Insertion& insertion_;
  FastRandom& random_;
  std::vector<char> pending_;  // [units]
  std::vector<int32_t> members_, slots_;
  std::vector<double> delivered_;  // [K] to all members
  SearchRoute filled_;
};

}  // namespace vrp
