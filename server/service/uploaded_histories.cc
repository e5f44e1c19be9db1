#include "server/service/uploaded_histories.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/history.h"
#include "core/habits/route_line.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

constexpr std::string_view kHistoryField = "similar_day.history";
// Bounds the memory for kept histories, to about 100 MB. The largest history has half as many.
constexpr int64_t kMaxKeptStops = 2 * kMaxHistoryStops;

absl::StatusOr<PastDays> ParsePastDays(std::string_view text, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const RouteHistory history, ParseRouteHistory(text, name));
  return PastDays(history);
}

}  // namespace

UploadedHistories::UploadedHistories(const DatasetStore& datasets)
    : kept_(datasets, {.kind = DatasetKind::kRouteHistory,
                       .size = &DatasetSummary::stops,
                       .max_size = kMaxKeptStops,
                       .parse = ParsePastDays}) {}

absl::StatusOr<PastStart> UploadedHistories::StartOf(const v1::SimilarDay& message,
                                                     const Instance& instance,
                                                     const StopCondition& stop) {
  const auto days = kept_.Use(message.history());
  if (!days.ok()) return DatasetError(kHistoryField, days.status());
  const std::optional<SimilarDay> similar = (*days)->MostSimilarTo(instance);
  PastStart start;
  start.report.set_history(message.history());
  if (similar.has_value()) {
    start.report.set_day(DayText(similar->day));
    start.report.set_common_stops(similar->common_stops);
    start.report.set_past_stops(similar->past_stops);
    start.initial = InitialSolutionOf(instance, similar->plan, stop);
    return start;
  }
  if (NamesCustomers(instance)) return start;
  return InvalidField(kHistoryField,
                      Concat("got ", message.history(),
                             ", but the instance gives its customers no ids; wanted the ids that "
                             "they have in the history"));
}

}  // namespace vrp
