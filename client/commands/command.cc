#include "client/commands/command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/output/error_text.h"
#include "client/output/json.h"

namespace vrp::client {

CommandContext::CommandContext(Environment& environment, std::vector<Connection> connections,
                               OutputForm form, std::string command)
    : environment_(environment),
      connections_(std::move(connections)),
      client_(connections_.front()),
      form_(form),
      command_(std::move(command)),
      cancel_on_interrupt_(environment.interrupt, [this] { client_.Cancel(); }) {}

ExitCode CommandContext::Fail(const absl::Status& status, std::string_view where) {
  if (environment_.interrupt.triggered()) return kExitInterrupted;
  environment_.err << ErrorText({command_, std::string(where), client_.remote()}, status)
                   << std::flush;
  const ExitCode code = ExitCodeFor(status.code());
  if (vroom()) {
    constexpr int kInternal = 1, kInput = 2;
    const bool input = code == kExitUsage || code == kExitRefused || code == kExitNotFound;
    WriteJsonLine(out(), {{"code", input ? kInput : kInternal}, {"error", status.message()}});
  }
  return code;
}

ExitCode CommandContext::Print(const nlohmann::ordered_json& object, std::string_view text) {
  if (json()) {
    WriteJsonLine(out(), object);
  } else {
    out() << text << std::flush;
  }
  return kExitDone;
}

CLI::App* AddCommand(CLI::App& parent, std::string_view name, std::string_view description,
                     std::string_view examples) {
  CLI::App* command = parent.add_subcommand(std::string(name), std::string(description));
  command->footer(std::string(examples));
  // Accepts --remote and --output after the command too.
  command->fallthrough();
  return command;
}

void AddArgument(CLI::App& command, const std::string& name, std::string& value,
                 const std::string& description) {
  command.add_option(name, value, description)->type_name("")->required();
}

void AddLabelFlag(CLI::App& command, std::vector<std::string>& labels,
                  const std::string& description) {
  command.add_option("--label", labels, description)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void SetCallback(CLI::App& command, ChosenCommand& chosen, CommandFunction run) {
  std::string path = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent->get_parent() != nullptr;
       parent = parent->get_parent()) {
    path = absl::StrCat(parent->get_name(), " ", path);
  }
  command.callback([&chosen, path = std::move(path), run = std::move(run)] {
    chosen = {path, run};
  });
}

}  // namespace vrp::client
