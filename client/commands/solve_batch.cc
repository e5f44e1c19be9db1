#include "client/commands/solve_batch.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/batch/batch_run.h"
#include "client/output/json.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

void PrintOutcome(CommandContext& context, const SolveFlags& flags, const BatchOutcome& outcome,
                  absl::Duration elapsed) {
  if (context.json()) {
    Json summary = outcome.tally.Summary(flags.answers, elapsed);
    summary["answers_of_earlier_runs"] = outcome.found;
    WriteJsonLine(context.out(), summary);
    return;
  }
  if (outcome.status.ok() && outcome.answers == 0) {
    context.out() << flags.answers << ": earlier runs have answered all instances" << std::endl;
    return;
  }
  context.out() << outcome.tally.Text(flags.answers, elapsed);
  if (outcome.found > 0) {
    context.out() << "besides " << FormatCount(outcome.found, "answer") << " of earlier runs\n";
  }
  context.out() << std::flush;
}

}  // namespace

ExitCode RunSolveBatch(CommandContext& context, const SolveFlags& flags, v1::SolveRequest request) {
  std::vector<std::unique_ptr<RpcClient>> daemons;
  for (const Connection& connection : context.connections()) {
    daemons.push_back(std::make_unique<RpcClient>(connection));
  }
  request.set_include_geometry(flags.geometry);
  const absl::Time start = context.environment().now();
  const absl::StatusOr<BatchOutcome> outcome = RunBatch(daemons,
                                                        {.inputs = flags.files,
                                                         .answers = flags.answers,
                                                         .request = std::move(request),
                                                         .instance_flags = flags.input,
                                                         .in_flight = flags.in_flight,
                                                         .is_json = context.json()},
                                                        context.environment());
  if (!outcome.ok()) return context.Fail(outcome.status());
  PrintOutcome(context, flags, *outcome, context.environment().now() - start);
  if (!outcome->status.ok()) {
    context.err() << "the same command continues with the next instance\n" << std::flush;
    return context.Fail(outcome->status);
  }
  if (outcome->failed > 0) return kExitFailed;
  return outcome->infeasible > 0 ? kExitNoPlan : kExitDone;
}

}  // namespace vrp::client
