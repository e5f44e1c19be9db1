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

struct RunSettings {
  std::string standard_input = {};
  std::optional<int> terminal_width = {};
  Interrupt* interrupt = nullptr;
};

CommandResult RunCommand(const std::vector<std::string>& arguments,
                         const RunSettings& settings = {});
// Run vrpctl with `arguments` against `server`. RunJson adds --output json.
CommandResult RunOn(const FakeServer& server, std::vector<std::string> arguments);
CommandResult RunJson(const FakeServer& server, std::vector<std::string> arguments);

// Returns the keys of an object in order.
std::vector<std::string> Keys(const nlohmann::ordered_json& object);

// Returns the path of a file in a folder of this process. The folder is removed when the process
// ends.
std::string TestPath(const std::string& name);
std::string WriteTestFile(const std::string& name, const std::string& content);
// Returns the file's content, or "<missing>".
std::string ReadTestFile(const std::string& path);
// Returns the names of the folder's files that begin with `prefix`.
std::vector<std::string> TestFilesLike(const std::string& prefix);

}  // namespace vrp::client
