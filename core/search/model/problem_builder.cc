#include "core/search/model/problem_builder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/problem/instance/fields.h"
#include "core/search/model/distance_matrix.h"

namespace vrp {
namespace {

// Far below the checker's tolerance (1e-6), far above the rounding of sums of doubles.
constexpr double kRelativeSlack = 1e-9;
// A vehicle type is compared with this many distinct ones before it.
constexpr size_t kCompared = 64;

double Roomy(double limit) { return limit * (1 + kRelativeSlack / 2); }

// Where it never closes, the opening.
double EndOf(const TimeWindow& window) {
  return std::isfinite(window.close) ? window.close : window.open;
}

bool AnyAbove0(const double* row, int32_t count) {
  return std::any_of(row, row + count, [](double value) { return value > 0; });
}

// Whether vehicles of both types are interchangeable: all fields but id and count are equal. The
// matrices come last in the list of fields, as they take the longest to compare.
bool SameVehicles(const VehicleType& a, const VehicleType& b) {
  return AllFields<VehicleType>([&](auto field) {
    if (field.name == "id" || field.name == "count") return true;
    return a.*field.member == b.*field.member;
  });
}

}  // namespace

void ProblemBuilder::Run() {
  problem_.size_ = problem_.instance().num_nodes();
  problem_.depots_ = problem_.instance().num_depots();
  problem_.dimensions_ = problem_.instance().load_dimensions();
  problem_.inverse_speed_ = 1 / problem_.instance().speed();
  ReadTimes();
  ReadLoads();
  ReadUnits();
  ReadVehicles();
  ReadFrozen();
  ReadSkills();
  SetTravel();
  Summarize();
  BuildNeighbours();
  problem_.detours_ = Detours::Create(problem_, stop_);
}

void ProblemBuilder::ReadTimes() {
  Problem& p = problem_;
  p.service_ = data_.services.empty() ? std::vector<double>(p.size_, 0.0) : data_.services;
  p.setup_ = data_.setups;
  p.release_ = data_.releases;
  p.open_.resize(p.size_);
  p.close_.resize(p.size_);
  p.late_from_.resize(p.size_);
  p.further_begin_.assign(p.size_ + 1, 0);
  double horizon = 0;
  std::vector<double> late_cost(p.size_, 0.0);
  bool soft = false;
  for (NodeIndex node = 0; node < p.size_; ++node) {
    TimeWindow window = p.instance().window(node);
    p.open_[node] = window.open;
    p.close_[node] = window.soft() ? kNoLimit : window.close;
    if (!data_.further_windows.empty() && !data_.further_windows[node].empty()) {
      const auto& further = data_.further_windows[node];
      p.further_.insert(p.further_.end(), further.begin(), further.end());
      window = further.back();
    }
    p.further_begin_[node + 1] = static_cast<int32_t>(p.further_.size());
    p.late_from_[node] = window.close;
    if (window.soft()) late_cost[node] = window.late_cost;
    soft = soft || (window.soft() && window.close != kNoLimit);
    p.timed_ = p.timed_ || p.open_[node] > 0 || window.close != kNoLimit;
    if (std::isfinite(window.close)) horizon = std::max(horizon, std::abs(window.close));
    horizon = std::max(horizon, window.open);
    p.timed_ = p.timed_ || p.release(node) > 0;
  }
  if (soft) p.late_cost_ = std::move(late_cost);
  for (const VehicleType& type : data_.vehicles) {
    horizon = std::max(horizon, EndOf(type.shift));
    for (const Break& pause : type.breaks) horizon = std::max(horizon, EndOf(pause.window));
  }
  p.time_slack_ = horizon * kRelativeSlack;
}

void ProblemBuilder::ReadLoads() {
  Problem& p = problem_;
  const int64_t loads = int64_t{p.size_} * p.dimensions_;
  p.delivered_.assign(data_.demands.begin(), data_.demands.end());
  p.collected_.assign(loads, 0.0);
  for (size_t i = 0; i < data_.pickups.size(); ++i) p.collected_[i] += data_.pickups[i];
  for (size_t i = 0; i < data_.backhauls.size(); ++i) p.collected_[i] += data_.backhauls[i];
  p.carried_.assign(loads, 0.0);
  for (const Shipment& shipment : data_.shipments) {
    for (size_t k = 0; k < shipment.amounts.size(); ++k) {
      p.carried_[shipment.pickup * int64_t{p.dimensions_} + k] += shipment.amounts[k];
      p.carried_[shipment.delivery * int64_t{p.dimensions_} + k] -= shipment.amounts[k];
    }
  }
  p.linehaul_.resize(p.size_);
  p.backhaul_.assign(p.size_, 0);
  for (NodeIndex node = 0; node < p.size_; ++node) {
    p.linehaul_[node] = AnyAbove0(p.delivered(node), p.dimensions_);
    if (!data_.backhauls.empty()) {
      p.backhaul_[node] = AnyAbove0(&data_.backhauls[node * int64_t{p.dimensions_}], p.dimensions_);
    }
    p.has_backhauls_ = p.has_backhauls_ || p.backhaul_[node];
  }
  p.has_shipments_ = !data_.shipments.empty();
  p.plain_loads_ = !p.has_shipments_ && data_.backhauls.empty() && data_.pickups.empty();
}

void ProblemBuilder::ReadUnits() {
  Problem& p = problem_;
  p.unit_of_.assign(p.size_, -1);
  BindDeliveries();
  for (const Shipment& shipment : data_.shipments) {
    const NodeIndex ends[] = {shipment.pickup, shipment.delivery};
    if (p.unit_of_[shipment.delivery] < 0) AddUnit(Unit::Kind::kShipment, ends);
  }
  for (const std::vector<NodeIndex>& group : data_.alternative_groups) {
    AddUnit(Unit::Kind::kAlternatives, group);
  }
  for (NodeIndex node = p.depots_; node < p.size_; ++node) {
    if (p.unit_of_[node] < 0) AddUnit(Unit::Kind::kSingle, {&node, 1});
  }
}

void ProblemBuilder::AddUnit(Unit::Kind kind, std::span<const NodeIndex> nodes) {
  Problem& p = problem_;
  Unit unit{.kind = kind,
            .first = static_cast<int32_t>(p.unit_nodes_.size()),
            .count = static_cast<int32_t>(nodes.size()),
            .weight = 0};
  const bool shipment = kind == Unit::Kind::kShipment;
  double prize = shipment ? 0 : kNoLimit;
  for (const NodeIndex node : nodes) {
    const double own = data_.prizes.empty() ? kNoLimit : data_.prizes[node];
    const double weight = 1 + (data_.priorities.empty() ? 0 : data_.priorities[node]);
    prize = shipment ? prize + own : std::min(prize, own);
    unit.weight = shipment ? unit.weight + weight : std::max(unit.weight, weight);
    p.unit_of_[node] = p.units();
  }
  unit.prize = prize;
  p.unit_nodes_.insert(p.unit_nodes_.end(), nodes.begin(), nodes.end());
  p.units_.push_back(unit);
}

// No plan leaves out what is on board already.
void ProblemBuilder::BindDeliveries() {
  const std::span<const FrozenRoute> frozen = problem_.instance().frozen();
  for (size_t slot = 0; slot < frozen.size(); ++slot) {
    for (const NodeIndex delivery : frozen[slot].deliveries) {
      AddUnit(Unit::Kind::kSingle, {&delivery, 1});
      Unit& unit = problem_.units_.back();
      unit.prize = kNoLimit;
      unit.weight = Problem::kNever;
      unit.slot = static_cast<int32_t>(slot);
    }
  }
}

void ProblemBuilder::ReadFrozen() {
  Problem& p = problem_;
  for (const FrozenRoute& frozen : p.instance().frozen()) {
    const int32_t type = p.TypeOf(frozen.vehicle_type);
    const Vehicle& vehicle = p.vehicles_[type];
    FrozenSearchRoute route{.type = type,
                            .label = frozen.vehicle_type,
                            .nodes = {vehicle.start},
                            .fixed = static_cast<int32_t>(frozen.visits.size())};
    route.nodes.insert(route.nodes.end(), frozen.visits.begin(), frozen.visits.end());
    route.nodes.insert(route.nodes.end(), frozen.deliveries.begin(), frozen.deliveries.end());
    route.nodes.push_back(vehicle.end);
    p.frozen_.push_back(std::move(route));
  }
}

void ProblemBuilder::ReadVehicles() {
  Problem& p = problem_;
  // A TSP comes here where a part of its tour is frozen.
  static const std::vector<VehicleType>* const tourist =
      new std::vector<VehicleType>(1, VehicleType{.count = 1});
  const std::vector<VehicleType>& types = data_.vehicles.empty() ? *tourist : data_.vehicles;
  for (size_t t = 0; t < types.size(); ++t) {
    const VehicleType& type = types[t];
    size_t at = distinct_.size() > kCompared ? distinct_.size() - kCompared : 0;
    while (at < distinct_.size() && !SameVehicles(*distinct_[at], type)) ++at;
    if (at == distinct_.size()) {
      distinct_.push_back(&type);
      p.vehicles_.push_back(ReadVehicle(type));
    }
    Vehicle& vehicle = p.vehicles_[at];
    vehicle.originals.emplace_back(static_cast<int32_t>(t), type.count);
    const int64_t sum = int64_t{vehicle.count} + (type.count == 0 ? INT32_MAX : type.count);
    vehicle.count = static_cast<int32_t>(std::min<int64_t>(sum, INT32_MAX));
    p.type_of_.push_back(static_cast<int32_t>(at));
    p.timed_ =
        p.timed_ || !type.breaks.empty() || type.shift.open > 0 || type.shift.close != kNoLimit;
    p.plain_loads_ = p.plain_loads_ && type.max_reloads == 0;
  }
}

Vehicle ProblemBuilder::ReadVehicle(const VehicleType& type) const {
  Vehicle vehicle;
  vehicle.original = &type;
  vehicle.start = type.depot;
  vehicle.end = type.open_end ? problem_.nowhere() : type.end();
  vehicle.capacity = {Roomy(type.capacity)};
  for (const double capacity : type.further_capacities) vehicle.capacity.push_back(Roomy(capacity));
  vehicle.capacity.resize(problem_.dimensions_, kNoLimit);
  vehicle.leaves_from = std::max(problem_.open_[type.depot], type.shift.open);
  vehicle.leaves_by = problem_.close_[type.depot];
  vehicle.shift_close = type.shift.close;
  vehicle.regular_duration = type.max_duration;
  vehicle.duration_limit = Roomy(type.max_duration + type.max_overtime);
  vehicle.distance_limit = Roomy(type.max_distance);
  vehicle.max_stops = type.max_stops;
  vehicle.max_reloads = type.max_reloads;
  vehicle.breaks = type.breaks;
  SetCosts(type, vehicle);
  vehicle.needs_duration = vehicle.per_time != 0 || type.limits_duration();
  const bool duration_by_parts =
      problem_.further_.empty() && problem_.release_.empty() && problem_.setup_.empty();
  vehicle.simulated = !type.breaks.empty() || HasFurtherLimits(type) || problem_.soft() ||
                      (vehicle.needs_duration && !duration_by_parts);
  return vehicle;
}

void ProblemBuilder::SetCosts(const VehicleType& type, Vehicle& vehicle) const {
  if (data_.objective == Objective::kDuration) {
    vehicle.per_distance = 0;
    vehicle.per_time = 1;
  }
  if (data_.objective != Objective::kCost) return;
  vehicle.fixed = type.fixed_cost;
  vehicle.per_distance = type.cost_per_distance;
  vehicle.per_time = type.cost_per_time;
  vehicle.overtime_cost = type.overtime_cost;
}

// Sets of skills get numbers; a table says which vehicle's set holds which customer's.
void ProblemBuilder::ReadSkills() {
  Problem& p = problem_;
  using Set = std::vector<std::string>;
  const auto numbered = [](Set set, std::map<Set, int32_t>& numbers) {
    std::sort(set.begin(), set.end());
    return numbers.emplace(std::move(set), static_cast<int32_t>(numbers.size())).first->second;
  };
  std::map<Set, int32_t> wanted, owned;
  p.skill_set_.assign(p.size_, numbered({}, wanted));
  for (size_t node = 0; node < data_.required_skills.size(); ++node) {
    const Set& set = data_.required_skills[node];
    if (!set.empty()) p.skill_set_[node] = numbered(set, wanted);
  }
  for (size_t t = 0; t < distinct_.size(); ++t) {
    p.vehicles_[t].skills = numbered(distinct_[t]->skills, owned);
  }
  p.skill_rows_ = static_cast<int32_t>(owned.size());
  p.skilled_.assign(wanted.size() * owned.size(), 0);
  for (const auto& [need, row] : wanted) {
    for (const auto& [skills, column] : owned) {
      p.skilled_[row * int64_t{p.skill_rows_} + column] =
          std::includes(skills.begin(), skills.end(), need.begin(), need.end());
    }
  }
}

void ProblemBuilder::SetTravel() {
  Problem& p = problem_;
  const bool by_row = !data_.matrix_rows.empty();
  p.matrix_size_ = MatrixSize(data_);
  p.matrix_rows_ = data_.matrix_rows.data();
  const double* shared = data_.distance_matrix.empty() ? nullptr : data_.distance_matrix.data();
  bool symmetric = true;
  if (shared != nullptr) symmetric = IsSymmetric(shared, p.matrix_size_);
  if (shared == nullptr) p.exact_positions_ = ExactPositions(p.instance());
  if (shared == nullptr && !by_row && p.size_ <= Problem::kMatrixNodes) {
    p.own_distances_ = BuildDistances(p.instance(), stop_);
    if (!p.own_distances_.empty()) shared = p.own_distances_.data();
  }
  for (size_t t = 0; t < distinct_.size(); ++t) {
    const VehicleType& type = *distinct_[t];
    Vehicle& vehicle = p.vehicles_[t];
    const bool own = !type.distance_matrix.empty();
    (by_row ? vehicle.row_distance : vehicle.distance) = own ? type.distance_matrix.data() : shared;
    vehicle.symmetric = own ? IsSymmetric(type.distance_matrix.data(), p.matrix_size_) : symmetric;
    const double*& duration = by_row ? vehicle.row_duration : vehicle.duration;
    if (!type.duration_matrix.empty()) {
      duration = type.duration_matrix.data();
    } else if (!data_.duration_matrix.empty()) {
      duration = data_.duration_matrix.data();
    }
    const Vehicle& first = p.vehicles_.front();
    p.least_per_distance_ = std::min(p.least_per_distance_, vehicle.per_distance);
    p.has_reloads_ = p.has_reloads_ || vehicle.max_reloads > 0;
    p.one_distance_ = p.one_distance_ && vehicle.distance == first.distance &&
                      vehicle.row_distance == first.row_distance;
  }
}

// What follows from all parts together.
void ProblemBuilder::Summarize() {
  Problem& p = problem_;
  std::vector<double>& largest = p.most_capacity_;
  largest.assign(p.dimensions_, 0.0);
  for (const Vehicle& vehicle : p.vehicles_) {
    for (int32_t k = 0; k < p.dimensions_; ++k) {
      // Beside one without a limit, loads are still shares of those that have one.
      if (std::isfinite(vehicle.capacity[k])) {
        largest[k] = std::max(largest[k], vehicle.capacity[k]);
      }
    }
  }
  p.bulk_.assign(p.size_, 0.0);
  const Vehicle& vehicle = p.vehicles_.front();
  double farthest = 0;
  double between = 0;
  double sum = 0;
  for (NodeIndex node = p.depots_; node < p.size_; ++node) {
    for (int32_t k = 0; k < p.dimensions_; ++k) {
      if (largest[k] == 0) continue;
      const double load = std::max(p.delivered(node)[k], std::max(p.collected(node)[k], 0.0) +
                                                             std::max(p.carried(node)[k], 0.0));
      p.bulk_[node] = std::max(p.bulk_[node], load / largest[k]);
    }
    const double way = p.Distance(vehicle, vehicle.start, node);
    // A start that is 0 away from all is that of a vehicle that begins with its first customer.
    farthest = std::max({farthest, way + p.Duration(vehicle, vehicle.start, node),
                         p.Distance(vehicle, node, vehicle.end)});
    between = std::max(between, p.Distance(vehicle, node - 1, node));
    sum += 2 * way + p.Distance(vehicle, node, vehicle.start);
  }
  const double scale = farthest > 0 ? farthest : between;  // as PlainProblem::Create
  p.epsilon_ = kRelativeSlack * (scale > 0 ? scale : 1);
  if (data_.objective == Objective::kVehiclesThenDistance) p.route_weight_ = sum > 0 ? 2 * sum : 1;
}

}  // namespace vrp
