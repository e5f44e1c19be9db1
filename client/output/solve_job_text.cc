#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/json.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::string SearchTimeText(const v1::SolveJob& job) {
  return absl::StrCat(FormatSpan(ToDuration(job.progress().search_time())), " of ",
                      FormatSpan(ToDuration(job.budget())));
}

bool HasPlan(const v1::SolveJob& job) { return job.progress().improvement_count() > 0; }

}  // namespace

std::string SolveProgressText(const v1::SolveProgress& progress, absl::Duration budget,
                              const v1::Units& units) {
  std::string text =
      absl::StrFormat("%.1f s", absl::ToDoubleSeconds(ToDuration(progress.search_time())));
  if (budget > absl::ZeroDuration()) absl::StrAppend(&text, " of ", FormatSpan(budget));
  if (progress.improvement_count() == 0) return absl::StrCat(text, ": no plan yet");
  absl::StrAppend(&text, ": cost ", Quantities(units).Cost(progress.cost()), ", ",
                  FormatCount(progress.route_count(), "route"));
  if (progress.unserved_count() > 0) {
    absl::StrAppend(&text, ", ", FormatCount(progress.unserved_count(), "customer"), " unserved");
  }
  return text;
}

std::vector<std::string> SolveJobRow(const v1::SolveJob& job) {
  return {job.name(),
          StateText(job.state(), job.queue_position()),
          absl::StrCat(job.attempt()),
          job.has_create_time() ? FormatTime(job.create_time()) : "",
          job.instance_name(),
          SearchTimeText(job),
          HasPlan(job) ? Quantities(job.units()).Cost(job.progress().cost()) : "",
          HasPlan(job) ? absl::StrCat(job.progress().route_count()) : "",
          HasPlan(job) ? absl::StrCat(job.progress().unserved_count()) : ""};
}

std::string SolveJobText(const v1::SolveJob& job) {
  Sheet sheet;
  sheet.Add("job", job.name());
  sheet.Add("state", JobStateWord(job.state()));
  if (job.queue_position() > 0) sheet.Add("queue position", absl::StrCat(job.queue_position()));
  sheet.Add("error", job.error().message());
  sheet.Add("instance", job.instance_name());
  sheet.Add("attempt", absl::StrCat(job.attempt()));
  if (job.has_create_time()) sheet.Add("created", FormatTime(job.create_time()));
  if (job.has_start_time()) sheet.Add("started", FormatTime(job.start_time()));
  if (job.has_end_time()) sheet.Add("ended", FormatTime(job.end_time()));
  sheet.Add("searched", SearchTimeText(job));
  if (HasPlan(job)) {
    sheet.Add("best plan",
              absl::StrCat("cost ", Quantities(job.units()).Cost(job.progress().cost()), ", ",
                           FormatCount(job.progress().route_count(), "route"), ", ",
                           FormatCount(job.progress().unserved_count(), "customer"),
                           " unserved, found after ",
                           FormatSpan(ToDuration(job.progress().time_to_best()))));
    sheet.Add("improvements", absl::StrCat(job.progress().improvement_count()));
  }
  const bool names_strategy = job.solve().strategy() != v1::STRATEGY_UNSPECIFIED;
  sheet.Add("strategy", LowerCaseWord(names_strategy ? job.solve().strategy() : v1::STRATEGY_AUTO));
  sheet.Add("model", job.solve().model());
  sheet.Add("threads", job.solve().idle_threads()
                           ? "all idle"
                           : absl::StrCat(std::max(1, job.solve().threads())));
  sheet.Add("events", absl::StrCat(job.last_sequence()));
  return sheet.Text();
}

}  // namespace vrp::client
