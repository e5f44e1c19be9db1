// Simulates breaks after driving exhaustively, in unit time steps.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tests/problem/random_route.h"

namespace vrp::test {

// The cost of lateness and the start of the last stop, compared lexicographically.
using CostAndEnd = std::pair<int, int>;

// A simulator that tries every action at every integer time: to drive for a unit, to rest for a
// unit, to begin a planned break, to count the current rest as a break or a part of one, and to
// serve. It does not assume where breaks are best.
class SteppingDriver {
 public:
  // `route` must outlive the driver.
  explicit SteppingDriver(const RandomRoute& route)
      : route_(route), rules_(route.vehicle.driving_rules) {}

  // Returns the best end of a driver who starts at `start`; nullopt if there is none.
  std::optional<CostAndEnd> Best(int start);
  // Returns the cost, the end and the driving of the driver who goes from stop to stop and drops
  // each way to a stop that starts no earlier, with no less driving since the last break.
  std::optional<std::tuple<int, int, int>> BestByLeg(int start);

 private:
  // The start of a stop.
  struct Start {
    int begin = 0;
    int driven = 0;
    bool has_first = false;
    size_t taken = 0;
    int cost = 0;
    int driving = 0;  // since the start of the route
  };
  struct State {
    size_t stop = 1;  // the next one
    int left = 0;     // travel time to it
    int driven = 0;
    bool has_first = false;
    size_t taken = 0;
    int rested = 0;  // time of the current rest that counts for nothing yet
    int pause = 0;   // remaining time of a planned break
    bool operator==(const State&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const State& s) {
      const size_t key =
          ((((s.stop * 16 + static_cast<size_t>(s.left)) * 8 + static_cast<size_t>(s.driven)) * 4 +
            s.taken) *
               8 +
           static_cast<size_t>(s.rested)) *
              8 +
          static_cast<size_t>(s.pause);
      return H::combine(std::move(h), key * 2 + (s.has_first ? 1 : 0));
    }
  };

  std::vector<Start> DriveLeg(const Start& from);
  static void Add(const Start& start, std::vector<Start>& starts);
  void Simulate(int start, const State& first, int cost_before);
  void Put(int time, const State& state, int cost);
  void Act(int now, const State& state, int cost);
  void Rest(int now, const State& state, int cost);
  void BeginPlanned(int now, const State& state, int cost);
  void Serve(int now, const State& state, int cost);

  const RandomRoute& route_;
  const DrivingRules& rules_;
  std::vector<absl::flat_hash_map<State, int>> costs_;  // by time, then by state
  std::vector<State> waiting_;                          // states at now_ still to act on
  int now_ = -1;
  std::optional<CostAndEnd> best_;
  size_t leg_ = 0;              // the stop at which BestByLeg ends the current leg; 0: none
  std::vector<Start> reached_;  // at the end of that leg
};

}  // namespace vrp::test
