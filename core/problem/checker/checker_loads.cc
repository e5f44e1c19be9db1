// Implements the checks of a route's loads.
#include <algorithm>
#include <utility>

#include "core/base/number.h"
#include "core/problem/checker/checker_route.h"

namespace vrp {
namespace {

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

}  // namespace vrp
