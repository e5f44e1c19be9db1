#include "core/solve/network_time.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Ratio of the recommended budget to the decoding time, so that slower decodings fit too.
constexpr double kBudgetMargin = 1.5;
constexpr char kTooShortUrl[] = "vrp/budget_too_short";

// Returns the duration as text, such as "4.8 ms" or "23 ms".
std::string Milliseconds(absl::Duration duration) {
  const double exact = std::max(absl::ToDoubleMilliseconds(duration), 0.1);
  const bool without_decimals = exact >= 10 || exact == std::floor(exact);
  return without_decimals ? absl::StrFormat("%.0f ms", exact) : absl::StrFormat("%.1f ms", exact);
}

std::string DecodingText(const NetworkTime& time) {
  return Concat(StrategyName(time.strategy), " decoding of ", time.customers,
                time.customers == 1 ? " customer" : " customers");
}

// Whether the time explains why the decoding was late.
bool ExplainsLateness(const NetworkTime& time) {
  const absl::Duration lower_bound = time.at_least ? time.budget : absl::ZeroDuration();
  return time.needed > lower_bound;
}

std::string AvailableText(const NetworkTime& time) {
  return Concat(time.by_deadline ? "the deadline leaves " : "the budget is ",
                Milliseconds(time.budget));
}

}  // namespace

std::string LateDecodingNote(const NetworkTime& time) {
  if (!ExplainsLateness(time)) {
    return Concat(DecodingText(time), " was not done in time: ", AvailableText(time),
                  "; search gave the plan");
  }
  if (time.at_least) {
    return Concat(DecodingText(time), " was not done in time: it takes more than ",
                  Milliseconds(time.needed), " here, and ", AvailableText(time),
                  "; search gave the plan");
  }
  const bool waited = time.needed <= time.budget;
  return Concat(DecodingText(time), " takes about ", Milliseconds(time.needed), " here, and ",
                AvailableText(time), waited ? ", part of which it spent waiting" : "",
                "; search gave the plan");
}

absl::Status BudgetTooShort(const NetworkTime& time) {
  const std::string field = time.by_deadline ? "deadline" : "budget";
  std::string text;
  if (!ExplainsLateness(time)) {
    text = Concat(field, ": ", Milliseconds(time.budget), " did not suffice for ",
                  DecodingText(time), "; raise it, or unset network_only");
  } else if (time.at_least) {
    text = Concat(field, ": ", Milliseconds(time.budget), " is less than ", DecodingText(time),
                  " takes here, which is more than ", Milliseconds(time.needed),
                  "; raise it, or unset network_only");
  } else if (time.needed <= time.budget) {
    text = Concat(field, ": ", Milliseconds(time.budget), " did not suffice for ",
                  DecodingText(time), ", which takes about ", Milliseconds(time.needed),
                  " here, because it waited for its turn; raise it, or unset network_only");
  } else {
    const absl::Duration suggested = absl::Ceil(kBudgetMargin * time.needed, absl::Milliseconds(1));
    text = Concat(field, ": ", Milliseconds(time.budget), " is less than the ",
                  Milliseconds(time.needed), " that ", DecodingText(time),
                  " takes here; raise it to ", Milliseconds(suggested), ", or unset network_only");
  }
  absl::Status status = absl::DeadlineExceededError(text);
  status.SetPayload(kTooShortUrl, absl::Cord());
  return status;
}

bool IsBudgetTooShort(const absl::Status& status) {
  return status.GetPayload(kTooShortUrl).has_value();
}

}  // namespace vrp
