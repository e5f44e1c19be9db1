// Collects from the parser the words that may follow `vrpctl` on the command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vrp::client {

// The values of a flag or argument: words, else names of files, else unknown to the completion.
struct ValueWords {
  std::vector<std::string> words;
  bool files = false;  // whether the values are names of files
  friend bool operator==(const ValueWords&, const ValueWords&) = default;
};

// A flag of a command.
struct FlagWords {
  std::string name;  // with both dashes
  std::string description;
  bool takes_value = false;
  ValueWords value = {};
  bool inherited = false;  // whether vrpctl declares the flag for all commands
};

// A command as its parent lists it.
struct NamedCommand {
  std::string name;
  std::string description;
};

// The words that may follow a command.
struct CommandWords {
  std::string path;  // from vrpctl on, joined by '/': "", "jobs", "jobs/watch"
  std::vector<NamedCommand> commands = {};
  std::vector<FlagWords> flags = {};
  ValueWords argument = {};
};

// A rule for the values of a flag.
struct FlagValueRule {
  std::string path;  // path of the command to which the rule applies; empty: all other commands
  std::string flag;
  ValueWords value;
};

// Returns vrpctl itself, then all of its commands.
std::vector<CommandWords> CollectCommands(const CLI::App& root);

// Returns the rules of all flags that take values. The rules of single commands come first, so a
// script must use the first rule that matches.
std::vector<FlagValueRule> MakeFlagValueRules(const std::vector<CommandWords>& commands);

// Returns the paths of all commands but vrpctl, separated by spaces.
std::string JoinedPaths(const std::vector<CommandWords>& commands);

}  // namespace vrp::client
