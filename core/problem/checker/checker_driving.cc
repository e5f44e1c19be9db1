#include "core/problem/checker/checker_driving.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vrp {
namespace {

constexpr int kMostPlacements = 100;  // of one sequence, until its rests stay where they are

// Returns the largest number of sequences of rests to try on a route.
size_t MaxSequences(size_t stops, size_t breaks) {
  return 800'000 + 8'000 * stops * (breaks + 1) * (breaks + 1);
}

// Whether the first state allows all that the second allows, at most as late and as costly.
template <typename State>
bool NoWorse(const State& one, const State& other) {
  return one.taken == other.taken && one.leaves <= other.leaves && one.driven <= other.driven &&
         one.late_cost <= other.late_cost && (one.halved || !other.halved);
}

}  // namespace

std::optional<std::vector<CheckerEnd>> CheckerDriving::Ends(double start, double slack) {
  slack_ = slack;
  tries_left_ = MaxSequences(stops_.size(), vehicle_.breaks.size());
  too_many_ = false;
  std::vector<State> states;
  if (start <= stops_.front().windows.back().close + slack) {
    states.push_back({.leaves = start + stops_.front().work});
  }
  for (size_t i = 1; i < stops_.size(); ++i) {
    stop_ = &stops_[i];
    reached_.clear();
    for (const State& state : states) {
      sequence_.clear();
      if (state.taken == vehicle_.breaks.size()) {
        GoWithoutPlanned(state);
      } else {
        TrySequences(state);
      }
    }
    if (too_many_) return std::nullopt;
    states = reached_;
  }
  std::vector<CheckerEnd> ends;
  for (const State& state : states) {
    if (state.taken < vehicle_.breaks.size()) continue;
    if (state.leaves > vehicle_.shift.close + slack) continue;
    ends.push_back({state.leaves, state.late_cost});
  }
  return ends;
}

void CheckerDriving::Keep(const State& state) {
  if (tries_left_ == 0) {
    too_many_ = true;
    return;
  }
  --tries_left_;
  State next = state;
  double begin = state.leaves;
  for (const TimeWindow& window : stop_->windows) {
    if (begin > window.close + slack_) continue;
    begin = std::max(begin, window.open);
    break;
  }
  const TimeWindow& last = stop_->windows.back();
  if (begin > last.close) {
    if (std::isinf(last.late_cost)) {
      if (begin > last.close + slack_) return;
    } else {
      next.late_cost += last.late_cost * (begin - last.close);
    }
  }
  next.leaves = begin + stop_->work;
  if (std::ranges::any_of(reached_, [&](const State& one) { return NoWorse(one, next); })) return;
  std::erase_if(reached_, [&](const State& one) { return NoWorse(next, one); });
  reached_.push_back(next);
}

// Each full period of driving ends with a break; only the first of these may be a second part.
void CheckerDriving::GoWithoutPlanned(const State& from) {
  const double most = rules_.max_driving_before_break;
  const double whole = from.driven + Travel();
  const double over = whole - most - slack_;
  const double breaks = over > 0 ? std::ceil(over / most) : 0;
  State state = from;
  state.leaves += Travel() + breaks * rules_.break_duration;
  if (breaks > 0 && from.halved) state.leaves -= rules_.break_duration - rules_.second_part;
  state.driven = std::max(0.0, whole - breaks * most);
  state.halved = from.halved && breaks == 0;
  Keep(state);
  State rested = state;
  rested.leaves += state.halved ? rules_.second_part : rules_.break_duration;
  rested.driven = 0;
  rested.halved = false;
  Keep(rested);
  rested.leaves += rules_.first_part;
  rested.halved = rules_.first_part > 0;
  Keep(rested);
  if (state.halved || rules_.first_part == 0) return;
  state.leaves += rules_.first_part;
  state.halved = true;
  Keep(state);
}

double CheckerDriving::LatestBegin(size_t first, size_t count) const {
  double latest = kNoLimit;
  double before = 0;
  for (size_t i = first; i < first + count; ++i) {
    latest = std::min(latest, vehicle_.breaks[i].window.close - before);
    before += vehicle_.breaks[i].duration;
  }
  return latest;
}

double CheckerDriving::EndOfPlanned(size_t first, size_t count, double now) const {
  for (size_t i = first; i < first + count; ++i) {
    now = std::max(now, vehicle_.breaks[i].window.open);
    if (now > vehicle_.breaks[i].window.close + slack_) return kNoLimit;
    now += vehicle_.breaks[i].duration;
  }
  return now;
}

bool CheckerDriving::PlaceOnce(const State& from, std::vector<double>& caps,
                               Arrival& arrival) const {
  const double most = rules_.max_driving_before_break;
  double cleared = -from.driven;  // position of the last break
  double position = 0;
  double now = from.leaves;
  arrival = {.state = from, .last_end = from.leaves};
  State& state = arrival.state;
  for (size_t e = 0; e < sequence_.size(); ++e) {
    const Rest& rest = sequence_[e];
    const double limit = std::min(Travel(), caps[e]);
    const double next = std::max(position, std::min(limit, cleared + most));
    now += next - position;
    position = next;
    const double excess = now - LatestBegin(state.taken, rest.planned);
    if (excess > slack_) {
      const double cap = position - excess;
      for (size_t k = 0; k <= e; ++k) caps[k] = std::min(caps[k], cap);
      return true;
    }
    double needed = 0;
    if (rest.kind >= Kind::kBreak) {
      needed = state.halved ? rules_.second_part : rules_.break_duration;
      cleared = position;
    }
    const bool halves = rest.kind == Kind::kFirstPart || rest.kind == Kind::kBreakAndFirstPart;
    if (halves) needed += rules_.first_part;
    if (rest.kind != Kind::kPlannedOnly) state.halved = halves;
    const double end = EndOfPlanned(state.taken, rest.planned, now);
    if (end == kNoLimit) return false;
    now = std::max(end, now + needed);
    state.taken += rest.planned;
    arrival.last_end = now;
  }
  arrival.at_stop = position == Travel();
  arrival.feasible = Travel() - cleared <= most + slack_;
  state.leaves = now + Travel() - position;
  state.driven = Travel() - cleared;
  return false;
}

CheckerDriving::Arrival CheckerDriving::Place(const State& from) const {
  std::vector<double> caps(sequence_.size(), kNoLimit);
  Arrival arrival;
  for (int i = 0; i < kMostPlacements; ++i) {
    if (!PlaceOnce(from, caps, arrival)) return arrival;
    if (caps.front() < -slack_) break;
  }
  arrival.feasible = false;
  return arrival;
}

// Whether all further planned breaks may follow the rests that end on arrival. If so, no sequence
// that takes more of them in rests of their own on this leg is better.
bool CheckerDriving::MayPlannedBreaksWait(const Arrival& arrival) const {
  double now = arrival.last_end;
  for (size_t i = arrival.state.taken; i < vehicle_.breaks.size(); ++i) {
    if (now > vehicle_.breaks[i].window.close) return false;
    now += vehicle_.breaks[i].duration + rules_.break_duration;
  }
  return true;
}

// Extends sequence_ by each possible next rest. Rests without a planned break are breaks, each of
// which a full period of driving needs, or a first part at the end of the leg.
void CheckerDriving::TrySequences(const State& from) {
  if (tries_left_ == 0 || too_many_) {
    too_many_ = true;
    return;
  }
  --tries_left_;
  const Arrival arrival = Place(from);
  if (arrival.feasible) Keep(arrival.state);
  size_t taken = from.taken;
  size_t own = 0;
  for (const Rest& rest : sequence_) {
    taken += rest.planned;
    own += rest.planned == 0 ? 1 : 0;
  }
  if (!sequence_.empty()) {
    const Rest& last = sequence_.back();
    const bool halves = last.kind != Kind::kPlannedOnly && last.kind != Kind::kBreak;
    if (last.planned == 0 && halves) return;
    if (arrival.feasible && arrival.at_stop && MayPlannedBreaksWait(arrival)) return;
  }
  const double periods = (from.driven + Travel()) / rules_.max_driving_before_break;
  for (size_t planned = 0; taken + planned <= vehicle_.breaks.size(); ++planned) {
    for (const Kind kind :
         {Kind::kPlannedOnly, Kind::kBreak, Kind::kFirstPart, Kind::kBreakAndFirstPart}) {
      if (planned == 0 && kind == Kind::kPlannedOnly) continue;
      if (planned == 0 && static_cast<double>(own) > periods) continue;
      const bool halves = kind == Kind::kFirstPart || kind == Kind::kBreakAndFirstPart;
      if (halves && rules_.first_part == 0) continue;
      sequence_.push_back({planned, kind});
      TrySequences(from);
      sequence_.pop_back();
    }
  }
}

}  // namespace vrp
