// Finds the past day whose stops are the most like those of today.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/habits/history.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/plan.h"

namespace vrp {

// A past day, with its routes as a plan for an instance.
struct SimilarDay {
  int64_t day = 0;           // days since 1970-01-01
  int32_t common_stops = 0;  // customers of the instance that the day had too; at least 1
  int32_t past_stops = 0;    // stops of the day that have an id, each id once
  // The day's routes without the stops that the instance does not have. May break limits, and does
  // not serve customers that the day did not have. Has no more routes than there are vehicles, and
  // visits no customer twice.
  Plan plan = {};
};

// The days of a history, indexed by their stops. Immutable; thread-safe.
class PastDays {
 public:
  explicit PastDays(const RouteHistory& history);

  // Returns the day with the largest share of stops in common with the instance, of all stops of
  // both (Jaccard index of the ids); of equal ones the newest. Returns nullopt if no day has an id
  // of a customer. Takes time linear in the customers and their past visits.
  //
  // A vehicle whose id is the driver of a past route gets that route. Other routes, the longest
  // first, get the vehicle that starts nearest to their depot, then the smallest one that can carry
  // their load. A route that finds no vehicle is left out.
  std::optional<SimilarDay> MostSimilarTo(const Instance& instance) const;

 private:
  struct Route {
    std::string driver = {};  // empty: not stated
    std::optional<Position> depot = {};
    std::vector<int32_t> stops = {};  // numbers of ids
  };
  struct Day {
    int64_t day = 0;
    std::vector<Route> routes = {};
    int32_t stops = 0;  // distinct ids
  };

  Plan PlanOf(const Day& day, const Instance& instance) const;

  std::vector<Day> days_;                             // in increasing order
  std::unordered_map<std::string, int32_t> numbers_;  // of ids
  std::vector<std::string> ids_;                      // by number
  std::vector<std::vector<int32_t>> days_of_;         // by number: indices of days_, increasing
};

// Whether the instance names its customers itself: they do not all have their node number as id.
bool NamesCustomers(const Instance& instance);

}  // namespace vrp
