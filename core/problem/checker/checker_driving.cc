#include "core/problem/checker/checker_driving.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vrp {
namespace {

constexpr int kMostPlacements = 100;  // of one sequence, until its rests stay where they are

// Returns the largest number of sequences of rests to try on a route.
size_t MaxSequences(size_t stops, const std::vector<Break>& breaks) {
  size_t windows = breaks.size();
  for (const Break& pause : breaks) windows += pause.further_windows.size();
  return 800'000 + 8'000 * stops * (windows + 1) * (windows + 1);
}

// Whether the first state allows all that the second allows, at most as late and as costly. Times
// that differ by `tie` and costs that differ by `cost_tie` are equal.
template <typename State>
bool NoWorse(const State& one, const State& other, double tie, double cost_tie) {
  return one.taken == other.taken && one.leaves <= other.leaves + tie &&
         one.driven <= other.driven + tie && one.late_cost <= other.late_cost + cost_tie &&
         (one.halved || !other.halved);
}

}  // namespace

std::optional<std::vector<CheckerEnd>> CheckerDriving::Ends(double start, double slack) {
  slack_ = slack;
  tries_left_ = MaxSequences(stops_.size(), vehicle_.breaks);
  too_many_ = false;
  timed_ = false;
  most_late_cost_ = 0;
  for (const CheckerStop& stop : stops_) {
    timed_ = timed_ || stop.travel.size() > 1;
    const double late_cost = stop.windows.back().late_cost;
    if (!std::isinf(late_cost)) most_late_cost_ = std::max(most_late_cost_, late_cost);
  }
  std::vector<State> states;
  if (start <= stops_.front().windows.back().close + slack) {
    states.push_back({.leaves = start + stops_.front().work});
  }
  for (size_t i = 1; i < stops_.size(); ++i) {
    stop_ = &stops_[i];
    reached_.clear();
    for (const State& state : states) {
      sequence_.clear();
      travel_ = stop_->TravelFrom(state.leaves);
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
    ends.push_back({state.leaves, state.late_cost, state.driving});
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
  next.driving += Travel();
  if (stop_ == &stops_.back()) {  // no driving follows
    next.driven = 0;
    next.halved = false;
  }
  const double tie = timed_ ? CheckerTie(next.leaves) : 0;
  const double cost_tie = most_late_cost_ * tie;
  for (State& one : reached_) {
    if (!NoWorse(one, next, tie, cost_tie)) continue;
    const bool equal = NoWorse(next, one, tie, cost_tie);
    if (timed_ && equal && next.driving < one.driving - tie) one = next;
    return;
  }
  std::erase_if(reached_, [&](const State& one) { return NoWorse(next, one, tie, cost_tie); });
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
  for (size_t i = first + count; i-- > first;) {
    const Break& pause = vehicle_.breaks[i];
    const double bound = latest - pause.duration;
    if (windows_[i] != nullptr) {
      latest = std::min(bound, windows_[i]->close);
      continue;
    }
    latest = std::min(bound, pause.window.close);
    for (const TimeWindow& window : pause.further_windows) {
      if (window.open <= bound) latest = std::min(bound, window.close);
    }
  }
  return latest;
}

double CheckerDriving::BeginOfPlanned(size_t index, double now) const {
  const Break& pause = vehicle_.breaks[index];
  const TimeWindow* window = windows_[index];
  if (window == nullptr) {
    window = &pause.window;
    for (const TimeWindow& further : pause.further_windows) {
      if (now > window->close + slack_) window = &further;
    }
  }
  return now > window->close + slack_ ? kNoLimit : std::max(now, window->open);
}

double CheckerDriving::EndOfPlanned(size_t first, size_t count, double now) const {
  for (size_t i = first; i < first + count; ++i) {
    now = BeginOfPlanned(i, now);
    if (now == kNoLimit) return kNoLimit;
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
    arrival.last_begin = now;
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
    if (!PlaceOnce(from, caps, arrival)) {
      arrival.placed = true;
      return arrival;
    }
    if (caps.front() < -slack_) break;
  }
  arrival.feasible = false;
  return arrival;
}

// Whether all further planned breaks may follow the rests that end on arrival, in any window that
// has not closed at the departure. If so, no sequence that takes more of them in rests of their own
// on this leg is better.
bool CheckerDriving::MayPlannedBreaksWait(const Arrival& arrival, double leaves) const {
  double now = arrival.last_end;
  for (size_t i = arrival.state.taken; i < vehicle_.breaks.size(); ++i) {
    double close = vehicle_.breaks[i].window.close;
    for (const TimeWindow& further : vehicle_.breaks[i].further_windows) {
      if (close < leaves - slack_) close = further.close;
    }
    if (now > close) return false;
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
    if (arrival.feasible && arrival.at_stop && MayPlannedBreaksWait(arrival, from.leaves)) return;
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
      TryWindows(from, taken, taken + planned);
      sequence_.pop_back();
    }
  }
}

void CheckerDriving::TryWindows(const State& from, size_t next, size_t end) {
  for (size_t i = next; i < end; ++i) {
    windows_[i] = nullptr;
    if (!stop_->barred_breaks.empty() && stop_->barred_breaks[i]) return;
  }
  TrySequences(from);
  for (size_t i = next; i < end; ++i) TryEarlierWindows(from, i, end);
}

// Each window of a break that closes before the break would otherwise begin may pull the rests
// towards the start of the leg. All other windows lead to a later end.
void CheckerDriving::TryEarlierWindows(const State& from, size_t index, size_t end) {
  const Break& pause = vehicle_.breaks[index];
  if (pause.further_windows.empty()) return;
  for (size_t i = index; i < end; ++i) windows_[i] = nullptr;
  const Arrival arrival = Place(from);
  double begin = kNoLimit;
  if (arrival.placed) {
    begin = arrival.last_begin;
    const size_t first = end - sequence_.back().planned;
    if (index > first) begin = EndOfPlanned(first, index - first, begin);
    begin = BeginOfPlanned(index, begin);
  }
  const auto try_window = [&](const TimeWindow& window) {
    if (window.close >= begin || window.close < from.leaves - slack_) return;
    windows_[index] = &window;
    TrySequences(from);
    for (size_t i = index + 1; i < end; ++i) TryEarlierWindows(from, i, end);
  };
  try_window(pause.window);
  for (const TimeWindow& window : pause.further_windows) try_window(window);
  windows_[index] = nullptr;
}

}  // namespace vrp
