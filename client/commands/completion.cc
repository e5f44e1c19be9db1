// The command `completion`. It generates the scripts from the commands, so they are always up to
// date.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/commands/command.h"
#include "client/presets/presets.h"

namespace vrp::client {
namespace {

std::string PresetWords() {
  std::vector<absl::string_view> names;
  for (const Preset& preset : Presets()) names.push_back(preset.name);
  return absl::StrJoin(names, " ");
}

// Returns the possible values of each flag that takes words.
const std::map<std::string, std::string>& WordValues() {
  static const auto* const values = new std::map<std::string, std::string>{
      {"--preset", PresetWords()},
      {"--output", "table json vroom geojson"},
      {"--strategy", "auto seeded greedy sample beam multi_start improved search"},
      {"--problem", "cvrp vrptw tsp"},
      {"--objective", "distance vehicles_then_distance duration cost"},
      {"--metric", "exact cvrplib ceil dimacs"},
      {"--model", "ptrnet gt"},
      {"--mode", "greedy sample:16 beam:8 multi_start:8 improved:20000"},
      {"--device", "auto cpu cuda:0"},
      {"--format", "auto vrplib tsplib solomon json vroom jsonl"},
      {"--to", "vrplib tsplib solomon json vroom sol geojson"},
  };
  return *values;
}

// A command and its path below vrpctl ("", "jobs", "jobs watch").
struct Node {
  std::string path;
  const CLI::App* app;
};

void Collect(const CLI::App& app, const std::string& path, std::vector<Node>& nodes) {
  nodes.push_back({path, &app});
  for (const CLI::App* child : app.get_subcommands(nullptr)) {
    Collect(*child, path.empty() ? child->get_name() : absl::StrCat(path, " ", child->get_name()),
            nodes);
  }
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  return names;
}

// Returns the words that may follow `app`: its commands and flags and the flags of vrpctl.
std::string Words(const CLI::App& app, const CLI::App& root) {
  std::vector<std::string> words;
  for (const CLI::App* child : app.get_subcommands(nullptr)) words.push_back(child->get_name());
  for (const std::string& name : FlagNames(app)) words.push_back(name);
  for (const std::string& name : FlagNames(root)) {
    if (std::find(words.begin(), words.end(), name) == words.end()) words.push_back(name);
  }
  return absl::StrJoin(words, " ");
}

// Sets `path` to the command among the words typed so far.
constexpr char kBash[] = R"(_vrpctl() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" word words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case " @COMMANDS@ " in
      *" ${path:+$path/}$word "*) path="${path:+$path/}$word" ;;
    esac
  done
  case "$previous" in
@VALUES@  esac
  if [ -z "$words" ]; then
    case "$path" in
@PATHS@    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _vrpctl vrpctl
)";

std::string BashScript(const CLI::App& root) {
  std::vector<Node> nodes;
  Collect(root, "", nodes);
  std::string values, paths, commands;
  for (const auto& [flag, words] : WordValues()) {
    absl::StrAppend(&values, "    ", flag, ") words=\"", words, "\" ;;\n");
  }
  for (const Node& node : nodes) {
    const std::string path = absl::StrReplaceAll(node.path, {{" ", "/"}});
    if (!path.empty()) absl::StrAppend(&commands, commands.empty() ? "" : " ", path);
    absl::StrAppend(&paths, "      \"", path, "\") words=\"", Words(*node.app, root), "\" ;;\n");
  }
  return absl::StrReplaceAll(kBash,
                             {{"@COMMANDS@", commands}, {"@VALUES@", values}, {"@PATHS@", paths}});
}

std::string ZshScript(const CLI::App& root) {
  return absl::StrCat("#compdef vrpctl\nautoload -U +X bashcompinit && bashcompinit\n",
                      BashScript(root));
}

std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// Returns the condition under which fish offers the words of `node`.
std::string FishCondition(const Node& node) {
  if (node.path.empty()) return "__fish_use_subcommand";
  return absl::StrCat("__fish_seen_subcommand_from ", node.app->get_name());
}

std::string FishScript(const CLI::App& root) {
  std::vector<Node> nodes;
  Collect(root, "", nodes);
  std::string script;
  for (const Node& node : nodes) {
    for (const CLI::App* child : node.app->get_subcommands(nullptr)) {
      absl::StrAppend(&script, "complete -c vrpctl -f -n ", FishQuoted(FishCondition(node)), " -a ",
                      child->get_name(), " -d ", FishQuoted(child->get_description()), "\n");
    }
    for (const CLI::Option* option : node.app->get_options()) {
      if (option->get_lnames().empty()) continue;
      const std::string name = option->get_lnames().front();
      absl::StrAppend(
          &script, "complete -c vrpctl",
          node.path.empty() ? "" : absl::StrCat(" -n ", FishQuoted(FishCondition(node))), " -l ",
          name);
      const auto words = WordValues().find(absl::StrCat("--", name));
      if (words != WordValues().end())
        absl::StrAppend(&script, " -x -a ", FishQuoted(words->second));
      absl::StrAppend(&script, " -d ", FishQuoted(option->get_description()), "\n");
    }
  }
  return script;
}

ExitCode RunCompletion(CommandContext& context, const CLI::App& root, const std::string& shell) {
  if (shell == "bash") {
    context.out() << BashScript(root);
  } else if (shell == "zsh") {
    context.out() << ZshScript(root);
  } else if (shell == "fish") {
    context.out() << FishScript(root);
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
  AddArgument(*command, "SHELL", *shell, "bash, zsh or fish");
  SetCallback(*command, chosen, [shell, &app](CommandContext& context) {
    return RunCompletion(context, app, *shell);
  });
}

}  // namespace vrp::client
