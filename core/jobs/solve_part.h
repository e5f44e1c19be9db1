// Fields of the jobs that a JobSolver runs: solve jobs and simulations.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "core/jobs/job_kind.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// The specification of a job. The server writes and reads the serialised texts.
struct SolveSpec {
  JobKind kind = JobKind::kSolve;
  std::string request = {};  // complete, with the instance; not in Job, see JobStore::ReadContent
  // Text that is stored at the end of `request`. Two specifications that differ only in their
  // attachments count as the same request.
  std::string attachment = {};
  std::string summary = {};  // short text, without the instance
  // `datasets/{name}` that the job reads; of a sweep, those of all trials, with blanks between.
  // Empty: none.
  std::string dataset = {};
  absl::Duration budget = {};  // solve jobs only
};

// The progress of a job.
struct SolveProgress {
  absl::Duration search_time = {};  // over all attempts
  int64_t improvements = 0;         // number of better plans found; 0: no plan yet
  // Cost, routes and unserved customers of the best plan.
  Cost cost = 0;
  int64_t routes = 0;
  int64_t unserved = 0;
  int64_t parts = 0;                // number of stored parts of the result of a simulation
  absl::Duration improved_at = {};  // value of `search_time` when the best plan was found

  // Whether the job could end with a result now.
  bool has_result() const { return improvements > 0 || parts > 0; }

  bool operator==(const SolveProgress&) const = default;
};

// The fields of a job that training jobs do not have.
struct SolvePart {
  std::string summary;
  std::string dataset;  // that the job reads; empty: none
  std::string request_sha256;
  absl::Duration budget;
  SolveProgress progress;  // the last stored progress
};

// The large texts of a job, which are stored separately from fields that change often.
enum class SolveContent { kRequest, kPlan, kAnswer };

}  // namespace vrp
