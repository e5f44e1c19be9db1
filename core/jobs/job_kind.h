// Kinds of jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vrp {

// Kinds of jobs. They share one store, one order of submission and the same states.
enum class JobKind { kTraining, kSolve, kSimulation, kSweep };
// Returns "training", "solve", "simulation" or "sweep".
std::string_view JobKindName(JobKind kind);
std::optional<JobKind> ParseJobKind(std::string_view name);
// Returns "trainingJobs/{id}", "solveJobs/{id}", "simulations/{id}" or "sweeps/{id}".
std::string JobResourceName(JobKind kind, std::string_view id);

// Whether jobs of this kind have a serialised request and the fields of SolvePart. A JobSolver
// answers the requests of solve jobs and simulations.
inline bool HasRequest(JobKind kind) { return kind != JobKind::kTraining; }

}  // namespace vrp
