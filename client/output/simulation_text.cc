#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/output/json.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::string GapPercentText(double percent) { return absl::StrFormat("%+.2f %%", percent); }

// Returns "greedy, lazy", or "default" for a simulation that names no policy.
std::string PoliciesText(const v1::SimulationSpec& spec) {
  std::vector<std::string> names;
  for (const v1::SimulationPolicy& policy : spec.policies()) {
    names.push_back(policy.name().empty() ? DispatchPolicyWord(policy.policy()) : policy.name());
  }
  return names.empty() ? "default" : absl::StrJoin(names, ", ");
}

std::string FinishedDaysText(const v1::SimulationProgress& progress) {
  return absl::StrCat(progress.finished_day_count(), " of ", progress.day_count());
}

std::string SitesText(const v1::Simulation& simulation) {
  if (simulation.site_names_size() == 1) return simulation.site_names(0);
  return FormatCount(simulation.site_names_size(), "site");
}

}  // namespace

std::string SimulatedDayText(const v1::SimulatedDayResults& day) {
  if (day.results().empty()) return "";
  std::string text = absl::StrCat("day ", day.results(0).day(), ":");
  for (const v1::SimulatedDay& result : day.results()) {
    absl::StrAppend(&text, &result == &day.results(0) ? " " : ", ", result.policy(), " cost ",
                    FormatQuantity(result.cost()));
    if (result.has_gap_percent()) {
      absl::StrAppend(&text, " (", GapPercentText(result.gap_percent()), ")");
    }
    if (result.missed_count() > 0) absl::StrAppend(&text, " ", result.missed_count(), " missed");
  }
  return text;
}

std::string SimulationProgressText(const v1::SimulationProgress& progress) {
  return absl::StrCat(FinishedDaysText(progress), " days, ",
                      FormatSpan(ToDuration(progress.run_time())));
}

std::string SimulationSummaryText(const v1::SimulationSummary& summary) {
  Table table({"POLICY", "DAYS", "MEAN COST", "MEAN GAP", "MISSED"});
  for (const v1::PolicySummary& policy : summary.policies()) {
    table.AddRow({policy.policy(), absl::StrCat(policy.day_count()),
                  FormatQuantity(policy.mean_cost()),
                  policy.has_mean_gap_percent() ? GapPercentText(policy.mean_gap_percent()) : "-",
                  absl::StrCat(policy.missed_count())});
  }
  return table.Text();
}

std::vector<std::string> SimulationRow(const v1::Simulation& simulation) {
  return {simulation.name(),
          StateText(simulation.state(), simulation.queue_position()),
          absl::StrCat(simulation.attempt()),
          simulation.has_create_time() ? FormatTime(simulation.create_time()) : "",
          SitesText(simulation),
          PoliciesText(simulation.spec()),
          FinishedDaysText(simulation.progress())};
}

std::string SimulationText(const v1::Simulation& simulation) {
  Sheet sheet;
  sheet.Add("simulation", simulation.name());
  sheet.Add("state", JobStateWord(simulation.state()));
  if (simulation.queue_position() > 0) {
    sheet.Add("queue position", absl::StrCat(simulation.queue_position()));
  }
  sheet.Add("error", simulation.error().message());
  sheet.Add("sites", SitesText(simulation));
  sheet.Add("policies", PoliciesText(simulation.spec()));
  sheet.Add("attempt", absl::StrCat(simulation.attempt()));
  if (simulation.has_create_time()) sheet.Add("created", FormatTime(simulation.create_time()));
  if (simulation.has_start_time()) sheet.Add("started", FormatTime(simulation.start_time()));
  if (simulation.has_end_time()) sheet.Add("ended", FormatTime(simulation.end_time()));
  sheet.Add("days", SimulationProgressText(simulation.progress()));
  sheet.Add("events", absl::StrCat(simulation.last_sequence()));
  std::string text = sheet.Text();
  for (const v1::SimulatedDayResults& day : simulation.days()) {
    absl::StrAppend(&text, SimulatedDayText(day), "\n");
  }
  if (simulation.has_summary()) {
    absl::StrAppend(&text, "\n", SimulationSummaryText(simulation.summary()));
  }
  return text;
}

}  // namespace vrp::client
