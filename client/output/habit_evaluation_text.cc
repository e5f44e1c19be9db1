// Shows evaluations of habit models as text and JSON.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::string PercentOf(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

// Returns a difference with its 95 % interval.
std::string WithInterval(double difference, double standard_error, absl::string_view unit) {
  constexpr double kErrorsOf95Percent = 1.96;
  return absl::StrFormat("%+.1f +-%.1f%s", 100 * difference,
                         100 * kErrorsOf95Percent * standard_error, unit);
}

std::vector<std::string> SearchRow(const std::string& name, const v1::HabitSearchRow& row,
                                   const v1::HabitSearchRow& plain) {
  const double gain = row.directed_leg_share() - plain.directed_leg_share();
  return {name, PercentOf(row.leg_share()), PercentOf(row.directed_leg_share()),
          WithInterval(gain, row.directed_leg_gain_standard_error(), ""),
          WithInterval(row.extra_distance(), row.extra_distance_standard_error(), " %")};
}

std::string SearchText(const v1::HabitSearchReport& search) {
  std::string text = absl::StrCat("\nplans of ", FormatCount(search.day_count(), "day"));
  if (search.skipped_day_count() > 0) {
    absl::StrAppend(&text, ", ", search.skipped_day_count(), " skipped (", search.skip_reason(),
                    ")");
  }
  absl::StrAppend(&text, "\n");
  Table table({"PLANS", "DRIVEN LEGS", "SAME DIRECTION", "GAIN", "DISTANCE"});
  const v1::HabitSearchRow none;
  const v1::HabitSearchRow& plain = search.rows().empty() ? none : search.rows(0);
  for (const v1::HabitSearchRow& row : search.rows()) {
    if (&row == &plain) {
      table.AddRow(
          {"weight 0", PercentOf(row.leg_share()), PercentOf(row.directed_leg_share()), "", ""});
    } else {
      table.AddRow(SearchRow(absl::StrFormat("weight %g", row.weight()), row, plain));
    }
  }
  std::vector<std::string> driven = SearchRow("driven routes", search.driven(), plain);
  driven[3].clear();  // of all the legs that are left, and of no interest
  table.AddRow(driven);
  absl::StrAppend(&text, table.Text());
  if (search.late_plan_count() == 0) return text;
  return absl::StrCat(text, FormatCount(search.late_plan_count(), "plan"),
                      " ended by the budget, with fewer iterations; give a larger --budget\n");
}

Json SearchRowJson(const v1::HabitSearchRow& row) {
  return {{"weight", row.weight()},
          {"leg_share", row.leg_share()},
          {"leg_gain_stderr", row.leg_gain_standard_error()},
          {"directed_leg_share", row.directed_leg_share()},
          {"directed_leg_gain_stderr", row.directed_leg_gain_standard_error()},
          {"extra_distance", row.extra_distance()},
          {"extra_distance_stderr", row.extra_distance_standard_error()}};
}

Json SearchJson(const v1::HabitSearchReport& search) {
  Json rows = Json::array();
  for (const v1::HabitSearchRow& row : search.rows()) rows.push_back(SearchRowJson(row));
  Json driven = SearchRowJson(search.driven());
  driven.erase("weight");
  return {{"days", search.day_count()},
          {"skipped_days", search.skipped_day_count()},
          {"skip_reason", TextOrNull(search.skip_reason())},
          {"late_plans", search.late_plan_count()},
          {"rows", rows},
          {"driven", driven}};
}

}  // namespace

std::string HabitEvaluationText(const v1::EvaluationReport& report) {
  const v1::HabitEvaluation& habits = report.habits();
  Sheet sheet;
  sheet.Add("model", report.model());
  sheet.Add("history", habits.history());
  sheet.Add("routes", absl::StrCat(habits.route_count(), " of ",
                                   FormatCount(habits.day_count(), "later day")));
  sheet.Add("next stop", absl::StrCat(PercentOf(habits.next_stop_accuracy()), " right"));
  sheet.Add("similarity", absl::StrCat(PercentOf(habits.route_similarity()), " of the legs"));
  if (habits.has_length_ratio()) {
    sheet.Add("length",
              absl::StrFormat("%+.1f %% to the driven routes", 100 * (habits.length_ratio() - 1)));
  }
  sheet.Add("log p", absl::StrFormat("%.3f", habits.mean_log_probability()));
  if (habits.new_stop_count() > 0) {
    sheet.Add("new stops", absl::StrFormat("%s, %.1f %% right, log p %.3f",
                                           FormatCount(habits.new_stop_count(), "choice"),
                                           100 * habits.new_next_stop_accuracy(),
                                           habits.new_mean_log_probability()));
  }
  return habits.has_search() ? absl::StrCat(sheet.Text(), SearchText(habits.search()))
                             : sheet.Text();
}

Json HabitEvaluationJson(const v1::EvaluationReport& report) {
  const v1::HabitEvaluation& habits = report.habits();
  return {{"model", report.model()},
          {"history", habits.history()},
          {"routes", habits.route_count()},
          {"days", habits.day_count()},
          {"next_stop_accuracy", habits.next_stop_accuracy()},
          {"mean_log_probability", habits.mean_log_probability()},
          {"route_similarity", habits.route_similarity()},
          {"length_ratio", habits.has_length_ratio() ? JsonNumber(habits.length_ratio()) : Json()},
          {"new_stops", habits.new_stop_count()},
          {"new_next_stop_accuracy", habits.new_next_stop_accuracy()},
          {"new_mean_log_probability", habits.new_mean_log_probability()},
          {"search", habits.has_search() ? SearchJson(habits.search()) : Json()}};
}

}  // namespace vrp::client
