// Implements the command `mcp`.
#include <CLI/CLI.hpp>
#include <memory>
#include <thread>

#include "client/commands/command.h"
#include "client/mcp/server.h"
#include "client/mcp/tools.h"
#include "client/support/files.h"
#include "client/support/flags.h"

namespace vrp::client {
namespace {

constexpr char kMcpExamples[] =
    "vrpctl mcp --allow-folder . --max-budget 30s </dev/null  # a client of the protocol starts "
    "it\n"
    "vrpctl mcp --allow-train --remote host:50051 </dev/null\n"
    "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | vrpctl mcp | jq -r "
    "'.result.tools[].name'";

struct McpFlags {
  bool allow_train = false;
  std::vector<std::string> folders;
  std::string max_budget = "1m";
};

// Handles the lines of standard input until its end or an interrupt, which also cancels the calls
// that still run.
ExitCode Serve(CommandContext& context, mcp::ServerOptions options) {
  // The reading thread shares the queue, because an interrupt leaves this thread behind, blocked in
  // a read.
  const auto lines = std::make_shared<mcp::LineQueue>(kMaxMessageBytes);
  Environment& environment = context.environment();
  std::thread reader([lines, &in = environment.in] { lines->ReadAll(in); });
  const Interrupt::Handle close_on_interrupt(environment.interrupt, [&] { lines->Close(); });
  {
    mcp::Server server(std::move(options), context.out(), context.err());
    while (const std::optional<mcp::Line> line = lines->Next()) server.Handle(*line);
  }
  if (environment.interrupt.triggered()) {
    reader.detach();
    return kExitInterrupted;
  }
  reader.join();
  return kExitDone;
}

ExitCode RunMcp(CommandContext& context, const McpFlags& flags) {
  const absl::StatusOr<absl::Duration> max_budget = ParseBudget(flags.max_budget, "--max-budget");
  if (!max_budget.ok()) return context.Fail(max_budget.status());
  absl::StatusOr<mcp::Folders> folders = mcp::Folders::Create(flags.folders);
  if (!folders.ok()) return context.Fail(folders.status());
  context.err() << "vrpctl: mcp: serving remote=" << context.client().remote()
                << " folders=" << folders->Text()
                << " allow_train=" << (flags.allow_train ? "true" : "false") << std::endl;
  mcp::ServerOptions options{.connection = context.client().connection(),
                             .folders = *std::move(folders),
                             .tools = mcp::AllTools(*max_budget, flags.allow_train),
                             .refused_tools = mcp::ChangingToolNames(),
                             .instructions = mcp::Instructions(flags.allow_train)};
  return Serve(context, std::move(options));
}

}  // namespace

void AddMcp(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "mcp", "Serve the daemon to language models over the Model Context Protocol",
                 kMcpExamples);
  const auto flags = std::make_shared<McpFlags>();
  command->add_flag("--allow-train", flags->allow_train,
                    "Offer tools that start, stop or change jobs; default: read-only");
  command
      ->add_option("--allow-folder", flags->folders,
                   "Let tools read files in this folder; repeatable; default: the current one")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command->add_option("--max-budget", flags->max_budget, "Limit the budget of a solve to this time")
      ->type_name("TIME")
      ->capture_default_str();
  SetCallback(*command, chosen, flags, RunMcp);
}

}  // namespace vrp::client
