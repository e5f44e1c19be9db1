// Measures how well habit models foretell routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/habits/habit_model.h"
#include "core/habits/history.h"

namespace vrp {

// A past route as a question to a model.
struct HabitCase {
  std::vector<HabitStop> stops = {};  // the depot, then the stops in random order
  std::string_view driver = {};
  std::vector<int32_t> route = {};  // as it was driven: indices into `stops`, from 1
};

// Returns the cases of the routes from number `first` on. The order of their stops depends only on
// the route's number, so that no model can read the answer from it. The views are of `history`,
// which must outlive the result.
std::vector<HabitCase> CasesOf(const RouteHistory& history, size_t first);

// The figures of a model.
struct HabitScore {
  int64_t routes = 0;
  int64_t choices = 0;  // the next stops of all routes, including the only ones left
  // Mean over the choices of the logarithm of the probability of the stop that came next. The
  // depot is one of the stops that may come next.
  double mean_log_probability = 0;
  // Share of the choices among two or more stops left in which the driver went to the most likely
  // one; 0 if there are none.
  double next_stop_accuracy = 0;
  // The same figures of the choices of stops that the model does not know.
  int64_t new_choices = 0;
  double new_mean_log_probability = 0;
  double new_next_stop_accuracy = 0;
  // Mean over the routes of the RouteSimilarity of MostLikelyRoute.
  double route_similarity = 0;
  // Total length of these routes over that of the driven ones; nullopt unless all positions are
  // known, and lengths are positive.
  std::optional<double> length_ratio = {};
};

// Returns the share of the legs of `driven`, those from and to the depot included, that `proposed`
// has in the same direction. Both have the same stops.
double RouteSimilarity(std::span<const int32_t> driven, std::span<const int32_t> proposed);

// Returns the route that goes to the most likely stop each time.
std::vector<int32_t> MostLikelyRoute(const HabitModel& model, const HabitCase& question);

// Sums over choices.
struct ChoiceScore {
  double log_probability = 0;
  int64_t choices = 0;
  int64_t open_choices = 0;  // among two or more stops
  int64_t hits = 0;          // open choices in which the driver went to the most likely stop

  ChoiceScore& operator+=(const ChoiceScore& other);
  // Return means; 0 without choices.
  double MeanLogProbability() const;
  double Accuracy() const;
};

// The figures of one case.
struct CaseScore {
  ChoiceScore all = {};
  ChoiceScore new_stops = {};  // of which the model does not know the stop
  double similarity = 0;
  std::optional<double> driven = {};    // length of the route
  std::optional<double> proposed = {};  // length of MostLikelyRoute
};
CaseScore ScoreCase(const HabitModel& model, const HabitCase& question,
                    CoordinateSystem coordinates);
// Returns the figures of all cases. `cases` must not be empty.
HabitScore Summarise(std::span<const CaseScore> cases);

// Asks the model for all cases, of which there must be one, in parallel.
HabitScore EvaluateHabits(const HabitModel& model, std::span<const HabitCase> cases,
                          CoordinateSystem coordinates, CpuPool& pool);

}  // namespace vrp
