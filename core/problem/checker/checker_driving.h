// Checks whether a driver can take the breaks that driving rules want. Shares no code with the
// placement of breaks by solvers (core/problem/plan/driving_labels.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/problem/checker/checker_stop.h"
#include "core/problem/instance/vehicle.h"

namespace vrp {

// A possible end of a route.
struct CheckerEnd {
  double leaves = 0;
  double late_cost = 0;
  double driving = 0;  // travel times of all legs
};

// Returns the difference up to which times near `time` count as equal when the driving decides
// between two ways to take breaks.
inline double CheckerTie(double time) { return 1e-11 * (time < 0 ? -time : time); }

// A clock for one route of a vehicle whose driving_rules have breaks. For each leg, it enumerates
// the sequences of rests and the windows of their planned breaks. For each sequence, it finds the
// latest positions of the rests on the leg, which lead to the earliest arrival and the least
// driving since the last break.
//
// A leg has the travel time of its departure. Rests are no longer than needed, so of two ways to
// reach a stop, the earlier one with no more driving since the last break holds. If they are equal,
// the one with less driving in all holds. Not thread-safe.
class CheckerDriving {
 public:
  // Both arguments must outlive the clock.
  CheckerDriving(const VehicleType& vehicle, const std::vector<CheckerStop>& stops)
      : vehicle_(vehicle),
        rules_(vehicle.driving_rules),
        stops_(stops),
        windows_(vehicle.breaks.size()) {}

  // Returns ends with all planned breaks taken, by the shift's end, of which none is later and as
  // costly as another. Returns nullopt if there are too many sequences to try them all.
  std::optional<std::vector<CheckerEnd>> Ends(double start, double slack);

 private:
  // The driver at the departure from a stop.
  struct State {
    double leaves = 0;
    double driven = 0;    // since the last break
    bool halved = false;  // whether the first part of a break is taken
    size_t taken = 0;     // planned breaks
    double late_cost = 0;
    double driving = 0;  // since the start of the route
  };
  enum class Kind {
    kPlannedOnly,
    kFirstPart,
    kBreak,
    kBreakAndFirstPart,  // long enough for a break, and then for the first part of the next one
  };
  // A rest on the leg or on arrival, with the next `planned` planned breaks.
  struct Rest {
    size_t planned = 0;
    Kind kind = Kind::kPlannedOnly;
  };
  // The outcome of a sequence of rests.
  struct Arrival {
    State state;           // `leaves` is the time at which the stop may start
    bool at_stop = false;  // whether the last rest is taken at the stop
    double last_begin = 0;
    double last_end = 0;  // end of the last rest
    bool placed = false;  // whether the planned breaks can begin in time
    bool feasible = false;
  };

  // Returns the travel time of the current leg.
  double Travel() const { return travel_; }
  void GoWithoutPlanned(const State& from);
  void TrySequences(const State& from);
  // Tries the windows of the planned breaks from `next` to `end` - 1, which end sequence_.
  void TryWindows(const State& from, size_t next, size_t end);
  // Tries earlier windows than the first possible ones for breaks from `index` to `end` - 1.
  void TryEarlierWindows(const State& from, size_t index, size_t end);
  // Places sequence_ on the leg, with rests as late as possible.
  Arrival Place(const State& from) const;
  // Places the rests so that none starts after its cap. Lowers the caps if planned breaks would
  // begin too late. Returns whether it lowered one.
  bool PlaceOnce(const State& from, std::vector<double>& caps, Arrival& arrival) const;
  // Returns the latest time at which the planned breaks from `first` can begin one after another.
  double LatestBegin(size_t first, size_t count) const;
  // Returns the begin of a planned break from `now` on; kNoLimit: its window is closed.
  double BeginOfPlanned(size_t index, double now) const;
  // Returns the end of these breaks if they begin at `now` at the earliest.
  double EndOfPlanned(size_t first, size_t count, double now) const;
  // `leaves` is the departure to the stop.
  bool MayPlannedBreaksWait(const Arrival& arrival, double leaves) const;
  void Keep(const State& state);

  const VehicleType& vehicle_;
  const DrivingRules& rules_;
  const std::vector<CheckerStop>& stops_;
  double slack_ = 0;
  size_t tries_left_ = 0;
  bool too_many_ = false;
  bool timed_ = false;                 // whether travel times depend on the departure
  double most_late_cost_ = 0;          // per unit of time
  const CheckerStop* stop_ = nullptr;  // the end of the current leg
  double travel_ = 0;                  // of the current leg
  std::vector<Rest> sequence_;
  // By planned break: the window that sequence_ uses; null: the first that is possible.
  std::vector<const TimeWindow*> windows_;
  std::vector<State> reached_;
};

}  // namespace vrp
