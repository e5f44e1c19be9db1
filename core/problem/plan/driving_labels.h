// Places the breaks that a driver must take after a time of driving (DrivingRules).
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "core/problem/instance/driving_rules.h"
#include "core/problem/plan/break_leg.h"
#include "core/problem/plan/schedule.h"
#include "core/problem/plan/timed_stop.h"

namespace vrp {

// A labelling algorithm for shortest paths with resources. Goel (2010, "Truck driver scheduling in
// the European Union") describes the rules. A label of a stop has its start, the driving since the
// last break, whether the first part of a split break is taken, the planned breaks taken, and the
// cost of lateness. Of labels with equal planned breaks, only the non-dominated ones stay. A
// vehicle that is early may rest until another label's start, so an earlier label is never worse.
//
// On a leg, a break is taken as late as possible: at the limit of driving, when a planned break
// that is part of it must begin, or on arrival. Earlier breaks lead to the same arrival with more
// driving since the break. On arrival, a break absorbs waiting. A first part is only taken on
// arrival or with a planned break: on the same leg, both parts take as long as a whole break. A
// break shortly before a stop and a first part at the stop count as one rest there.
//
// The travel time of a leg is that at the departure, and breaks on the leg do not change it. If it
// depends on the departure, an earlier label may still drive longer later on. It dominates all the
// same: drivers rest no longer than they need, even if that would avoid a rush hour. Of labels that
// differ in nothing else, the one that has driven least stays.
//
// A run takes O(stops * labels^2), with few labels unless there are many planned breaks. A route
// that needs too much work counts as impossible. Not thread-safe, because it has scratch memory.
class DrivingLabels {
 public:
  // The input of Run. `stops` are the start (whose opening is ignored), the visits, and the end
  // unless it is open. The spans and `rules`, which have breaks, must outlive the calls after Run.
  struct Route {
    std::span<const TimedStop> stops = {};
    std::span<const Break> breaks = {};  // planned breaks, all of which are taken in order
    const DrivingRules* rules = nullptr;
    double last_by = kNoLimit;  // latest start of the last stop, so that it ends within the shift
    double tolerance = 0;       // allowed excess of windows, planned breaks, the end and driving
    double rounding = 0;        // times that differ by less count as equal
    size_t most_work = 0;       // limit on label extensions of a run
  };
  // The result of Run.
  struct Outcome {
    double late_cost = 0;  // the smallest possible, up to the rounding of costs
    double last = 0;       // the earliest start of the last stop at such a cost
    double driving = 0;    // travel times of all legs
  };

  // Returns the number of label extensions that a search may spend on a route. Schedulers and the
  // checker may spend more, so that they accept every route that a search accepts.
  static size_t MaxWork(size_t stops, size_t breaks);

  // Runs the route from `start`. Returns nullopt if it is not possible in time, or if this check
  // takes too much work.
  std::optional<Outcome> Run(const Route& route, double start);
  // Returns the latest start that worsens neither part of the last Run's outcome, no earlier than
  // that Run's start. If travel times depend on the departure, a start a little later worsens the
  // outcome, but one much later need not. Requires a Run with an outcome, which is lost.
  double LatestStart();
  // Adds the times of each stop and all breaks to `schedule`. Requires a Run with an outcome.
  void AddTimes(RouteSchedule& schedule);

 private:
  static constexpr double kRelativeRounding = 1e-12;  // of sums of times
  static constexpr double kTieShare = 1e-11;          // above the rounding of all sums of a route
  // A partial route up to the start of a stop.
  struct Label {
    double begin = 0;
    double driven = 0;       // since the last break
    double cost = 0;         // of lateness, this stop included
    double travel = 0;       // of the leg to this stop
    double driving = 0;      // since the start of the route
    double paused = 0;       // breaks on that leg, if none of them is planned
    size_t taken = 0;        // planned breaks
    size_t before = 0;       // predecessor's index in labels_
    bool has_first = false;  // whether the first part of a break is taken
  };
  // The vehicle on a leg.
  struct Position {
    double time = 0;
    double left = 0;    // travel time to the next stop
    double driven = 0;  // since the last break
    size_t taken = 0;   // planned breaks
    bool has_first = false;
  };
  // How a rest counts for the rules.
  enum class Counts {
    kNothing,
    kFirstPart,
    kBreak,              // or the second part of one
    kBreakAndFirstPart,  // and then the first part of the next one
  };
  static bool EndsDriving(Counts counts) { return counts >= Counts::kBreak; }
  // Whether the first part of a break is taken after a rest that counts so.
  static bool HasFirstAfter(Counts counts, bool before) {
    return counts == Counts::kNothing
               ? before
               : counts == Counts::kFirstPart || counts == Counts::kBreakAndFirstPart;
  }
  // A time in which the vehicle stands. It takes the planned breaks from `from` to `to` - 1.
  struct Rest {
    double start = 0;
    double needed = 0;    // its least duration for the rules
    double position = 0;  // driving time of the leg before it
    size_t from = 0;
    size_t to = 0;
    Counts counts = Counts::kNothing;
    bool second_part = false;  // whether its break is only the second part of one
    bool delays = false;       // whether the stop would start earlier without it
  };

  bool Forward(double start);
  bool Choose(double budget, double latest_end);
  // Explores the leg to stop_ from the label before_.
  void ExploreLeg();
  static bool NoWorse(const Position& one, const Position& other);
  // Whether the load allows the planned breaks from `from` to `to` - 1 on the leg to stop_.
  bool MayTake(size_t from, size_t to) const {
    return AllowsBreaks(route_.stops[stop_].breaks_before, from, to);
  }
  // Explores all ways to go on to the next stop. Each way ends with a call of Reach.
  void Explore(const Position& at);
  void ExploreArrival(const Position& at);
  void ExploreLimit(const Position& at, double room);
  void ExplorePlanned(const Position& at, double room);
  // Takes the planned breaks up to `to` - 1, if some have several windows.
  void TakeInEachWindow(const Position& at, double room, size_t to);
  void TakePlanned(const Position& at, double start, size_t to);
  // Returns the least duration of a rest that counts so, from a state with or without a first part.
  double Needed(Counts counts, bool has_first) const;
  // Adds a label for the start of the next stop, or compares it with sought_.
  void Reach(double arrival, double ready, const Position& at);
  void Add(const Label& label);
  // Does the same if travel times depend on the departure.
  void AddTimed(const Label& label);
  // Returns the difference up to which times near `time` count as equal, if travel times depend on
  // the departure. The order of additions must not decide which label stays.
  static double TieAt(double time) { return kTieShare * std::abs(time); }
  bool Spend(size_t work);
  double LatestOnPath();
  // Whether the stop of `label` would start earlier without the rest, the last one before it.
  bool DelaysStart(size_t stop, const Label& label, const Rest& rest) const;
  // Returns the latest departure on the leg to `label` with its breaks, for a start by `begin`.
  double LatestDeparture(size_t stop, const Label& label, double begin);
  // Finds the rests of the leg to the stop of `label`. Returns the arrival.
  double Replay(size_t stop, const Label& label);
  void KeepNeededRests(std::vector<Rest>& rests, double driven) const;
  Route route_;
  bool timed_ = false;  // whether travel times depend on the departure
  double start_ = 0;
  std::vector<Label> labels_;       // by stop
  std::vector<size_t> first_;       // [stops + 1]: the first label of each stop
  std::vector<Rest> rests_;         // on the leg so far, while it is explored
  std::vector<Position> explored_;  // on the leg, with planned breaks left
  double max_late_cost_ = 0;
  size_t chosen_ = 0;
  size_t work_left_ = 0;
  bool too_much_work_ = false;
  size_t stop_ = 0;    // the end of the leg that is explored
  size_t before_ = 0;  // the label from which that leg starts
  double travel_ = 0;
  const Label* sought_ = nullptr;  // not null during Replay
  std::vector<Rest> found_rests_;
  double found_arrival_ = 0;
};

}  // namespace vrp
