#include "tests/client/runner.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace vrp::client {
namespace {

class TestFolder {
 public:
  TestFolder() : path_(absl::StrCat(testing::TempDir(), "vrpctl_test_", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string& Folder() {
  static const TestFolder folder;
  return folder.path();
}

}  // namespace

std::vector<std::string> CommandResult::OutLines() const {
  std::vector<std::string> lines = absl::StrSplit(out, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<nlohmann::ordered_json> CommandResult::OutJson() const {
  std::vector<nlohmann::ordered_json> objects;
  for (const std::string& line : OutLines()) {
    nlohmann::ordered_json object = nlohmann::ordered_json::parse(line, nullptr, false);
    objects.push_back(object.is_discarded() ? nlohmann::ordered_json() : object);
  }
  return objects;
}

CommandResult RunCommand(const std::vector<std::string>& arguments, const RunSettings& settings) {
  std::istringstream in(settings.standard_input);
  std::ostringstream out, err;
  Interrupt default_interrupt;
  Environment environment{
      .in = in,
      .out = out,
      .err = err,
      .interrupt = settings.interrupt != nullptr ? *settings.interrupt : default_interrupt,
      .terminal_width = [&] { return settings.terminal_width; }};
  const int code = RunVrpctl(arguments, environment);
  return {code, out.str(), err.str()};
}

CommandResult RunOn(const FakeServer& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--remote", server.address()});
  return RunCommand(arguments);
}

CommandResult RunJson(const FakeServer& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--output", "json"});
  return RunOn(server, std::move(arguments));
}

std::vector<std::string> Keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string TestPath(const std::string& name) { return absl::StrCat(Folder(), "/", name); }

std::string WriteTestFile(const std::string& name, const std::string& content) {
  const std::string path = TestPath(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string ReadTestFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "<missing>";
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<std::string> TestFilesWithPrefix(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    const std::string name = entry.path().filename();
    if (name.rfind(prefix, 0) == 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace vrp::client
