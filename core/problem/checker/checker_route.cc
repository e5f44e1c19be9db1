#include "core/problem/checker/checker_route.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/problem/checker/checker_clock.h"

namespace vrp {
namespace {

// Returns the time in which the vehicle serves and sets up.
double WorkTime(const CheckerData& data, const VehicleType& vehicle,
                const std::vector<NodeIndex>& path) {
  double busy = 0;
  for (size_t i = 1; i < path.size(); ++i) {
    if (!data.is_depot(path[i])) busy += data.WorkAt(vehicle, path[i - 1], path[i]);
  }
  return busy;
}

// The largest load of a dimension on a trip.
struct ProductPeak {
  int32_t dimension = 0;
  double load = 0;
};

// A partial assignment of compartments to products, which are filled one after the other.
struct Assigned {
  size_t full = 0;  // number of products whose whole load has space
  double part = 0;  // space for the next product

  bool operator<(const Assigned& other) const {
    return std::pair(full, part) < std::pair(other.full, other.part);
  }
};

// Assigns one more compartment, to the next product if it may hold that.
Assigned WithCompartment(Assigned assigned, const Compartment& compartment,
                         const std::vector<ProductPeak>& products) {
  if (assigned.full == products.size()) return assigned;
  const ProductPeak& next = products[assigned.full];
  const std::vector<int32_t>& held = compartment.load_dimensions;
  if (!held.empty() && std::count(held.begin(), held.end(), next.dimension) == 0) return assigned;
  const double space = assigned.part + compartment.capacity;
  if (next.load <= CapacityWithRounding(space)) return {.full = assigned.full + 1};
  return {.full = assigned.full, .part = space};
}

// Returns the best assignment. With the same compartments in use, more full products are better,
// and then more space for the next. Therefore the best one with each set of compartments suffices.
Assigned BestAssignment(const std::vector<Compartment>& compartments,
                        const std::vector<ProductPeak>& products) {
  std::vector<Assigned> best(size_t{1} << compartments.size());
  for (size_t set = 1; set < best.size(); ++set) {
    for (size_t c = 0; c < compartments.size(); ++c) {
      const size_t without = set & ~(size_t{1} << c);
      if (without == set) continue;
      best[set] = std::max(best[set], WithCompartment(best[without], compartments[c], products));
    }
    if (best[set].full == products.size()) return best[set];
  }
  return best.back();
}

}  // namespace

RouteChecker::RouteChecker(const CheckerData& data, int32_t route, const VehicleType& vehicle,
                           const std::vector<NodeIndex>& path, std::vector<Violation>& violations)
    : data_(data), route_(route), vehicle_(vehicle), path_(path), violations_(violations) {}

RouteFigures RouteChecker::Run() {
  CheckReloads();
  CheckDistance();
  CheckLoads();
  CheckCompartments();
  CheckBackhaulOrder();
  CheckLifo();
  CheckStops();
  CheckSkills();
  CheckRules();
  CheckDriving();
  CheckTimes();
  return figures_;
}

// Whether a trip starts at position `i`, which is so at every depot except the end depot.
bool RouteChecker::StartsTrip(size_t i) const {
  return data_.is_depot(path_[i]) && (i == 0 || i + 1 < path_.size() || vehicle_.open_end);
}

void RouteChecker::CheckReloads() {
  const size_t end = path_.size() - (vehicle_.open_end ? 0 : 1);
  int64_t reloads = 0;
  for (size_t i = 1; i < end; ++i) {
    if (!data_.is_depot(path_[i])) continue;
    ++reloads;
    if (!data_.is_depot(path_[i - 1]) && i + 1 < end) continue;
    Add({.kind = ViolationKind::kReload, .node = path_[i], .amount = 1}, "reloads at depot ",
        data_.id(path_[i]), " with no customer ", i + 1 < end ? "before" : "after", " it");
  }
  if (reloads <= vehicle_.max_reloads) return;
  Add({.kind = ViolationKind::kReload,
       .amount = static_cast<double>(reloads) - vehicle_.max_reloads},
      "reloads ", reloads, " times, more than the limit ", vehicle_.max_reloads);
}

void RouteChecker::CheckDistance() {
  double distance = 0;
  for (size_t i = 1; i < path_.size(); ++i) {
    distance += data_.Distance(vehicle_, path_[i - 1], path_[i]);
  }
  figures_.distance = distance;
  const double limit = vehicle_.max_distance;
  if (distance <= limit + 1e-6 * std::max(1.0, limit)) return;
  Add({.kind = ViolationKind::kDistance, .amount = distance - limit}, "drives ",
      FormatNumber(distance), ", farther than the limit ", FormatNumber(limit));
}

void RouteChecker::CheckStops() {
  const int64_t stops =
      std::count_if(path_.begin(), path_.end(), [this](NodeIndex n) { return !data_.is_depot(n); });
  if (stops <= vehicle_.max_stops) return;
  Add({.kind = ViolationKind::kMaxStops, .amount = static_cast<double>(stops - vehicle_.max_stops)},
      "serves ", stops, " customers, more than the limit ", vehicle_.max_stops);
}

void RouteChecker::CheckSkills() {
  if (data_.raw().required_skills.empty()) return;
  for (const NodeIndex node : path_) {
    for (const std::string& skill : data_.raw().required_skills[static_cast<size_t>(node)]) {
      if (std::find(vehicle_.skills.begin(), vehicle_.skills.end(), skill) !=
          vehicle_.skills.end()) {
        continue;
      }
      Add({.kind = ViolationKind::kSkill, .node = node, .amount = 1}, "customer ", data_.id(node),
          " needs the skill ", Quoted(skill), ", which the vehicle does not have");
    }
  }
}

void RouteChecker::CheckRules() {
  if (data_.raw().customer_rules.empty()) return;
  std::map<size_t, std::vector<size_t>> places;  // by rule
  for (const NodeIndex node : path_) {
    for (const CheckerData::RulePlace& in : data_.RulesOf(node)) {
      places[in.rule].push_back(in.place);
    }
  }
  for (const auto& [rule, visited] : places) CheckRule(rule, visited);
}

void RouteChecker::CheckRule(size_t index, const std::vector<size_t>& places) {
  const CustomerRule& rule = data_.raw().customer_rules[index];
  const auto id = [&](size_t place) { return data_.id(rule.customers[place]); };
  if (rule.kind == RuleKind::kInOrder) {
    for (size_t i = 1; i < places.size(); ++i) {
      if (places[i - 1] <= places[i]) continue;
      Add({.kind = ViolationKind::kInOrder, .node = rule.customers[places[i]], .amount = 1},
          "visits customer ", id(places[i]), " after customer ", id(places[i - 1]),
          ", wanted the order of customer_rules[", index, "]");
    }
    return;
  }
  const bool apart = rule.kind == RuleKind::kDifferentRoutes;
  if (rule.kind == RuleKind::kSameRoute) return;  // concerns the whole plan
  const size_t most = apart ? 1 : static_cast<size_t>(rule.max);
  if (places.size() <= most) return;
  Add({.kind = apart ? ViolationKind::kDifferentRoutes : ViolationKind::kMaxPerRoute,
       .node = rule.customers[places[most]],
       .amount = static_cast<double>(places.size() - most)},
      "serves ", places.size(), " customers of customer_rules[", index, "], wanted at most ", most);
}

double RouteChecker::PeakLoad(size_t begin, size_t end, size_t dimension) const {
  double on_board = 0;
  if (begin == 0 && !vehicle_.initial_load.empty()) on_board = vehicle_.initial_load[dimension];
  for (size_t i = 0; i < begin; ++i) on_board += data_.Shipped(path_[i], dimension);
  for (size_t i = begin; i < end; ++i) on_board += data_.Demand(path_[i], dimension);
  double peak = on_board;
  for (size_t i = begin; i < end; ++i) {
    const NodeIndex node = path_[i];
    on_board += data_.Pickup(node, dimension) + data_.Backhaul(node, dimension) +
                data_.Shipped(node, dimension) - data_.Demand(node, dimension);
    peak = std::max(peak, on_board);
  }
  return peak;
}

std::string RouteChecker::CapacityText(double peak, double capacity, size_t dimension) const {
  const std::string dimension_text = dimension == 0 ? "" : Concat(" of dimension ", dimension);
  return Concat("load ", FormatNumber(peak), dimension_text, " exceeds vehicle capacity ",
                FormatNumber(capacity));
}

void RouteChecker::CheckLoads() {
  for (size_t k = 0; k < static_cast<size_t>(data_.raw().load_dimensions); ++k) {
    double capacity = vehicle_.capacity;
    if (k > 0) {
      capacity =
          k <= vehicle_.further_capacities.size() ? vehicle_.further_capacities[k - 1] : kNoLimit;
    }
    double peak = 0;
    for (size_t begin = 0; begin < path_.size();) {
      size_t end = begin + 1;
      while (end < path_.size() && !StartsTrip(end)) ++end;
      peak = std::max(peak, PeakLoad(begin, end, k));
      begin = end;
    }
    if (peak <= CapacityWithRounding(capacity)) continue;
    Add({.kind = ViolationKind::kCapacity, .amount = peak - capacity},
        CapacityText(peak, capacity, k));
  }
}

void RouteChecker::CheckCompartments() {
  if (vehicle_.compartments.empty()) return;
  int32_t trip = 0;
  for (size_t begin = 0; begin < path_.size(); ++trip) {
    size_t end = begin + 1;
    while (end < path_.size() && !StartsTrip(end)) ++end;
    std::vector<ProductPeak> products;
    for (int32_t k = 0; k < data_.raw().load_dimensions; ++k) {
      const double peak = PeakLoad(begin, end, static_cast<size_t>(k));
      if (peak > CapacityWithRounding(0)) products.push_back({k, peak});
    }
    begin = end;
    if (products.empty()) continue;
    const Assigned best = BestAssignment(vehicle_.compartments, products);
    if (best.full == products.size()) continue;
    double missing = -best.part;
    std::string loads;
    for (size_t i = 0; i < products.size(); ++i) {
      if (i >= best.full) missing += products[i].load;
      loads += Concat(i == 0 ? "" : ", ", FormatNumber(products[i].load), " of dimension ",
                      products[i].dimension);
    }
    const size_t count = vehicle_.compartments.size();
    Add({.kind = ViolationKind::kCompartments, .amount = missing},
        vehicle_.max_reloads > 0 ? Concat("trip ", trip, ": ") : "", "loads of ", loads,
        " do not fit in the ", count, count == 1 ? " compartment" : " compartments");
  }
}

// Goods without a delivery on this route are reported with the shipments.
void RouteChecker::CheckLifo() {
  if (!vehicle_.lifo) return;
  std::vector<const Shipment*> on_board;
  for (auto visit = path_.begin(); visit != path_.end(); ++visit) {
    const Shipment* const shipment = data_.ShipmentAt(*visit);
    if (shipment == nullptr) continue;
    if (shipment->pickup == *visit) {
      const bool delivered = std::find(visit, path_.end(), shipment->delivery) != path_.end();
      if (delivered) on_board.push_back(shipment);
      continue;
    }
    const auto own = std::find(on_board.begin(), on_board.end(), shipment);
    if (own == on_board.end()) continue;
    if (shipment != on_board.back()) {
      Add({.kind = ViolationKind::kLifo, .node = *visit, .amount = 1}, "delivers to customer ",
          data_.id(*visit), " while goods for customer ", data_.id(on_board.back()->delivery),
          ", picked up later, are on board");
    }
    on_board.erase(own);
  }
}

void RouteChecker::CheckBackhaulOrder() {
  const auto dimensions = static_cast<size_t>(data_.raw().load_dimensions);
  bool picked_up = false;
  for (const NodeIndex node : path_) {
    if (data_.is_depot(node)) picked_up = false;
    double demand = 0;
    double backhaul = 0;
    for (size_t k = 0; k < dimensions; ++k) {
      demand += data_.Demand(node, k);
      backhaul += data_.Backhaul(node, k);
    }
    if (picked_up && demand > 0) {
      Add({.kind = ViolationKind::kBackhaulOrder, .node = node, .amount = demand},
          "delivers to customer ", data_.id(node), " after a backhaul");
    }
    picked_up = picked_up || backhaul > 0;
  }
}

void RouteChecker::CheckShift(double end) {
  const double close = vehicle_.shift.close;
  if (end <= close + data_.time_tolerance()) return;
  Add({.kind = ViolationKind::kShift, .amount = end - close}, "ends at ", FormatNumber(end),
      ", after its shift closes at ", FormatNumber(close));
}

void RouteChecker::CheckDriving() {
  const DrivingRules& rules = vehicle_.driving_rules;
  if (rules.max_driving == kNoLimit && rules.max_work == kNoLimit) return;
  double driving = 0;
  for (size_t i = 1; i < path_.size(); ++i) {
    // The same at each departure, as driving rules exclude other travel times.
    driving += data_.TravelTimes(vehicle_, path_[i - 1], path_[i]).front().travel;
  }
  const auto exceeds = [&](double time, double limit) {
    return time > limit + std::max(data_.time_tolerance(), 1e-6 * limit);
  };
  if (exceeds(driving, rules.max_driving)) {
    Add({.kind = ViolationKind::kMaxDriving, .amount = driving - rules.max_driving}, "drives for ",
        FormatNumber(driving), ", longer than the limit ", FormatNumber(rules.max_driving));
  }
  const double busy = driving + WorkTime(data_, vehicle_, path_);
  if (!exceeds(busy, rules.max_work)) return;
  Add({.kind = ViolationKind::kMaxWork, .amount = busy - rules.max_work}, "drives and works for ",
      FormatNumber(busy), ", longer than the limit ", FormatNumber(rules.max_work));
}

void RouteChecker::CheckLateStop(const LateStop& late) {
  const double amount = late.ready - late.window.close;
  if (late.window.late_cost != kNoLimit) {
    figures_.late_cost += late.window.late_cost * amount;
    return;
  }
  if (amount <= data_.time_tolerance()) return;
  const bool back = late.index + 1 == path_.size() && !vehicle_.open_end;
  const bool depot = data_.is_depot(path_[late.index]);
  Add({.kind = ViolationKind::kTimeWindow, .node = path_[late.index], .amount = amount},
      late.index == 0 ? "leaves depot "
      : back          ? "returns to depot "
      : depot         ? "reloads at depot "
                      : "arrives at customer ",
      data_.id(path_[late.index]), " at ", FormatNumber(late.ready),
      late.index == 0 && late.window.close == vehicle_.latest_start ? ", after its latest start, "
                                                                    : ", after it closes at ",
      FormatNumber(late.window.close));
}

void RouteChecker::AddMissedBreak(size_t index) {
  const Break& missed = vehicle_.breaks[index];
  std::string when =
      Concat("from ", FormatNumber(missed.window.open), " to ", FormatNumber(missed.window.close));
  for (const TimeWindow& window : missed.further_windows) {
    when += Concat(" or from ", FormatNumber(window.open), " to ", FormatNumber(window.close));
  }
  for (size_t k = 0; k < missed.max_load.size(); ++k) {
    when += Concat(k == 0 ? " with a load of at most " : ",", FormatNumber(missed.max_load[k]));
  }
  Add({.kind = ViolationKind::kBreak, .amount = 1}, "break ", index, " cannot begin ", when,
      " without making a stop or the route's end late");
}

void RouteChecker::CheckTimes() {
  const Objective objective = data_.raw().objective;
  const bool balanced =
      data_.raw().balance.has_value() && data_.raw().balance->measure == BalanceMeasure::kDuration;
  const bool latest = balanced || vehicle_.limits_duration() || objective == Objective::kDuration ||
                      (objective == Objective::kCost && vehicle_.cost_per_time > 0);
  const CheckerClock clock(data_, vehicle_, path_);
  const ClockReading reading = clock.Read(latest);
  figures_.duration = reading.end - reading.start;
  figures_.late_cost = reading.late_cost;
  figures_.work = WorkTime(data_, vehicle_, path_);
  const bool breaks_taken = !reading.missed_break.has_value() && !reading.too_many_labels;
  const size_t before = violations_.size();
  for (const LateStop& late : reading.late) CheckLateStop(late);
  CheckShift(reading.end);
  if (reading.missed_break.has_value() && violations_.size() == before) {
    AddMissedBreak(*reading.missed_break);
  }
  if (reading.too_many_labels) {
    Add({.kind = ViolationKind::kBreak, .amount = 1}, "has ", vehicle_.breaks.size(),
        " breaks with too many possible positions to check among stops with soft windows",
        vehicle_.driving_rules.has_breaks() ? " or with driving rules" : "");
  }
  if (reading.misses_driving_break && violations_.size() == before) {
    const DrivingRules& rules = vehicle_.driving_rules;
    Add({.kind = ViolationKind::kDrivingBreak, .amount = 1}, "cannot take a break of ",
        FormatNumber(rules.break_duration), " after at most ",
        FormatNumber(rules.max_driving_before_break),
        " of driving without making a stop or the route's end late");
  }
  double waiting = figures_.duration - WorkTime(data_, vehicle_, path_);
  if (vehicle_.max_waiting < kNoLimit) waiting -= clock.DrivingFrom(reading.start);
  for (const Break& pause : vehicle_.breaks) waiting -= breaks_taken ? pause.duration : 0;
  const double most = vehicle_.max_waiting;
  const double rounding = 1e-9 * figures_.duration;
  if (waiting > most + std::max(data_.time_tolerance(), 1e-6 * most) + rounding) {
    Add({.kind = ViolationKind::kMaxWaiting, .amount = waiting - most}, "waits ",
        FormatNumber(std::round(1e6 * waiting) / 1e6), ", longer than the limit ",
        FormatNumber(most));
  }
  const double limit = vehicle_.max_duration + vehicle_.max_overtime;
  if (figures_.duration <= limit + std::max(data_.time_tolerance(), 1e-6 * limit)) return;
  Add({.kind = ViolationKind::kDuration, .amount = figures_.duration - limit}, "takes ",
      FormatNumber(figures_.duration), ", longer than the limit ", FormatNumber(limit));
}

}  // namespace vrp
