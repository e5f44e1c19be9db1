#include "client/completion/command_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/completion/value_words.h"

namespace vrp::client {
namespace {

// Whether a placeholder of a flag's value or an argument stands for a file or folder.
bool NamesFile(const std::string& placeholder) {
  for (const char* name : {"FILE", "FOLDER", "DIR", "PATH", "PLAN", "SOLUTION", "IN", "OUT"}) {
    if (placeholder == name) return true;
  }
  return absl::StartsWith(placeholder, "OUT.");
}

void AddFlags(const CLI::Option& option, CommandWords& command) {
  for (const std::string& name : option.get_lnames()) {
    FlagWords flag{.name = absl::StrCat("--", name), .description = option.get_description()};
    flag.takes_value = option.get_items_expected_max() > 0;
    if (flag.takes_value) {
      flag.value.words = AcceptedWords(command.path, flag.name);
      flag.value.files = flag.value.words.empty() && NamesFile(option.get_type_name());
    }
    command.flags.push_back(std::move(flag));
  }
}

void AddOptions(const CLI::App& app, CommandWords& command) {
  for (const CLI::Option* option : app.get_options()) {
    AddFlags(*option, command);
    if (!option->get_positional()) continue;
    const std::string placeholder = option->get_single_name();
    const std::vector<std::string> words = AcceptedWords(command.path, placeholder);
    if (!words.empty()) command.argument.words = words;
    command.argument.files |= words.empty() && NamesFile(placeholder);
  }
}

void Inherit(const CommandWords& root, CommandWords& command) {
  for (FlagWords flag : root.flags) {
    const bool is_overridden =
        std::any_of(command.flags.begin(), command.flags.end(),
                    [&](const FlagWords& other) { return other.name == flag.name; });
    if (is_overridden) continue;
    flag.inherited = true;
    if (!flag.value.words.empty()) flag.value.words = AcceptedWords(command.path, flag.name);
    command.flags.push_back(std::move(flag));
  }
}

void Collect(const CLI::App& app, const std::string& path, std::vector<CommandWords>& commands) {
  CommandWords command{.path = path};
  AddOptions(app, command);
  for (const CLI::App* child : app.get_subcommands(nullptr)) {
    if (child->get_name().empty()) {  // a group of options
      AddOptions(*child, command);
    } else {
      command.commands.push_back({child->get_name(), child->get_description()});
    }
  }
  if (!path.empty()) Inherit(commands.front(), command);
  commands.push_back(std::move(command));
  for (const CLI::App* child : app.get_subcommands(nullptr)) {
    if (child->get_name().empty()) continue;
    Collect(*child, absl::StrCat(path, path.empty() ? "" : "/", child->get_name()), commands);
  }
}

}  // namespace

std::vector<CommandWords> CollectCommands(const CLI::App& root) {
  std::vector<CommandWords> commands;
  Collect(root, "", commands);
  return commands;
}

std::vector<FlagValueRule> MakeFlagValueRules(const std::vector<CommandWords>& commands) {
  std::map<std::string, ValueWords> general;
  std::vector<FlagValueRule> rules;
  for (const CommandWords& command : commands) {
    for (const FlagWords& flag : command.flags) {
      if (!flag.takes_value) continue;
      const auto [first, inserted] = general.try_emplace(flag.name, flag.value);
      if (inserted || first->second == flag.value) continue;
      rules.push_back({command.path, flag.name, flag.value});
    }
  }
  for (const auto& [flag, value] : general) rules.push_back({"", flag, value});
  return rules;
}

std::string JoinedPaths(const std::vector<CommandWords>& commands) {
  return absl::StrJoin(
      commands.begin() + 1, commands.end(), " ",
      [](std::string* out, const CommandWords& command) { absl::StrAppend(out, command.path); });
}

}  // namespace vrp::client
