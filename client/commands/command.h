// What all commands have in common. Each client/commands/<verb>.cc declares its flags and what it
// does with them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

// What --output asks for; what the daemon writes, kVroom and kGeoJson, is of `solve` alone.
enum class OutputForm { kTable, kJson, kVroom, kGeoJson };

// What a command is run with.
class CommandContext {
 public:
  // `command` as in "jobs watch".
  CommandContext(Environment& environment, Connection connection, OutputForm form,
                 std::string command);

  Environment& environment() { return environment_; }
  std::ostream& out() { return environment_.out; }
  std::ostream& err() { return environment_.err; }
  RpcClient& client() { return client_; }
  bool json() const { return form_ == OutputForm::kJson; }
  bool table() const { return form_ == OutputForm::kTable; }
  bool vroom() const { return form_ == OutputForm::kVroom; }
  // Of what the daemon writes; else SOLUTION_FORMAT_UNSPECIFIED.
  v1::SolutionFormat rendered() const {
    if (form_ == OutputForm::kGeoJson) return v1::SOLUTION_FORMAT_GEOJSON;
    return vroom() ? v1::SOLUTION_FORMAT_VROOM : v1::SOLUTION_FORMAT_UNSPECIFIED;
  }

  // Prints `status`, which is not OK, with the remedy, and gives the exit code: after Ctrl-C always
  // kExitInterrupted, without a word. `where` is the file that was at fault, if any. VROOM's output
  // says it too.
  ExitCode Fail(const absl::Status& status, std::string_view where = "");

 private:
  Environment& environment_;
  RpcClient client_;
  OutputForm form_;
  std::string command_;
  // Ctrl-C ends every call.
  Interrupt::Handle cancel_on_interrupt_;
};

using CommandFunction = std::function<ExitCode(CommandContext&)>;

// Parsing the command line leaves the command that was named in here.
struct ChosenCommand {
  std::string name;
  CommandFunction run;
};

// Examples that need a training job begin with this line.
inline constexpr char kNewJobExample[] =
    "job=$(vrpctl train --preset ptrnet_tiny --detach | cut -d' ' -f1)\n";
// Continues kNewJobExample: waits for the job's first step.
inline constexpr char kWaitForStepExample[] =
    "until vrpctl jobs publish $job; do sleep 1; done  # once it runs\n";
inline constexpr char kNewSolveJobExample[] =
    "job=$(vrpctl solve city.vrp --job --budget 2h --detach | cut -d' ' -f1)\n";

// Adds a command with its help: `examples`, a line each, come before anything else.
CLI::App* AddCommand(CLI::App& parent, std::string_view name, std::string_view description,
                     std::string_view examples);

// `--label KEY=VALUE`, repeatable.
void AddLabelFlag(CLI::App& command, std::vector<std::string>& labels,
                  const std::string& description);

void AddTrain(CLI::App& app, ChosenCommand& chosen);
void AddJobs(CLI::App& app, ChosenCommand& chosen);
// Under `jobs`.
void AddJobsControl(CLI::App& jobs, ChosenCommand& chosen);
void AddJobsHistory(CLI::App& jobs, ChosenCommand& chosen);
void AddJobsCompare(CLI::App& jobs, ChosenCommand& chosen);
void AddSolve(CLI::App& app, ChosenCommand& chosen);
void AddSolveJobs(CLI::App& app, ChosenCommand& chosen);
void AddCheck(CLI::App& app, ChosenCommand& chosen);
void AddValidate(CLI::App& app, ChosenCommand& chosen);
void AddModels(CLI::App& app, ChosenCommand& chosen);
// Under `models`.
void AddModelsEvaluate(CLI::App& models, ChosenCommand& chosen);
void AddModelsTransfer(CLI::App& models, ChosenCommand& chosen);
void AddModelsManage(CLI::App& models, ChosenCommand& chosen);
void AddConvert(CLI::App& app, ChosenCommand& chosen);
void AddDatasets(CLI::App& app, ChosenCommand& chosen);
void AddMatrices(CLI::App& app, ChosenCommand& chosen);
void AddBench(CLI::App& app, ChosenCommand& chosen);
void AddGenerate(CLI::App& app, ChosenCommand& chosen);
void AddTop(CLI::App& app, ChosenCommand& chosen);
void AddServer(CLI::App& app, ChosenCommand& chosen);
// Under `server`.
void AddServerBackup(CLI::App& server, ChosenCommand& chosen);
void AddCompletion(CLI::App& app, ChosenCommand& chosen);

}  // namespace vrp::client
