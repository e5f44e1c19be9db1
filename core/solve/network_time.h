// Texts for a policy that has no plan in time.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/problem/instance/instance.h"
#include "core/solve/solve_options.h"

namespace vrp {

struct NetworkTime {
  Strategy strategy = Strategy::kGreedy;
  int32_t customers = 0;
  absl::Duration needed;     // zero if not known
  bool at_least = false;     // `needed` is a lower bound
  absl::Duration budget;     // the granted one
  bool by_deadline = false;  // the caller's deadline cut the budget
};

// Describes how long decoding takes on this machine, and why that was not available.
std::string LateNote(const NetworkTime& time);
// Returns kDeadlineExceeded with the budget that would suffice, for callers who accept no other
// plan.
absl::Status BudgetTooShort(const NetworkTime& time);
// Whether `status` is such an error.
bool IsBudgetTooShort(const absl::Status& status);

}  // namespace vrp
