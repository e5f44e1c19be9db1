// Runs vrpctl within the test's process, and reads and writes test files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/app.h"
#include "client/support/interrupt.h"
#include "nlohmann/json.hpp"
#include "tests/client/fake_server.h"

namespace vrp::client {

// The exit code and output of a run.
struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;

  std::vector<std::string> OutLines() const;
  // Returns the parsed lines of `out`; null for a line that is not JSON.
  std::vector<nlohmann::ordered_json> OutJson() const;
};

// The input, terminal and interrupt of a run. Without a width, the output is not a terminal.
struct RunSettings {
  std::string standard_input = {};
  std::optional<int> terminal_width = {};
  Interrupt* interrupt = nullptr;
};

// Runs vrpctl with `arguments`.
CommandResult RunCommand(const std::vector<std::string>& arguments,
                         const RunSettings& settings = {});
// Runs vrpctl with `arguments` against `server`.
CommandResult RunOn(const FakeServer& server, std::vector<std::string> arguments);
// Runs vrpctl like RunOn, with --output json.
CommandResult RunJson(const FakeServer& server, std::vector<std::string> arguments);

// Returns the keys of an object in their order.
std::vector<std::string> Keys(const nlohmann::ordered_json& object);

// Returns the path of a file in this process's test folder. The folder is removed when the process
// ends.
std::string TestPath(const std::string& name);
// Writes a file of the test folder and returns its path.
std::string WriteTestFile(const std::string& name, const std::string& content);
// Returns the content of the file at `path`, or "<missing>".
std::string ReadTestFile(const std::string& path);
// Returns the sorted names of the test folder's files that begin with `prefix`.
std::vector<std::string> TestFilesWithPrefix(const std::string& prefix);

}  // namespace vrp::client
