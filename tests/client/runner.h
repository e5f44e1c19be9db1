// Runs vrpctl in this process and keeps what it printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/app.h"
#include "client/support/interrupt.h"
#include "nlohmann/json.hpp"

namespace vrp::client {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;

  std::vector<std::string> OutLines() const;
  // Each line of `out`; a line that is no JSON is null.
  std::vector<nlohmann::ordered_json> OutJson() const;
};

struct RunSettings {
  std::string standard_input = {};
  std::optional<int> terminal_width = {};
  Interrupt* interrupt = nullptr;
};

Ran RunCommand(const std::vector<std::string>& arguments, const RunSettings& settings = {});

// The keys of an object, in order.
std::vector<std::string> Keys(const nlohmann::ordered_json& object);

// A file in a folder of this test's own, removed at the process's end.
std::string TestPath(const std::string& name);
std::string WriteTestFile(const std::string& name, const std::string& content);
// Its content, or "<missing>".
std::string ReadTestFile(const std::string& path);
// The names of the files in the folder that begin with `prefix`.
std::vector<std::string> TestFilesLike(const std::string& prefix);

}  // namespace vrp::client
