// Texts about a policy that has no plan in time.
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
  absl::Duration needed;     // zero: not known
  bool at_least = false;     // `needed` is a lower bound
  absl::Duration budget;     // that was granted
  bool by_deadline = false;  // the caller's deadline made it so short
};

// Names the time that decoding takes here and why it was not there.
std::string LateNote(const NetworkTime& time);
// kDeadlineExceeded, for callers who want no other plan: says how long the budget would have to be.
absl::Status BudgetTooShort(const NetworkTime& time);
// Whether `status` is such an error.
bool IsBudgetTooShort(const absl::Status& status);

}  // namespace vrp
