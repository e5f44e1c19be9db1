#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/completion/scripts.h"

namespace vrp::client {
namespace {

constexpr char kFish[] = R"(# Whether the words before the cursor name this command.
function __vrpctl_at
  set -l at
  set -l words (commandline -opc)
  for word in $words[2..-1]
    set -l next (string join / -- $at $word)
    if contains -- $next @PATHS@
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
complete -c vrpctl -f
)";

std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// Returns the beginning of a line that applies only at the command `path`.
std::string FishCompleteAt(const std::string& path) {
  return absl::StrCat("complete -c vrpctl -n ",
                      FishQuoted(absl::StrCat("__vrpctl_at '", path, "'")));
}

std::string FishValueOptions(const ValueWords& value) {
  if (value.files) return " -r -F";
  if (value.words.empty()) return " -x";
  return absl::StrCat(" -x -a ", FishQuoted(absl::StrJoin(value.words, " ")));
}

void AddFishFlag(const CommandWords& command, const FlagWords& flag, std::string& script) {
  // Every command has these flags of vrpctl.
  const bool everywhere = command.path.empty();
  absl::StrAppend(&script, everywhere ? "complete -c vrpctl" : FishCompleteAt(command.path), " -l ",
                  flag.name.substr(2), flag.takes_value ? FishValueOptions(flag.value) : "", " -d ",
                  FishQuoted(flag.description), "\n");
}

void AddFishArgument(const CommandWords& command, std::string& script) {
  if (command.argument.files) {
    absl::StrAppend(&script, FishCompleteAt(command.path), " -F\n");
  } else if (!command.argument.words.empty()) {
    absl::StrAppend(&script, FishCompleteAt(command.path), " -a ",
                    FishQuoted(absl::StrJoin(command.argument.words, " ")), "\n");
  }
}

// Whether vrpctl itself declares `flag` with the same values, so that every command has the flag
// already.
bool IsRedundant(const CommandWords& root, const FlagWords& flag) {
  if (!flag.inherited) return false;
  for (const FlagWords& other : root.flags) {
    if (other.name == flag.name) return other.value == flag.value;
  }
  return false;
}

}  // namespace

std::string FishScript(const std::vector<CommandWords>& commands) {
  std::string script = absl::StrReplaceAll(kFish, {{"@PATHS@", JoinedPaths(commands)}});
  for (const CommandWords& command : commands) {
    for (const NamedCommand& child : command.commands) {
      absl::StrAppend(&script, FishCompleteAt(command.path), " -a ", child.name, " -d ",
                      FishQuoted(child.description), "\n");
    }
    for (const FlagWords& flag : command.flags) {
      if (!IsRedundant(commands.front(), flag)) AddFishFlag(command, flag, script);
    }
    AddFishArgument(command, script);
  }
  return script;
}

}  // namespace vrp::client
