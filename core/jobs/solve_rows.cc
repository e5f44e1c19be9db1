#include "core/jobs/solve_rows.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_json.h"

namespace vrp {
namespace {

std::string_view ContentName(SolveContent kind) {
  switch (kind) {
    case SolveContent::kRequest:
      return "request";
    case SolveContent::kPlan:
      return "plan";
    case SolveContent::kAnswer:
      return "answer";
  }
  return "";
}

}  // namespace

absl::StatusOr<SolvePart> SolvePartFromRow(Database& database, const Query& row, int column) {
  SolvePart part;
  part.summary = row.Bytes(column);
  part.request_sha256 = row.Text(column + 1);
  part.budget = absl::Nanoseconds(row.Integer(column + 2));
  VRP_ASSIGN_OR_RETURN(
      part.progress,
      ParseSolveProgress(row.Text(column + 3), Concat(database.path(), ": solve_jobs.progress")));
  part.dataset = row.Text(column + 4);
  return part;
}

absl::Status InsertSolveRow(Database& database, int64_t job_number, const SolvePart& part) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("INSERT INTO solve_jobs (job, summary, request_sha256, "
                                        "budget, progress, dataset) VALUES (?, ?, ?, ?, ?, ?)"));
  VRP_RETURN_IF_ERROR(query.Bind(job_number, Blob{part.summary}, part.request_sha256,
                                 absl::ToInt64Nanoseconds(part.budget),
                                 WriteSolveProgress(part.progress), part.dataset));
  return query.Run();
}

absl::Status UpdateSolveRow(Database& database, int64_t job_number, const SolvePart& part) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("UPDATE solve_jobs SET progress = ? WHERE job = ?"));
  VRP_RETURN_IF_ERROR(query.Bind(WriteSolveProgress(part.progress), job_number));
  return query.Run();
}

absl::Status WriteContentRow(Database& database, int64_t job_number, SolveContent kind,
                             std::string_view content) {
  VRP_ASSIGN_OR_RETURN(
      Query query, database.Prepare("INSERT OR REPLACE INTO solve_contents (job, kind, content) "
                                    "VALUES (?, ?, ?)"));
  VRP_RETURN_IF_ERROR(query.Bind(job_number, ContentName(kind), Blob{content}));
  return query.Run();
}

absl::StatusOr<std::optional<std::string>> ReadContentRow(Database& database,
                                                          std::string_view job_id,
                                                          SolveContent kind) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("SELECT content FROM solve_contents WHERE kind = ? AND "
                                        "job = (SELECT number FROM jobs WHERE id = ?)"));
  VRP_RETURN_IF_ERROR(query.Bind(ContentName(kind), job_id));
  VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
  if (!row) return std::nullopt;
  return query.Bytes(0);
}

absl::Status InsertPartRow(Database& database, int64_t job_number, int64_t part,
                           std::string_view content) {
  VRP_ASSIGN_OR_RETURN(
      Query query,
      database.Prepare("INSERT INTO solve_parts (job, part, content) VALUES (?, ?, ?)"));
  VRP_RETURN_IF_ERROR(query.Bind(job_number, part, Blob{content}));
  return query.Run();
}

absl::StatusOr<std::vector<std::string>> ReadPartRows(Database& database, std::string_view job_id,
                                                      int64_t first, int64_t last) {
  VRP_ASSIGN_OR_RETURN(Query query,
                       database.Prepare("SELECT content FROM solve_parts WHERE job = (SELECT "
                                        "number FROM jobs WHERE id = ?) AND part BETWEEN ? AND ? "
                                        "ORDER BY part"));
  VRP_RETURN_IF_ERROR(query.Bind(job_id, first, last));
  std::vector<std::string> parts;
  while (true) {
    VRP_ASSIGN_OR_RETURN(const bool row, query.Next());
    if (!row) return parts;
    parts.push_back(query.Bytes(0));
  }
}

}  // namespace vrp
