// The flags of `vrpctl solve`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/solve_output.h"
#include "client/commands/stop_flags.h"
#include "client/support/instance_flags.h"
#include "vrp/v1/solve.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

struct SolveFlags {
  std::vector<std::string> files;
  std::string model;
  std::optional<double> habit_weight;
  std::string strategy = "auto";
  std::string budget;  // empty if the flag is not given
  StopFlags stop;
  std::optional<int32_t> threads;
  uint64_t seed = 1;
  bool seed_given = false;
  int32_t width = 0;
  int32_t rounds = 0;
  bool network_only = false;
  bool stream = false;
  bool geometry = false;
  std::string start;
  std::string history;
  int32_t freeze = 0;
  bool job = false;
  bool detach = false;
  std::string request_id;
  PlanFiles plan_files;
  InstanceFlags input;
  std::string answers;  // a folder; empty: print the answers
  int32_t in_flight = 0;
};

inline constexpr char kForOneInstance[] =
    "--start PLAN, --solution, --plot and --job are valid only for one instance";

// Whether the search starts from the most similar day of `history`.
bool StartsSimilar(const SolveFlags& flags);

// Whether a flag that is valid only for one instance is given.
bool IsForOneInstance(const SolveFlags& flags);

// Whether the response must include the streets along the routes. The user may ask for them, and a
// plot needs them if the instance may name a road network.
bool WantsGeometry(const SolveFlags& flags, const v1::InstanceFile& file);

// Adds all flags to `command`. `flags` must outlive the parser.
void AddSolveFlags(CLI::App& command, SolveFlags& flags);

// Returns kInvalidArgument for flags that contradict each other. `rendered` is the format that the
// daemon renders for --output, or unspecified.
absl::Status CheckSolveFlags(const SolveFlags& flags, v1::SolutionFormat rendered);

// Returns the request without instance and initial plan. Returns kInvalidArgument naming the wrong
// flag.
absl::StatusOr<v1::SolveRequest> MakeSolveRequest(const SolveFlags& flags,
                                                  v1::SolutionFormat rendered);

}  // namespace vrp::client
