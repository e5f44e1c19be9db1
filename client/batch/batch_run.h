// Solves files of many instances on one or several daemons.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/connection/rpc_client.h"
#include "client/output/solve_tally.h"
#include "client/support/environment.h"
#include "client/support/instance_flags.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client {

struct BatchOptions {
  std::vector<std::string> inputs;
  std::string answers;       // the folder
  v1::SolveRequest request;  // without an instance
  InstanceFlags instance_flags;
  int64_t in_flight = 0;  // of each daemon; 0: twice its threads
  bool is_json = false;   // whether progress is shown as JSON lines
};

struct BatchOutcome {
  int64_t answers = 0;  // of this run
  SolveTally tally;     // of this run
  int64_t found = 0;    // number of answers of earlier runs, without those of complete files
  int64_t failed = 0;   // instances of this run whose answer is an error
  int64_t infeasible = 0;
  absl::Status status = {};  // why the run ended before all instances had answers
};

// Solves all instances that have no answer yet, each on the daemon that is free first, and writes a
// line of JSON for each into `options.answers`, in the order of the input: {"line": 17, ...} with
// the keys of SolveJson, or with `error`. Shows the progress on `environment.out`: a bar on a
// terminal, else a line every ten seconds; as JSON {"progress": true, ...} every second. An
// interrupt ends the run; the next one continues. Returns the errors of AnswerFolder::Open.
absl::StatusOr<BatchOutcome> RunBatch(const std::vector<std::unique_ptr<RpcClient>>& daemons,
                                      const BatchOptions& options, Environment& environment);

}  // namespace vrp::client
