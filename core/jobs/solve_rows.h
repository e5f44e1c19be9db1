// The fields of solve jobs and simulations as rows of the store's tables. As in job_rows.h, the
// functions use an open connection whose lock the caller holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/jobs/solve_part.h"
#include "core/jobs/sqlite.h"

namespace vrp {

// Reads the columns summary, request_sha256, budget, progress and dataset, which begin at `column`.
absl::StatusOr<SolvePart> SolvePartFromRow(Database& database, const Query& row, int column);
// Inserts the fields of a new job.
absl::Status InsertSolveRow(Database& database, int64_t job_number, const SolvePart& part);
// Updates the progress; the other fields never change.
absl::Status UpdateSolveRow(Database& database, int64_t job_number, const SolvePart& part);

// Stores a large text, or replaces the one of the same kind.
absl::Status WriteContentRow(Database& database, int64_t job_number, SolveContent kind,
                             std::string_view content);
// Returns a large text; nullopt if the job has none or does not exist.
absl::StatusOr<std::optional<std::string>> ReadContentRow(Database& database,
                                                          std::string_view job_id,
                                                          SolveContent kind);

// Stores a part of a job's result. Parts count from 1.
absl::Status InsertPartRow(Database& database, int64_t job_number, int64_t part,
                           std::string_view content);
// Returns the parts `first` to `last` of a job's result, in order.
absl::StatusOr<std::vector<std::string>> ReadPartRows(Database& database, std::string_view job_id,
                                                      int64_t first, int64_t last);

}  // namespace vrp
