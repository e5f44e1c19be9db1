// What only solve jobs have.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// What is asked for. The core reads neither of the serialised texts: they are the server's.
struct SolveSpec {
  std::string request = {};  // whole, with the instance; not kept in a Job, see JobStore::Content
  std::string summary = {};  // of it, small, without the instance
  absl::Duration budget = {};
};

// How far the search has come.
struct SolveProgress {
  absl::Duration searched = {};  // in all attempts together
  int64_t improvements = 0;      // found so far; 0: no plan yet
  // Of the best plan.
  Cost cost = 0;
  int64_t routes = 0;
  int64_t unserved = 0;
  absl::Duration improved = {};  // of `searched`: until it was found

  bool operator==(const SolveProgress&) const = default;
};

struct SolvePart {
  std::string summary;
  std::string request_sha256;
  absl::Duration budget;
  SolveProgress progress;  // the last stored
};

// The large texts of a solve job, which stand apart from what changes often.
enum class SolveContent { kRequest, kPlan, kAnswer };

}  // namespace vrp
