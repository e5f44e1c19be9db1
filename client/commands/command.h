// Helpers shared by all commands. Each client/commands/<verb>.cc declares a command's flags and
// runs it.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "client/connection/rpc_client.h"
#include "client/support/environment.h"
#include "client/support/exit_codes.h"
#include "vrp/v1/solve.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// The value of --output. The daemon renders kVroom, for `solve` and `check`, and kGeoJson,
// for `solve`.
enum class OutputForm { kTable, kJson, kVroom, kGeoJson };

// The context of a running command: streams, daemon and output form.
class CommandContext {
 public:
  // Creates the context of `command`, the command's path, for example "jobs watch". At least one
  // connection is required.
  CommandContext(Environment& environment, std::vector<Connection> connections, OutputForm form,
                 std::string command);

  Environment& environment() { return environment_; }
  std::ostream& out() { return environment_.out; }
  std::ostream& err() { return environment_.err; }
  // Returns the client of the first connection.
  RpcClient& client() { return client_; }
  const std::vector<Connection>& connections() const { return connections_; }
  bool json() const { return form_ == OutputForm::kJson; }
  bool table() const { return form_ == OutputForm::kTable; }
  bool vroom() const { return form_ == OutputForm::kVroom; }
  // Returns the format that the daemon renders; SOLUTION_FORMAT_UNSPECIFIED for table and JSON.
  v1::SolutionFormat rendered() const {
    if (form_ == OutputForm::kGeoJson) return v1::SOLUTION_FORMAT_GEOJSON;
    return vroom() ? v1::SOLUTION_FORMAT_VROOM : v1::SOLUTION_FORMAT_UNSPECIFIED;
  }

  // Prints `object` as one JSON line with --output json, otherwise `text`, which must end with a
  // line break. Returns kExitDone.
  ExitCode Print(const nlohmann::ordered_json& object, std::string_view text);

  // Prints the error `status` with its remedy and returns the exit code. `where` names the file or
  // resource that caused the error, if any. After an interrupt, prints nothing and returns
  // kExitInterrupted. With `--output vroom`, also prints the error as VROOM does.
  ExitCode Fail(const absl::Status& status, std::string_view where = "");

 private:
  Environment& environment_;
  const std::vector<Connection> connections_;
  RpcClient client_;
  OutputForm form_;
  std::string command_;
  // Cancels all calls after an interrupt.
  Interrupt::Handle cancel_on_interrupt_;
};

using CommandFunction = std::function<ExitCode(CommandContext&)>;

// The command that the parser found in the arguments.
struct ChosenCommand {
  std::string name;
  CommandFunction run;
};

// First line of examples that need a training job.
inline constexpr char kNewJobExample[] =
    "job=$(vrpctl train --preset tiny_1 --detach | cut -d' ' -f1)\n";
// Line of examples that waits for the job's first step.
inline constexpr char kWaitForStepExample[] =
    "until vrpctl jobs publish $job; do sleep 1; done  # once it runs\n";
// First line of examples that need a solve job.
inline constexpr char kNewSolveJobExample[] =
    "job=$(vrpctl solve city.vrp --job --budget 2h --detach | cut -d' ' -f1)\n";

// Adds a command and returns it. The command's help shows `examples`, one per line, before
// everything else.
CLI::App* AddCommand(CLI::App& parent, std::string_view name, std::string_view description,
                     std::string_view examples);

// Adds a required positional argument.
void AddArgument(CLI::App& command, const std::string& name, std::string& value,
                 const std::string& description);

// Adds `--label KEY=VALUE`, which may be repeated.
void AddLabelFlag(CLI::App& command, std::vector<std::string>& labels,
                  const std::string& description);

// Makes the parser of `command` store the command's path ("jobs watch") and `run` in `chosen`.
void SetCallback(CLI::App& command, ChosenCommand& chosen, CommandFunction run);
// Runs `run` with the parsed `flags`.
template <typename Flags>
void SetCallback(CLI::App& command, ChosenCommand& chosen, std::shared_ptr<Flags> flags,
                 std::type_identity_t<ExitCode (*)(CommandContext&, const Flags&)> run) {
  SetCallback(command, chosen,
              [flags, run](CommandContext& context) { return run(context, *flags); });
}

void AddTrain(CLI::App& app, ChosenCommand& chosen);
void AddJobs(CLI::App& app, ChosenCommand& chosen);
// Adds commands under `jobs`, as do the next two functions.
void AddJobsControl(CLI::App& jobs, ChosenCommand& chosen);
void AddJobsHistory(CLI::App& jobs, ChosenCommand& chosen);
void AddJobsCompare(CLI::App& jobs, ChosenCommand& chosen);
void AddSweeps(CLI::App& app, ChosenCommand& chosen);
void AddSolve(CLI::App& app, ChosenCommand& chosen);
void AddSolveJobs(CLI::App& app, ChosenCommand& chosen);
void AddCheck(CLI::App& app, ChosenCommand& chosen);
void AddValidate(CLI::App& app, ChosenCommand& chosen);
void AddModels(CLI::App& app, ChosenCommand& chosen);
// Adds commands under `models`, as do the next two functions.
void AddModelsEvaluate(CLI::App& models, ChosenCommand& chosen);
void AddModelsTransfer(CLI::App& models, ChosenCommand& chosen);
void AddModelsManage(CLI::App& models, ChosenCommand& chosen);
void AddConvert(CLI::App& app, ChosenCommand& chosen);
void AddDispatch(CLI::App& app, ChosenCommand& chosen);
// Adds commands under `dispatch`, as do the next two functions.
void AddDispatchDecide(CLI::App& dispatch, ChosenCommand& chosen);
void AddDispatchSimulate(CLI::App& dispatch, ChosenCommand& chosen);
void AddDispatchSimulations(CLI::App& dispatch, ChosenCommand& chosen);
void AddEstimate(CLI::App& app, ChosenCommand& chosen);
void AddDatasets(CLI::App& app, ChosenCommand& chosen);
void AddMatrices(CLI::App& app, ChosenCommand& chosen);
void AddBench(CLI::App& app, ChosenCommand& chosen);
void AddGenerate(CLI::App& app, ChosenCommand& chosen);
void AddTop(CLI::App& app, ChosenCommand& chosen);
void AddServer(CLI::App& app, ChosenCommand& chosen);
// Adds commands under `server`.
void AddServerBackup(CLI::App& server, ChosenCommand& chosen);
void AddMcp(CLI::App& app, ChosenCommand& chosen);
void AddCompletion(CLI::App& app, ChosenCommand& chosen);

}  // namespace vrp::client
