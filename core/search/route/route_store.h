// A feasible, possibly partial plan under change, with undo.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/plan/solution.h"
#include "core/search/model/vehicle_labels.h"
#include "core/search/route/balance_term.h"
#include "core/search/route/search_route.h"
#include "core/search/route/undo_log.h"

namespace vrp {

// Every route is feasible at any time; units may be absent. Slots of emptied routes are used again.
// Not thread-safe. `problem` must outlive it.
class RouteStore {
 public:
  // With the frozen routes, which must keep to all limits, and all that may be absent absent.
  explicit RouteStore(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  RouteEvaluator& evaluator() { return evaluator_; }
  int32_t slots() const { return static_cast<int32_t>(routes_.size()); }
  const std::vector<SearchRoute>& routes() const { return routes_; }
  const SearchRoute& route(int32_t slot) const { return routes_[slot]; }
  // By slot, what insertions ask first: with plain_loads what the first dimension has left, else no
  // limit; -kNever where the slot is not in use or the route has no stop left.
  std::span<const double> rooms() const { return rooms_; }
  const VisitPlace& PlaceOf(NodeIndex customer) const { return places_[customer]; }
  int32_t RouteOf(NodeIndex customer) const { return places_[customer].route; }  // -1: none
  int32_t PositionOf(NodeIndex customer) const { return places_[customer].position; }
  // Units that no route serves but some could.
  const std::vector<int32_t>& absent() const { return absent_; }
  // Units that some route could serve.
  const std::vector<int32_t>& servable() const { return problem_->detours().servable(); }
  bool Serves(int32_t unit) const;
  // Returns the only route in which rules between customers allow `node`, because it serves
  // customers of other units that must share it; -1: any.
  int32_t BoundSlot(NodeIndex node) const;

  int32_t used() const { return used_; }  // routes
  bool HasVehicle(int32_t type) const { return used_of_[type] < problem_->vehicle(type).count; }
  // No more than this many routes are opened.
  void LimitRoutes(int32_t limit) { route_limit_ = limit; }
  bool CanOpenRoute() const { return used_ < route_limit_ && used_ < vehicles_; }

  double missing_weight() const { return missing_weight_; }  // of the absent that are required
  double cost() const { return route_cost_ + lost_prizes_; }
  double fixed_cost() const { return fixed_cost_; }  // of cost(): what used vehicles cost alone

  // The balance of the instance, with the price that is set.
  const BalanceTerm& balance() const { return balance_; }
  void SetBalancePrice(double price) { balance_.SetPrice(price); }
  void CentreBalanceBand() { balance_.CentreBand(routes_); }
  // Measures the routes of an instance with a balance. O(slots).
  BalanceSums MeasureSpread() const;
  // Returns what the balance adds to cost(); 0 without balance. O(slots).
  double balance_cost() const { return balance_.active() ? balance_.CostOf(MeasureSpread()) : 0; }

  // Takes over what of `plan` is feasible; what is not becomes absent.
  void Load(const Plan& plan);
  Plan ToPlan() const { return PlanOf(*problem_, routes_); }

  // `nodes` has the vehicle's start and end, or is empty; order and loads are allowed. Its
  // customers come from this route or from none. False: it is too late or too long, and the slot is
  // emptied.
  bool SetRoute(int32_t slot, int32_t type, std::span<const NodeIndex> nodes);
  // Inserts a customer behind position `after`, where it is feasible. False: as SetRoute.
  bool Insert(int32_t slot, int32_t after, NodeIndex customer);
  // Removes `count` visits from position `begin` on. False: as SetRoute. Whose visits they were,
  // are in no route and not absent() either afterwards: the caller inserts them or calls SetAbsent.
  bool Remove(int32_t slot, int32_t begin, int32_t count);
  void SetAbsent(std::vector<int32_t> units);
  void SetRestAbsent();  // all that could be served and is not
  int32_t EmptySlot();

  // All changes since Begin are undone by Rollback. No nesting.
  void Begin();
  void Commit() { undo_.Stop(); }
  void Rollback();
  // Slots changed since Begin.
  std::vector<int32_t> Touched() const;
  // Slots changed since they were asked for the last time, each once.
  std::vector<int32_t> TakeChanged() { return changed_.Take(); }

 private:
  struct RouteCopy {
    int32_t from = 0;  // no visit before it has changed
    SearchRoute route;
  };
  // To be called before the route changes from position `from` on.
  void Save(int32_t slot, int32_t from);
  void Count(const SearchRoute& route, int32_t sign);
  void MeasureRoom(int32_t slot);
  void MeasureKnownEdges(SearchRoute& route) const;
  // Takes the customers at positions from `from` on out of places_.
  void Unlink(const SearchRoute& route, int32_t from);
  // Fills in the places of the customers at [begin, end).
  void Number(int32_t slot, int32_t begin, int32_t end);
  // Likewise after visits came or went before position `moved_from`: those from there on have new
  // positions, and the ones at [begin, moved_from) new neighbours too.
  void Renumber(int32_t slot, int32_t begin, int32_t moved_from);
  // The route of the plan that begins as the frozen one in that slot; -1: none does.
  int64_t FindFrozen(const Plan& plan, int32_t slot) const;
  void LoadRoute(const PlannedRoute& planned);

  const Problem* problem_;
  RouteEvaluator evaluator_;
  BalanceTerm balance_;
  bool several_nodes_ = false;  // some units have
  std::vector<SearchRoute> routes_;
  std::vector<double> rooms_;
  std::vector<VisitPlace> places_;  // [N + 1]
  std::vector<int32_t> used_of_;    // by type
  std::vector<int32_t> absent_;
  int32_t used_ = 0;
  int32_t route_limit_ = INT32_MAX;
  int64_t vehicles_ = 0;     // of all types together
  int32_t first_empty_ = 0;  // no slot before it is empty
  double route_cost_ = 0, fixed_cost_ = 0, lost_prizes_ = 0, missing_weight_ = 0;

  UndoLog<RouteCopy> undo_;
  ChangedSlots changed_;
  std::vector<NodeIndex> changed_nodes_;
  std::vector<int32_t> saved_absent_;
  double saved_cost_ = 0, saved_fixed_ = 0, saved_prizes_ = 0, saved_weight_ = 0;
};

}  // namespace vrp
