// Messages about a policy that has no plan in time.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"
#include "core/solve/solve_options.h"

namespace vrp {

// The time that a decoding needs and the time that it had.
struct NetworkTime {
  Strategy strategy = Strategy::kGreedy;
  int32_t customers = 0;
  absl::Duration needed;     // zero if unknown
  bool at_least = false;     // whether `needed` is a lower bound
  absl::Duration budget;     // the granted budget
  bool by_deadline = false;  // whether the caller's deadline shortened the budget
};

// Returns a note that search gave the plan. The note says how long decoding takes on this machine,
// if known, and why that time was not available.
std::string LateDecodingNote(const NetworkTime& time);
// Returns kDeadlineExceeded, for callers that accept no other plan. The message suggests a budget
// if the needed time, not only a lower bound of it, is known and exceeds the budget.
absl::Status BudgetTooShort(const NetworkTime& time);
// Whether BudgetTooShort made `status`.
bool IsBudgetTooShort(const absl::Status& status);

}  // namespace vrp
