#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/completion/scripts.h"

namespace vrp::client {
namespace {

// Works both as a file in fpath, whose content is then the function's body, and by `source`.
constexpr char kZsh[] = R"(#compdef vrpctl
_vrpctl() {
  local at="" word previous="${words[CURRENT-1]}"
  local -a commands flags
  for word in "${(@)words[2,CURRENT-1]}"; do
    case " @PATHS@ " in
      *" ${at:+$at/}$word "*) at="${at:+$at/}$word" ;;
    esac
  done
  if [[ "$PREFIX" == --*=* ]]; then
    previous="${PREFIX%%=*}"
    compset -P '*='
  fi
  case "$at:$previous" in
@RULES@  esac
  case "$at" in
@COMMANDS@  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o flag flags
  elif (( $#commands )); then
    _describe command commands
  else
    case "$at" in
@ARGUMENTS@      *) _describe -o flag flags ;;
    esac
  fi
}
if [[ "${funcstack[1]}" == _vrpctl ]]; then
  _vrpctl "$@"
else
  compdef _vrpctl vrpctl
fi
)";

std::string ZshQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Returns an entry of _describe: `name:description`.
std::string ZshEntry(const std::string& name, const std::string& description) {
  return ZshQuoted(absl::StrCat(absl::StrReplaceAll(name, {{":", "\\:"}}), ":", description));
}

std::string ZshAction(const ValueWords& value) {
  if (!value.words.empty()) return absl::StrCat("compadd -- ", absl::StrJoin(value.words, " "));
  return value.files ? "_files" : "_message value";
}

std::string ZshCase(const CommandWords& command) {
  const std::string commands =
      absl::StrJoin(command.commands, " ", [](std::string* out, const NamedCommand& child) {
        absl::StrAppend(out, ZshEntry(child.name, child.description));
      });
  const std::string flags =
      absl::StrJoin(command.flags, " ", [](std::string* out, const FlagWords& flag) {
        absl::StrAppend(out, ZshEntry(flag.name, flag.description));
      });
  return absl::StrCat("    \"", command.path, "\")\n      commands=(", commands, ")\n      flags=(",
                      flags, ") ;;\n");
}

}  // namespace

std::string ZshScript(const std::vector<CommandWords>& commands) {
  std::string rules, cases, arguments;
  for (const FlagValueRule& rule : MakeFlagValueRules(commands)) {
    absl::StrAppend(&rules, "    ", rule.path.empty() ? "*" : rule.path, ":", rule.flag, ") ",
                    ZshAction(rule.value), "; return ;;\n");
  }
  for (const CommandWords& command : commands) {
    absl::StrAppend(&cases, ZshCase(command));
    if (command.argument == ValueWords()) continue;
    absl::StrAppend(&arguments, "      ", command.path, ") ", ZshAction(command.argument), " ;;\n");
  }
  return absl::StrReplaceAll(kZsh, {{"@PATHS@", JoinedPaths(commands)},
                                    {"@RULES@", rules},
                                    {"@COMMANDS@", cases},
                                    {"@ARGUMENTS@", arguments}});
}

}  // namespace vrp::client
