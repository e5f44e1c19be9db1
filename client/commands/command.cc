#include "client/commands/command.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "client/output/error_text.h"

namespace vrp::client {

CommandContext::CommandContext(Environment& environment, std::string remote, bool json,
                               std::string command)
    : environment_(environment),
      client_(std::move(remote)),
      json_(json),
      command_(std::move(command)),
      cancel_on_interrupt_(environment.interrupt, [this] { client_.Cancel(); }) {}

ExitCode CommandContext::Fail(const absl::Status& status, std::string_view where) {
  if (environment_.interrupt.triggered()) return kExitInterrupted;
  environment_.err << ErrorText({command_, std::string(where), client_.remote()}, status)
                   << std::flush;
  return ExitCodeFor(status.code());
}

CLI::App* AddCommand(CLI::App& parent, std::string_view name, std::string_view description,
                     std::string_view examples) {
  CLI::App* command = parent.add_subcommand(std::string(name), std::string(description));
  command->footer(std::string(examples));
  // --remote and --output may follow the command too.
  command->fallthrough();
  return command;
}

}  // namespace vrp::client
