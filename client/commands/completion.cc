// Implements the command `completion`.
#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/completion/scripts.h"

namespace vrp::client {
namespace {

ExitCode RunCompletion(CommandContext& context, const CLI::App& root, const std::string& shell) {
  const std::vector<CommandWords> commands = CollectCommands(root);
  if (shell == "bash") {
    context.out() << BashScript(commands);
  } else if (shell == "zsh") {
    context.out() << ZshScript(commands);
  } else if (shell == "fish") {
    context.out() << FishScript(commands);
  } else {
    return context.Fail(absl::InvalidArgumentError(
        absl::StrCat("got shell \"", shell, "\", wanted bash, zsh or fish")));
  }
  context.out().flush();
  return kExitDone;
}

}  // namespace

void AddCompletion(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(app, "completion", "Print a completion script for a shell",
                                 "source <(vrpctl completion bash)\n"
                                 "mkdir -p ~/.zfunc && vrpctl completion zsh > ~/.zfunc/_vrpctl\n"
                                 "mkdir -p ~/.config/fish/completions && vrpctl completion fish > "
                                 "~/.config/fish/completions/vrpctl.fish");
  const auto shell = std::make_shared<std::string>();
  AddArgument(*command, "SHELL", *shell, "Print the script for bash, zsh or fish");
  SetCallback(*command, chosen, [shell, &app](CommandContext& context) {
    return RunCompletion(context, app, *shell);
  });
}

}  // namespace vrp::client
