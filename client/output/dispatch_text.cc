#include "absl/strings/str_cat.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/output/visits.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::string IdsText(const v1::Route& route) {
  std::string text;
  for (int i = 1; i < VisitsEnd(route); ++i) {
    absl::StrAppend(&text, text.empty() ? "" : " ", route.stops(i).id());
  }
  return text;
}

std::string LoadsText(const v1::Route& route) {
  std::string text;
  for (const double load : route.load()) {
    absl::StrAppend(&text, text.empty() ? "" : ",", FormatQuantity(load));
  }
  return text.empty() ? "-" : text;
}

std::string RouteTable(const v1::Solution& solution) {
  const Quantities quantities(solution.units());
  Table table({"ROUTE", "VEHICLE", "LEAVES", "ENDS", "LOAD", "DISTANCE", "REQUESTS"});
  for (int i = 0; i < solution.routes_size(); ++i) {
    const v1::Route& route = solution.routes(i);
    if (route.stops().empty()) continue;
    const std::string& vehicle = route.vehicle_id();
    const v1::Stop& last = *route.stops().rbegin();
    const bool returns = VisitsEnd(route) < route.stops_size();
    table.AddRow({absl::StrCat(i + 1), vehicle.empty() ? absl::StrCat(route.vehicle()) : vehicle,
                  quantities.Time(route.stops(0).departure()),
                  quantities.Time(returns ? last.arrival() : last.departure()), LoadsText(route),
                  quantities.Distance(route.distance()), IdsText(route)});
  }
  return solution.routes().empty() ? "no route leaves now\n" : table.Text();
}

std::string WaitingText(const v1::DecideResponse& response) {
  if (response.waiting().empty()) return "";
  Table table({"REQUEST", "STATE", "REASON"});
  for (const v1::WaitingRequest& waiting : response.waiting()) {
    table.AddRow({waiting.id(), waiting.missed() ? "MISSED" : "WAITS", waiting.reason()});
  }
  return absl::StrCat("\n", table.Text());
}

}  // namespace

std::string DecideText(const v1::DecideResponse& response) {
  const v1::Solution& solution = response.solution();
  const v1::TimeBreakdown& times = response.times();
  std::string text = absl::StrCat(RouteTable(solution), WaitingText(response), "\n");
  absl::StrAppend(&text, "cost: ", Quantities(solution.units()).Cost(solution.cost()), "\n");
  if (response.feasible()) {
    absl::StrAppend(&text, "checker: feasible\n");
  } else {
    absl::StrAppend(&text, "checker: NOT feasible, ",
                    FormatCount(response.violations_size(), "missed request"), "\n");
  }
  absl::StrAppend(&text, "policy: ", LowerCaseWord(response.policy()));
  if (!response.model().empty()) absl::StrAppend(&text, " ", response.model());
  if (response.scenarios() > 0) {
    absl::StrAppend(&text, ", ", FormatCount(response.scenarios(), "scenario"));
  }
  absl::StrAppend(&text, ", seed ", response.seed(), "\ntime: ", FormatMilliseconds(times.total()),
                  " of ", FormatMilliseconds(response.budget()), " ms");
  if (times.has_roads()) absl::StrAppend(&text, ", roads ", FormatMilliseconds(times.roads()));
  absl::StrAppend(&text, ", queue ", FormatMilliseconds(times.queue()), "\n");
  return text;
}

}  // namespace vrp::client
