#include "core/search/model/problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/problem/instance/fields.h"
#include "core/search/model/search_options.h"

namespace vrp {
namespace {

// The most that a vehicle of a penalised problem loads, in capacities.
constexpr double kMostLoaded = 2;
// A vehicle type is compared with this many distinct ones before it.
constexpr size_t kCompared = 64;

// Whether vehicles of both types are interchangeable: all fields but id and count are equal. The
// matrices come last in the list of fields, as they take the longest to compare.
bool SameVehicles(const VehicleType& a, const VehicleType& b) {
  return AllFields<VehicleType>([&](auto field) {
    if (field.name == "id" || field.name == "count") return true;
    return a.*field.member == b.*field.member;
  });
}

}  // namespace

// Makes a Problem out of an instance.
class ProblemBuilder {
 public:
  ProblemBuilder(Problem& problem, const StopCondition& stop)
      : problem_(problem), data_(problem.instance().data()), stop_(stop) {}

  void Run(std::span<const Plan> samples);

 private:
  void ReadUnits();
  void PairEnds();
  void AddUnit(Unit::Kind kind, std::span<const NodeIndex> nodes);
  void AddAlternatives(const std::vector<NodeIndex>& group);
  double WholePrize(NodeIndex customer) const;
  void BindDeliveries();
  void ReadFrozen();
  void ReadVehicles();
  Vehicle ReadVehicle(const VehicleType& type) const;
  void ReadCustomerTimes();
  void SetCosts(const VehicleType& type, Vehicle& vehicle) const;
  void SetScale();
  void BuildNeighbours(std::span<const Plan> samples);
  void FindServable();

  Problem& problem_;
  const InstanceData& data_;
  const StopCondition& stop_;
  std::vector<const VehicleType*> distinct_;  // by type
};

void ProblemBuilder::Run(std::span<const Plan> samples) {
  Problem& p = problem_;
  p.depots_ = p.instance().num_depots();
  p.plain_ = IsPlain(p.instance());
  p.single_tour_ = p.plain_ && data_.kind == ProblemKind::kTsp;
  ReadUnits();
  ReadVehicles();
  p.max_routes_ = std::min(p.size(), p.vehicles_.front().count);
  ReadFrozen();
  p.SetCapacities(p.vehicles_);
  p.skills_ = Skills(p.instance(), distinct_, p.vehicles_);
  p.SetMatrices(distinct_, stop_, p.vehicles_);
  p.rules_ = RouteRules(p.instance());
  SetScale();
  BuildNeighbours(samples);
  p.detours_ = Detours::Create(p, stop_);
  FindServable();
}

void ProblemBuilder::ReadUnits() {
  Problem& p = problem_;
  p.unit_of_.assign(p.size(), -1);
  BindDeliveries();
  PairEnds();
  std::vector<char> is_alternative(p.size(), 0);
  for (const std::vector<NodeIndex>& group : data_.alternative_groups) {
    for (const NodeIndex member : group) is_alternative[member] = 1;
  }
  for (const Shipment& shipment : data_.shipments) {
    const NodeIndex ends[] = {shipment.pickup, shipment.delivery};
    const bool bound = p.unit_of_[shipment.delivery] >= 0;
    if (!bound && !is_alternative[shipment.pickup]) AddUnit(Unit::Kind::kShipment, ends);
  }
  for (const std::vector<NodeIndex>& group : data_.alternative_groups) AddAlternatives(group);
  for (NodeIndex node = p.depots_; node < p.size(); ++node) {
    if (p.unit_of_[node] < 0) AddUnit(Unit::Kind::kSingle, {&node, 1});
  }
}

// Pairs the ends of shipments whose deliveries BindDeliveries left.
void ProblemBuilder::PairEnds() {
  Problem& p = problem_;
  if (data_.shipments.empty()) return;
  p.other_end_.assign(p.size(), -1);
  p.is_pickup_.assign(p.size(), 0);
  for (const Shipment& shipment : data_.shipments) {
    if (p.unit_of_[shipment.delivery] >= 0) continue;
    p.other_end_[shipment.pickup] = shipment.delivery;
    p.other_end_[shipment.delivery] = shipment.pickup;
    p.is_pickup_[shipment.pickup] = 1;
  }
}

void ProblemBuilder::AddAlternatives(const std::vector<NodeIndex>& group) {
  std::vector<NodeIndex> nodes;
  for (const NodeIndex member : group) {
    nodes.push_back(member);
    if (problem_.DeliveryInUnit(member) >= 0) nodes.push_back(problem_.DeliveryInUnit(member));
  }
  AddUnit(Unit::Kind::kAlternatives, nodes);
  double largest = 0;
  bool required = false;
  bool are_equal = true;
  for (const NodeIndex member : group) {
    const double prize = WholePrize(member);
    are_equal = are_equal && prize == WholePrize(group.front());
    required = required || prize == kNoLimit;
    if (prize != kNoLimit) largest = std::max(largest, prize);
  }
  Problem& p = problem_;
  p.units_.back().prize = required ? kNoLimit : largest;
  if (are_equal) return;
  p.lost_prizes_.resize(p.size() + 1, 0.0);
  for (const NodeIndex member : group) {
    const double prize = WholePrize(member);
    p.lost_prizes_[member] = largest - (prize == kNoLimit ? 0 : prize);
  }
}

// Returns the prize of a customer or, if it is a pickup, of its shipment.
double ProblemBuilder::WholePrize(NodeIndex customer) const {
  if (data_.prizes.empty()) return kNoLimit;
  const NodeIndex delivery = problem_.DeliveryOf(customer);
  return data_.prizes[customer] + (delivery < 0 ? 0 : data_.prizes[delivery]);
}

void ProblemBuilder::AddUnit(Unit::Kind kind, std::span<const NodeIndex> nodes) {
  Problem& p = problem_;
  Unit unit{.kind = kind,
            .first = static_cast<int32_t>(p.unit_nodes_.size()),
            .count = static_cast<int32_t>(nodes.size()),
            .weight = 0};
  p.unit_nodes_.insert(p.unit_nodes_.end(), nodes.begin(), nodes.end());
  for (const std::span<const NodeIndex> way : p.WaysToServe(unit)) {
    double prize = 0;
    double weight = 0;
    for (const NodeIndex node : way) {
      prize += data_.prizes.empty() ? kNoLimit : data_.prizes[node];
      weight += 1 + (data_.priorities.empty() ? 0 : data_.priorities[node]);
      p.unit_of_[node] = p.units();
    }
    unit.prize = std::min(unit.prize, prize);
    unit.weight = std::max(unit.weight, weight);
  }
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
    p.has_reloads_ = p.has_reloads_ || type.max_reloads > 0;
  }
  if (p.has_customer_times()) ReadCustomerTimes();
}

void ProblemBuilder::ReadCustomerTimes() {
  Problem& p = problem_;
  HandlingTimes common = {.service = data_.services, .setup = data_.setups};
  common.service.resize(p.size(), 0.0);
  common.setup.resize(p.size(), 0.0);
  const auto shared = std::make_shared<const HandlingTimes>(common);
  for (Vehicle& vehicle : p.vehicles_) {
    vehicle.times = shared;
    if (vehicle.original->customer_times.empty()) continue;
    HandlingTimes own = common;
    for (const CustomerTimes& times : vehicle.original->customer_times) {
      if (times.service != kNoLimit) own.service[times.customer] = times.service;
      if (times.setup != kNoLimit) own.setup[times.customer] = times.setup;
    }
    vehicle.times = std::make_shared<const HandlingTimes>(std::move(own));
  }
}

Vehicle ProblemBuilder::ReadVehicle(const VehicleType& type) const {
  Vehicle vehicle;
  vehicle.original = &type;
  vehicle.start = type.depot;
  vehicle.end = type.open_end ? problem_.nowhere() : type.end();
  for (int32_t k = 0; k < problem_.dimensions(); ++k) {
    vehicle.capacity.push_back(WithSlack(LargestLoad(type, k)));
  }
  vehicle.leaves_from = std::max(problem_.open(type.depot), type.shift.open);
  vehicle.leaves_by = std::min(problem_.close(type.depot), type.latest_start);
  vehicle.shift_close = type.shift.close;
  vehicle.regular_duration = type.max_duration;
  vehicle.duration_limit = WithSlack(type.max_duration + type.max_overtime);
  (LimitsLength(data_, type) ? vehicle.length_limit : vehicle.distance_limit) =
      WithSlack(type.max_distance);
  vehicle.max_stops = type.max_stops;
  vehicle.max_reloads = type.max_reloads;
  vehicle.reload_depots = type.reload_depots;
  if (vehicle.reload_depots.empty()) vehicle.reload_depots = {type.depot};
  vehicle.initial_load = type.initial_load;
  vehicle.may_unload_first = type.MayUnloadFirst();
  vehicle.breaks = type.breaks;
  vehicle.lifo = type.lifo;
  if (!type.compartments.empty() && problem_.dimensions() > 1) {
    vehicle.compartments = std::make_shared<Compartments>(type.compartments, problem_.dimensions());
  }
  SetCosts(type, vehicle);
  const bool balanced =
      data_.balance.has_value() && data_.balance->measure == BalanceMeasure::kDuration;
  vehicle.needs_timed_driving = NeedsTimedDriving(data_, type);
  vehicle.needs_duration =
      vehicle.per_time != 0 || type.limits_duration() || vehicle.needs_timed_driving || balanced;
  const bool duration_by_parts =
      !problem_.has_further_windows() && !problem_.has_releases() && !problem_.has_setups();
  // With deliveries only, insertions judge compartments by the route's loads, so that no route
  // needs a simulation.
  const bool only_evaluated =
      (vehicle.compartments != nullptr && !problem_.plain_loads()) || !type.initial_load.empty();
  vehicle.simulated = !TimedMatricesOf(data_, type).empty() || !type.breaks.empty() ||
                      only_evaluated || HasFurtherLimits(data_, type) || problem_.soft() ||
                      problem_.has_customer_times() || vehicle.per_service_time != 0 ||
                      vehicle.per_travel_time != 0 || problem_.has_loading() ||
                      problem_.has_lost_prizes() || (vehicle.needs_duration && !duration_by_parts);
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
  vehicle.per_service_time = type.cost_per_service_time;
  vehicle.per_travel_time = type.cost_per_travel_time;
}

// Sets epsilon_ and route_weight_, which follow from the distances of the instance.
void ProblemBuilder::SetScale() {
  Problem& p = problem_;
  const Vehicle& vehicle = p.vehicles_.front();
  double farthest = 0;
  double between = 0;
  double sum = 0;
  for (NodeIndex node = p.depots_; node < p.size(); ++node) {
    const double way = p.Distance(vehicle, vehicle.start, node);
    farthest = std::max({farthest, way, p.Distance(vehicle, node, vehicle.end)});
    if (vehicle.needs_duration) {
      farthest = std::max(farthest, way + p.Duration(vehicle, vehicle.start, node));
    }
    between = std::max(between, p.Distance(vehicle, node - 1, node));
    sum += 2 * way + p.Distance(vehicle, node, vehicle.start);
  }
  // From a start that is 0 away from all, vehicles begin with their first customer. An instance
  // without any distance has no scale.
  const double scale = farthest > 0 ? farthest : between;
  p.epsilon_ = kRelativeSlack * (scale > 0 ? scale : 1);
  if (data_.objective == Objective::kVehiclesThenDistance) p.route_weight_ = sum > 0 ? 2 * sum : 1;
}

void ProblemBuilder::BuildNeighbours(std::span<const Plan> samples) {
  Problem& p = problem_;
  const int32_t most = p.plain_ ? Problem::kListedNodes : Problem::kScanAllNodes;
  const int32_t by_size = p.size() <= most ? Problem::kListed : Problem::kListedLarge;
  const int32_t wanted = p.tour_only() ? Problem::kListedTour : by_size;
  const NodeIndex first = p.listed_from();
  p.lists_ = BuildNeighbourLists(p, std::min(wanted, p.size() - first - 1), stop_);
  GuideLists(samples, first, p.lists_);
}

void ProblemBuilder::FindServable() {
  Problem& p = problem_;
  p.servable_.assign(p.size(), 0);
  for (NodeIndex node = p.depots_; node < p.size(); ++node) {
    p.servable_[node] = p.detours_.reach(p.unit_of_[node]) == Detours::Reach::kAlone;
    p.num_servable_ += p.servable_[node];
  }
}

std::vector<std::span<const NodeIndex>> Problem::WaysToServe(const Unit& unit) const {
  const std::span<const NodeIndex> nodes = NodesOf(unit);
  std::vector<std::span<const NodeIndex>> ways;
  for (size_t i = 0; i < nodes.size(); i += ways.back().size()) {
    ways.push_back(nodes.subspan(i, DeliveryInUnit(nodes[i]) >= 0 ? 2 : 1));
  }
  return ways;
}

double Problem::OwnHandling(const Vehicle& vehicle, NodeIndex from, NodeIndex node) const {
  const double service = vehicle.times->service[node];
  const double setup = vehicle.times->setup[node];
  if (setup == 0) return service;
  const bool elsewhere = Distance(vehicle, from, node) != 0 || Duration(vehicle, from, node) != 0;
  return service + (elsewhere ? setup : 0);
}

Problem Problem::Create(const Instance& instance, const StopCondition& stop,
                        std::span<const Plan> samples) {
  Problem problem(instance);
  ProblemBuilder(problem, stop).Run(samples);
  return problem;
}

Problem Problem::Penalised(const Penalties& penalties) const {
  Problem copy = *this;
  copy.penalised_ = true;
  copy.route_weight_ = 0;
  for (Vehicle& vehicle : copy.vehicles_) {
    vehicle.soft = {.capacity = vehicle.capacity,
                    .shift_close = vehicle.shift_close,
                    .duration = vehicle.duration_limit,
                    .distance = vehicle.distance_limit};
    for (double& capacity : vehicle.capacity) capacity *= kMostLoaded;
    vehicle.shift_close = vehicle.duration_limit = vehicle.distance_limit = kNoLimit;
    vehicle.simulated = true;
  }
  copy.SetPenalties(penalties);
  return copy;
}

void Problem::SetPenalties(const Penalties& penalties) {
  penalties_ = penalties;
  PenaliseLateness(instance(), penalties.time);
}

bool Problem::RouteFeasible(std::span<const NodeIndex> customers) const {
  double load = 0;
  for (const NodeIndex node : customers) load += demand(node);
  if (!Fits(load)) return false;
  if (!timed()) return true;
  NodeIndex last = 0;
  double departure = open(0);
  for (const NodeIndex node : customers) {
    const double arrival = departure + Duration(last, node);
    if (!InTime(arrival, close(node))) return false;
    departure = DepartureAfter(node, arrival);
    last = node;
  }
  return InTime(departure + Duration(last, 0), close(0));
}

}  // namespace vrp
