// The flags that end a search before its budget does, shared by `solve` and `bench`.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "vrp/v1/solve.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// The values of the flags. A value is empty or 0 if its flag is not given.
struct StopFlags {
  std::string after;   // such as "2s" or "20%"
  std::string target;  // such as "375" or "1%"
  int64_t max_iterations = 0;

  // Whether --stop-after is a share of the budget.
  bool is_share() const { return after.ends_with('%'); }
  // Whether a flag ends the search without a budget.
  bool needs_no_budget() const { return (!after.empty() && !is_share()) || max_iterations > 0; }
};

// Adds --stop-after, --target and --max-iterations. `flags` must outlive the parser.
void AddStopOptions(CLI::App& command, StopFlags& flags);

// Sets `request.stop` if a flag is given. Returns kInvalidArgument naming the wrong flag.
absl::Status SetStop(const StopFlags& flags, v1::SolveRequest& request);

}  // namespace vrp::client
