#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/output/visits.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Maximum number of lines with violations or customers. A large infeasible plan has thousands.
constexpr int kMaxDetailLines = 20;

template <typename Loads>
std::string LoadText(const Loads& loads) {
  std::string text;
  for (const double load : loads)
    absl::StrAppend(&text, text.empty() ? "" : ",", FormatQuantity(load));
  return text;
}

// Returns a text such as "  from 8:00 to 12:30"; empty if times are not times of day.
std::string HoursText(const v1::Route& route, const Quantities& quantities) {
  if (!quantities.times_of_day() || route.stops().empty()) return "";
  const v1::Stop& last = *route.stops().rbegin();
  const bool returns = VisitsEnd(route) < route.stops_size();
  return absl::StrCat("  from ", quantities.Time(route.stops(0).start()), " to ",
                      quantities.Time(returns ? last.arrival() : last.departure()));
}

// Returns a line such as "  compartment 0: 10 of dimension 0, compartment 2: 7 of dimension 1" for
// each trip. The line begins with the trip if the route has several.
std::string CompartmentsText(const v1::Route& route) {
  std::string text;
  const bool several = !route.compartments().empty() && route.compartments().rbegin()->trip() > 0;
  int32_t trip = -1;
  for (const v1::CompartmentUse& use : route.compartments()) {
    if (use.trip() != trip) {
      trip = use.trip();
      absl::StrAppend(&text, text.empty() ? "  " : "\n  ");
      if (several) absl::StrAppend(&text, "trip ", trip, ": ");
    } else {
      absl::StrAppend(&text, ", ");
    }
    absl::StrAppend(&text, "compartment ", use.compartment(), ": ", FormatQuantity(use.load()),
                    " of dimension ", use.load_dimension());
  }
  return text.empty() ? text : text + "\n";
}

std::string RouteText(int number, const v1::Route& route, const Quantities& quantities) {
  std::string text = absl::StrCat("Route ", number, ":");
  for (int i = 1; i < VisitsEnd(route); ++i) {
    const v1::Stop& stop = route.stops(i);
    absl::StrAppend(&text, stop.depot() ? " (reload at " : " ", stop.id(), stop.depot() ? ")" : "");
  }
  if (route.frozen_stops() > 0) {
    absl::StrAppend(&text, "  frozen: the first ", FormatCount(route.frozen_stops(), "stop"));
  }
  absl::StrAppend(&text, "  distance ", quantities.Distance(route.distance()));
  if (!route.load().empty()) absl::StrAppend(&text, "  load ", LoadText(route.load()));
  absl::StrAppend(&text, "  duration ", quantities.Duration(route.duration()),
                  HoursText(route, quantities), "\n");
  for (const v1::RouteBreak& route_break : route.breaks()) {
    const std::string name = route_break.driving_break()
                                 ? "driving break"
                                 : absl::StrCat("break ", route_break.index() + 1);
    absl::StrAppend(&text, "  ", name, " from ", quantities.Time(route_break.start()), " to ",
                    quantities.Time(route_break.end()), ", after ",
                    StopId(route, route_break.after_stop()), "\n");
  }
  return text + CompartmentsText(route);
}

// Returns the parts of the cost; empty if distance is the only part.
std::string CostBreakdownText(const v1::CostBreakdown& breakdown, const Quantities& quantities) {
  std::string text;
  const auto add = [&](std::string_view name, double part) {
    if (part == 0) return;
    absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(name), " ", quantities.Cost(part));
  };
  add("distance", breakdown.distance());
  add("duration", breakdown.duration());
  add("fixed", breakdown.fixed());
  add("overtime", breakdown.overtime());
  add("late", breakdown.lateness());
  add("lost prizes", breakdown.prizes());
  add("balance", breakdown.balance());
  const bool plain = text.empty() || (breakdown.distance() != 0 && !absl::StrContains(text, ","));
  return plain ? "" : absl::StrCat("  including ", text, "\n");
}

// Returns a text such as "cost: 375  gap +0.00 % vs file's reference 375". Omits the gap if there
// is no reference.
template <typename Response>
std::string CostText(double cost, const Response& response) {
  const Quantities quantities(response.solution().units());
  std::string text = absl::StrCat("cost: ", quantities.Cost(cost));
  if (response.has_gap() && response.has_reference_cost()) {
    absl::StrAppend(&text, "  gap ", FormatGap(response.gap(), kFileReference), " ",
                    quantities.Cost(response.reference_cost()));
  }
  return absl::StrCat(text, "\n");
}

template <typename Response>
std::string VerdictText(const Response& response) {
  if (response.feasible()) return "checker: feasible\n";
  std::string text = absl::StrCat("checker: NOT feasible, ",
                                  FormatCount(response.violations_size(), "violation"), "\n");
  for (int i = 0; i < std::min(response.violations_size(), kMaxDetailLines); ++i) {
    absl::StrAppend(&text, "  ", response.violations(i).kind(), ": ",
                    response.violations(i).message(), "\n");
  }
  if (response.violations_size() > kMaxDetailLines) {
    absl::StrAppend(&text, "  and ", response.violations_size() - kMaxDetailLines, " more\n");
  }
  return text;
}

// Returns one line per customer, at most kMaxDetailLines.
template <typename Customers>
std::string ReasonsText(const Customers& customers) {
  std::string text;
  for (int i = 0; i < std::min(customers.size(), kMaxDetailLines); ++i) {
    absl::StrAppend(&text, "  ", customers[i].id(), ": ", customers[i].reason(), "\n");
  }
  if (customers.size() > kMaxDetailLines) {
    absl::StrAppend(&text, "  and ", customers.size() - kMaxDetailLines, " more\n");
  }
  return text;
}

std::string UnservedText(const v1::Solution& solution) {
  if (solution.unserved().empty()) return "";
  return absl::StrCat("unserved: ", FormatCount(solution.unserved_size(), "customer"), "\n",
                      ReasonsText(solution.unserved()));
}

std::string InitialSolutionText(const v1::InitialSolutionReport& report, bool is_past,
                                const Quantities& quantities) {
  std::string text = absl::StrCat("started from ", is_past ? "its routes" : "the given plan", ": ",
                                  FormatCount(report.kept_customers(), "customer"), ", cost ",
                                  quantities.Cost(report.cost()));
  if (report.frozen_stops() > 0) {
    absl::StrAppend(&text, ", ", FormatCount(report.frozen_stops(), "stop"), " frozen");
  }
  if (report.missing_customers() > 0) {
    absl::StrAppend(&text, "; it lacked ", FormatCount(report.missing_customers(), "customer"));
  }
  if (!report.dropped_visits().empty()) {
    absl::StrAppend(&text, "; stops left out: ", report.dropped_visits_size());
  }
  return absl::StrCat(text, "\n", ReasonsText(report.dropped_visits()));
}

std::string SimilarDayText(const v1::SimilarDayReport& report) {
  if (report.day().empty()) {
    return absl::StrCat("no past day of ", report.history(),
                        " has a stop of this instance: started without one\n");
  }
  return absl::StrCat("most similar day: ", report.day(), " of ", report.history(), ", which had ",
                      FormatCount(report.common_stops(), "stop"), " of this instance and ",
                      report.past_stops() - report.common_stops(), " others\n");
}

// Returns why the solve ended.
std::string SolveEndText(const v1::SolveResponse& response) {
  switch (response.end_reason()) {
    case v1::END_REASON_BUDGET:
      return "ended by budget";
    case v1::END_REASON_DEADLINE:
      return "ended by the call's deadline";
    case v1::END_REASON_CANCELLED:
      return "cancelled";
    case v1::END_REASON_LOCAL_OPTIMUM:
      return "ended at a local optimum";
    case v1::END_REASON_ITERATIONS:
      return "ended by the iteration limit";
    case v1::END_REASON_FINISHED:
      return "finished";
    case v1::END_REASON_STOPPED:
      return "stopped on request";
    case v1::END_REASON_SHUTDOWN:
      return "stopped by the daemon's shutdown";
    case v1::END_REASON_NO_IMPROVEMENT:
      return absl::StrCat("ended after ", FormatMilliseconds(response.no_improvement()),
                          " ms without improvement");
    case v1::END_REASON_TARGET:
      return "target reached";
    case v1::END_REASON_OPTIMAL:
      return "proven optimal";
    default:  // a reason of a newer daemon
      return absl::StrCat("ended by ", LowerCaseWord(response.end_reason()));
  }
}

std::string TimesText(const v1::SolveResponse& response) {
  const v1::TimeBreakdown& times = response.times();
  std::string text = absl::StrCat("time: ", FormatMilliseconds(times.total()),
                                  response.has_no_improvement() ? " of at most " : " of ",
                                  FormatMilliseconds(response.budget()), " ms");
  if (times.has_roads()) absl::StrAppend(&text, ", roads ", FormatMilliseconds(times.roads()));
  if (times.has_queue()) absl::StrAppend(&text, ", queue ", FormatMilliseconds(times.queue()));
  if (times.has_decode()) absl::StrAppend(&text, ", decode ", FormatMilliseconds(times.decode()));
  if (times.has_search()) absl::StrAppend(&text, ", search ", FormatMilliseconds(times.search()));
  absl::StrAppend(&text, "; ", SolveEndText(response));
  // Older daemons leave this field 0.
  if (response.threads() > 0) {
    absl::StrAppend(&text, "; ", FormatCount(response.threads(), "thread"));
  }
  return text + "\n";
}

// Returns a text such as "habits: mean probability of a leg 0.29 (25 legs, log probability -30.8);
// weight 0.3 added 12.5 to the search's cost, 2.9 % of the plan's; turned 1 route and gave 2 to
// other drivers". Omits the share of a plan without a cost, and what did not happen.
std::string HabitsText(const v1::PlanHabits& habits, double cost, const Quantities& quantities) {
  std::string text = "habits: ";
  if (habits.legs() > 0) {
    const double mean = habits.log_probability() / static_cast<double>(habits.legs());
    absl::StrAppend(&text, absl::StrFormat("mean probability of a leg %.2g (", std::exp(mean)));
  } else {
    absl::StrAppend(&text, "no legs (");
  }
  // Adding 0 makes 0 of -0.
  const double log_probability = std::round(10 * habits.log_probability()) / 10 + 0.0;
  absl::StrAppend(&text, FormatCount(habits.legs(), "leg"),
                  absl::StrFormat(", log probability %.1f); weight %g added ", log_probability,
                                  habits.weight()),
                  quantities.Cost(std::round(1000 * habits.cost()) / 1000),
                  " to the search's cost");
  if (cost > 0) {
    absl::StrAppend(&text, absl::StrFormat(", %.1f %% of the plan's", 100 * habits.cost() / cost));
  }
  if (habits.turned_routes() > 0) {
    absl::StrAppend(&text, "; turned ", FormatCount(habits.turned_routes(), "route"));
  }
  if (habits.moved_routes() > 0) {
    absl::StrAppend(&text, habits.turned_routes() > 0 ? " and" : ";", " gave ",
                    FormatCount(habits.moved_routes(), "route"), " to other drivers");
  }
  return text + "\n";
}

std::string RoutesText(const v1::Solution& plan) {
  std::string text;
  const Quantities quantities(plan.units());
  for (int i = 0; i < plan.routes_size(); ++i) {
    text += RouteText(i + 1, plan.routes(i), quantities);
  }
  return text;
}

}  // namespace

std::string SolveText(const v1::SolveResponse& response) {
  const v1::Solution& solution = response.solution();
  std::string text = absl::StrCat(response.name(), "\n", RoutesText(solution));
  const Quantities quantities(solution.units());
  text += CostText(solution.cost(), response);
  text += CostBreakdownText(solution.cost_breakdown(), quantities);
  if (solution.has_spread()) {
    absl::StrAppend(&text, "spread between routes: ", FormatQuantity(solution.spread()), "\n");
  }
  text += VerdictText(response);
  text += UnservedText(solution);
  if (response.has_similar_day()) text += SimilarDayText(response.similar_day());
  if (response.has_initial_solution())
    text +=
        InitialSolutionText(response.initial_solution(), response.has_similar_day(), quantities);
  absl::StrAppend(&text, "strategy: ", LowerCaseWord(response.strategy()), ", ",
                  response.model().empty() ? "no model" : response.model(), ", seed ",
                  response.seed(), "\n");
  if (response.has_habits()) text += HabitsText(response.habits(), solution.cost(), quantities);
  if (!response.policy_note().empty()) {
    absl::StrAppend(&text, "the model was not used: ", response.policy_note(), "\n");
  }
  if (!response.geometry_note().empty()) {
    absl::StrAppend(&text, "without streets: ", response.geometry_note(), "\n");
  }
  text += TimesText(response);
  return text;
}

std::string ObjectiveText(const v1::SolveResponse& response) {
  return absl::StrCat("objective: ", LowerCaseWord(response.objective()), ", metric ",
                      LowerCaseWord(response.metric()), "\n");
}

std::string PlanText(const v1::Solution& plan) { return RoutesText(plan) + UnservedText(plan); }

std::string ImprovementText(const v1::Improvement& improvement) {
  const v1::Solution& solution = improvement.solution();
  std::string text =
      absl::StrFormat("%.3f s: cost %s", absl::ToDoubleSeconds(ToDuration(improvement.elapsed())),
                      Quantities(solution.units()).Cost(solution.cost()));
  if (improvement.has_gap()) {
    absl::StrAppend(&text, ", gap ", FormatGap(improvement.gap(), kFileReference));
  }
  absl::StrAppend(&text, ", ", FormatCount(solution.routes_size(), "route"));
  if (!solution.unserved().empty()) {
    absl::StrAppend(&text, ", ", FormatCount(solution.unserved_size(), "customer"), " unserved");
  }
  return text + "\n";
}

std::string CheckText(const v1::CheckSolutionResponse& response) {
  return CostText(response.cost(), response) + VerdictText(response);
}

}  // namespace vrp::client
