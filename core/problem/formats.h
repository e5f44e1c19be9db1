// Readers and writers of instance and solution files. Every reader takes text of any content:
// malformed input gives kInvalidArgument with `name:line: what, got, wanted`, never a crash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance.h"
#include "core/problem/solution.h"

namespace vrp {

enum class InstanceFormat {
  kAuto,     // by content
  kVrplib,   // CVRPLIB, TSPLIB, PyVRP's dialect: EUC_2D, CEIL_2D, EXPLICIT
  kSolomon,  // Solomon, Homberger
  kJson,     // ours: one object; a line of a .jsonl file
};

// `name` (a file's name) stands in errors, and is the instance's name where the text has none.
absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format = InstanceFormat::kAuto);
absl::StatusOr<Instance> ParseVrplib(std::string_view text, std::string_view name);
absl::StatusOr<Instance> ParseSolomon(std::string_view text, std::string_view name);
absl::StatusOr<Instance> ParseJson(std::string_view text, std::string_view name);

// One line, no line break; ParseJson reads it back to an equal instance.
std::string WriteJson(const Instance& instance);

struct SolutionFile {
  Plan plan = {};
  std::optional<Cost> cost = {};
};
// CVRPLIB's `.sol`: `Route #1: 5 3 7`, `Cost 375` (or `Cost: 375`). Numbers are node indices; the
// k-th route belongs to the k-th vehicle where vehicles differ.
absl::StatusOr<SolutionFile> ParseSolution(std::string_view text, std::string_view name,
                                           const Instance& instance);
std::string WriteSolution(const Instance& instance, const Plan& plan);

}  // namespace vrp
