// Kinds of jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// Kinds of jobs. They share one store, one order of submission and the same states.
enum class JobKind { kTraining, kSolve, kSimulation };
// Returns "training", "solve" or "simulation".
std::string_view JobKindName(JobKind kind);
std::optional<JobKind> ParseJobKind(std::string_view name);
// Returns "trainingJobs/{id}", "solveJobs/{id}" or "simulations/{id}".
std::string JobResourceName(JobKind kind, std::string_view id);

// Whether jobs of this kind have a serialised request, which a JobSolver answers, and the fields of
// SolvePart.
inline bool RunsOnSolver(JobKind kind) { return kind != JobKind::kTraining; }

}  // namespace vrp
