#include "client/output/solve_tally.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/output/json.h"
#include "client/output/quantities.h"
#include "client/support/text.h"

namespace vrp::client {
void SolveTally::Add(const v1::SolveResponse& response) {
  ++answered_;
  if (response.feasible()) ++feasible_;
  cost_ += response.solution().cost();
  time_ms_ += absl::ToDoubleMilliseconds(ToDuration(response.times().total()));
  if (!response.has_gap()) return;
  ++with_gap_;
  gap_ += response.gap();
}

Json SolveTally::Summary(const std::string& file, absl::Duration elapsed) const {
  return {{"summary", true},
          {"file", file},
          {"instances", answered_ + failed_},
          {"feasible", feasible_},
          {"failed", failed_},
          {"mean_cost", MeanOrNull(cost_, answered_)},
          {"mean_gap", MeanOrNull(gap_, with_gap_)},
          {"gap_reference", with_gap_ > 0 ? Json(kFileReferences) : Json()},
          {"mean_time_ms", MeanOrNull(time_ms_, answered_)},
          {"total_time_ms", JsonNumber(absl::ToDoubleMilliseconds(elapsed))}};
}

std::string SolveTally::Text(const std::string& file, absl::Duration elapsed) const {
  std::string text = absl::StrCat(file, ": ", answered_ + failed_, " instances, ", feasible_,
                                  " feasible, ", failed_, " failed");
  if (answered_ > 0) {
    const auto count = static_cast<double>(answered_);
    absl::StrAppend(&text, ", mean cost ", FormatQuantity(cost_ / count), ", mean time ",
                    FormatNumber(time_ms_ / count), " ms");
  }
  if (with_gap_ > 0) {
    absl::StrAppend(&text, ", mean gap ",
                    FormatGap(gap_ / static_cast<double>(with_gap_), kFileReferences));
  }
  return absl::StrCat(text, ", ", FormatSpan(elapsed), " in all\n");
}

}  // namespace vrp::client
