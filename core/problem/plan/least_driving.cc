#include "core/problem/plan/least_driving.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/problem/plan/break_leg.h"

namespace vrp {
namespace {

constexpr double kTieShare = 1e-11;  // above the rounding of all sums of a route's times

// A labelling algorithm, as LateBreaks is, that also sums up the driving.
class DrivingSums {
 public:
  DrivingSums(const LateBreaks::Route& route, double start)
      : route_(route), columns_(route.breaks.size() + 1), work_left_(route.most_work) {
    for (const TimedStop& stop : route.stops) {
      if (stop.last().soft()) max_late_cost_ = std::max(max_late_cost_, stop.last().late_cost);
    }
    labels_.resize(route.stops.size());
    for (std::vector<std::vector<Label>>& stop : labels_) stop.resize(columns_);
    if (!route.stops.front().IsLate(start, route.tolerance)) labels_[0][0] = {{.begin = start}};
  }

  std::optional<BreakPlacement> Run() {
    for (size_t stop = 1; stop < labels_.size(); ++stop) {
      for (size_t taken = 0; taken < columns_; ++taken) {
        for (size_t i = 0; i < labels_[stop - 1][taken].size(); ++i) {
          if (!Extend(stop, taken, i)) return std::nullopt;
        }
      }
    }
    const Label* best = Best();
    if (best == nullptr) return std::nullopt;
    BreakPlacement placement{.driving = best->driving};
    placement.steps.resize(labels_.size());
    size_t taken = columns_ - 1;
    for (size_t stop = labels_.size(); stop-- > 0;) {
      placement.steps[stop] = {best->begin, taken};
      if (stop == 0) break;
      taken = best->taken_before;
      best = &labels_[stop - 1][taken][best->before];
    }
    return placement;
  }

 private:
  // A partial route up to the start of a stop.
  struct Label {
    double begin = 0;
    double cost = 0;          // of lateness, this stop included
    double driving = 0;       // since the start of the route
    size_t taken_before = 0;  // breaks taken before the stop before
    size_t before = 0;        // index among the labels there
  };

  static double TieAt(double time) { return kTieShare * std::abs(time); }

  // Extends a label of the stop before. Returns false if this takes too much work.
  bool Extend(size_t stop, size_t taken, size_t before) {
    const TimedStop& visit = route_.stops[stop];
    const Label from = labels_[stop - 1][taken][before];
    double time = from.begin + route_.stops[stop - 1].work;
    const double travel = visit.travel.From(time);
    double left = travel;
    for (size_t then = taken;; ++then) {
      const double begin = visit.StartAt(time + left, route_.tolerance);
      if (visit.last().soft() || !visit.IsLate(begin, route_.tolerance)) {
        std::vector<Label>& labels = labels_[stop][then];
        if (labels.size() >= work_left_) return false;
        work_left_ -= labels.size() + 1;
        Add({.begin = begin,
             .cost = from.cost + visit.LateCost(begin),
             .driving = from.driving + travel,
             .taken_before = taken,
             .before = before},
            labels);
      }
      if (then + 1 == columns_ || !AllowsBreaks(visit.breaks_before, then, then + 1)) return true;
      if (!TakeBreak(route_.breaks[then], route_.tolerance, time, left)) return true;
    }
  }

  void Add(const Label& label, std::vector<Label>& labels) const {
    const double tie = TieAt(label.begin);
    const auto no_worse = [&](const Label& a, const Label& b) {
      return a.begin <= b.begin + tie && a.cost <= b.cost + max_late_cost_ * tie;
    };
    for (Label& other : labels) {
      if (!no_worse(other, label)) continue;
      if (no_worse(label, other) && label.driving < other.driving - tie) other = label;
      return;
    }
    std::erase_if(labels, [&](const Label& other) { return no_worse(label, other); });
    labels.push_back(label);
  }

  const Label* Best() const {
    double min_cost = kNoLimit;
    const auto in_time = [&](const Label& label) {
      return label.begin <= route_.last_by + route_.tolerance;
    };
    const std::vector<Label>& labels = labels_.back().back();
    for (const Label& label : labels) {
      if (in_time(label)) min_cost = std::min(min_cost, label.cost);
    }
    const Label* best = nullptr;
    for (const Label& label : labels) {
      if (!in_time(label) || label.cost > min_cost + max_late_cost_ * route_.rounding) continue;
      if (best == nullptr || label.begin < best->begin) best = &label;
    }
    return best;
  }

  const LateBreaks::Route& route_;
  const size_t columns_;
  size_t work_left_;
  double max_late_cost_ = 0;
  std::vector<std::vector<std::vector<Label>>> labels_;  // by stop, then by breaks taken
};

}  // namespace

std::optional<BreakPlacement> PlaceBreaksWithLeastDriving(const LateBreaks::Route& route,
                                                          double start) {
  return DrivingSums(route, start).Run();
}

}  // namespace vrp
