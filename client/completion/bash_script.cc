#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/completion/scripts.h"

namespace vrp::client {
namespace {

// bash passes "--output=json" as three words. `compopt` fails outside of a completion, as in tests.
constexpr char kBash[] = R"(_vrpctl() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" at="" word i
  local commands="" flags="" values="" files=""
  COMPREPLY=()
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case " @PATHS@ " in
      *" ${at:+$at/}$word "*) at="${at:+$at/}$word" ;;
    esac
  done
  case "$at:$previous" in
@RULES@    *)
      case "$at" in
@COMMANDS@      esac
      case "$current" in
        -*) values="$flags" files="" ;;
        *) values="${commands:-$values}" ;;
      esac
      if [ -z "$values$files" ]; then values="$flags"; fi
      ;;
  esac
  if [ -n "$files" ]; then compopt -o default 2>/dev/null; fi
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}
complete -F _vrpctl vrpctl
)";

std::string BashAssignments(const ValueWords& value) {
  if (!value.words.empty()) return absl::StrCat("values=\"", absl::StrJoin(value.words, " "), "\"");
  return value.files ? "files=1" : "";
}

std::string BashCase(const CommandWords& command) {
  const std::string commands = absl::StrJoin(
      command.commands, " ",
      [](std::string* out, const NamedCommand& child) { absl::StrAppend(out, child.name); });
  const std::string flags = absl::StrJoin(
      command.flags, " ",
      [](std::string* out, const FlagWords& flag) { absl::StrAppend(out, flag.name); });
  return absl::StrCat("        \"", command.path, "\") commands=\"", commands, "\" flags=\"", flags,
                      "\" ", BashAssignments(command.argument), " ;;\n");
}

}  // namespace

std::string BashScript(const std::vector<CommandWords>& commands) {
  std::string rules, cases;
  for (const FlagValueRule& rule : MakeFlagValueRules(commands)) {
    absl::StrAppend(&rules, "    ", rule.path.empty() ? "*" : rule.path, ":", rule.flag, ") ",
                    BashAssignments(rule.value), " ;;\n");
  }
  for (const CommandWords& command : commands) absl::StrAppend(&cases, BashCase(command));
  return absl::StrReplaceAll(
      kBash, {{"@PATHS@", JoinedPaths(commands)}, {"@RULES@", rules}, {"@COMMANDS@", cases}});
}

}  // namespace vrp::client
