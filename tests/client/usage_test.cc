// Tests the command line: global flags, help, version and wrong usage.
#include <cstdlib>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Usage : public testing::Test {
 protected:
  static FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.server_info = [](const v1::GetServerInfoRequest&, const FakeCall&) {
      return v1::ServerInfo();
    };
    return handlers;
  }
  FakeServer server_{Handlers()};
};

TEST_F(Usage, AcceptsGlobalFlagsBeforeAndAfterTheCommand) {
  const std::string remote = server_.address();
  const std::vector<std::vector<std::string>> lines = {
      {"--remote", remote, "--output", "json", "server", "info"},
      {"server", "--remote", remote, "info", "--output=json"},
      {"server", "info", "--remote", remote, "--output", "json"},
  };
  for (const auto& line : lines) {
    const CommandResult result = RunCommand(line);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("{"));
  }
}

TEST_F(Usage, ReadsTheAddressFromTheEnvironment) {
  setenv("VRP_REMOTE", server_.address().c_str(), 1);
  const CommandResult by_environment = RunCommand({"server", "info"});
  setenv("VRP_REMOTE", "127.0.0.1:1", 1);
  const CommandResult by_flag = RunCommand({"server", "info", "--remote", server_.address()});
  unsetenv("VRP_REMOTE");
  EXPECT_EQ(by_environment.code, 0);
  EXPECT_EQ(by_flag.code, 0) << "the flag takes precedence over the environment";
}

TEST(UsageHelp, BeginsWithExamples) {
  const std::vector<std::vector<std::string>> commands = {
      {},
      {"train"},
      {"jobs"},
      {"jobs", "list"},
      {"jobs", "get"},
      {"jobs", "watch"},
      {"solve"},
      {"jobs", "cancel"},
      {"jobs", "pause"},
      {"jobs", "resume"},
      {"jobs", "delete"},
      {"jobs", "publish"},
      {"jobs", "history"},
      {"jobs", "compare"},
      {"sweeps"},
      {"sweeps", "list"},
      {"sweeps", "get"},
      {"sweeps", "watch"},
      {"sweeps", "stop"},
      {"sweeps", "pause"},
      {"sweeps", "resume"},
      {"sweeps", "delete"},
      {"solve-jobs"},
      {"solve-jobs", "list"},
      {"solve-jobs", "get"},
      {"solve-jobs", "watch"},
      {"solve-jobs", "stop"},
      {"solve-jobs", "delete"},
      {"check"},
      {"convert"},
      {"dispatch"},
      {"dispatch", "decide"},
      {"dispatch", "simulate"},
      {"dispatch", "simulations"},
      {"dispatch", "simulations", "list"},
      {"dispatch", "simulations", "get"},
      {"dispatch", "simulations", "watch"},
      {"dispatch", "simulations", "stop"},
      {"dispatch", "simulations", "delete"},
      {"estimate"},
      {"matrices"},
      {"matrices", "upload"},
      {"matrices", "list"},
      {"matrices", "delete"},
      {"datasets"},
      {"datasets", "upload"},
      {"datasets", "list"},
      {"datasets", "get"},
      {"datasets", "export"},
      {"datasets", "delete"},
      {"validate"},
      {"models"},
      {"models", "list"},
      {"generate"},
      {"models", "get"},
      {"server", "info"},
      {"completion"},
      {"server", "health"},
      {"server", "log-level"},
      {"top"},
      {"mcp"},
  };
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const CommandResult result = RunCommand(command);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, StartsWith("Examples:\n  ")) << testing::PrintToString(command);
    EXPECT_EQ(result.err, "");
  }
}

TEST(UsageHelp, NamesEveryFormatOfPlans) {
  for (const char* command : {"solve", "check"}) {
    const std::string help = RunCommand({command, "--help"}).out;
    for (const char* format : {".sol", ".tour", "answer", "VROOM's output"}) {
      EXPECT_THAT(help, HasSubstr(format)) << command;
    }
  }
}

// Reads the descriptions of all commands and flags from the completion script of fish.
TEST(UsageHelp, KeepsDescriptionsWithin80Characters) {
  int described = 0;
  for (const std::string& line : RunCommand({"completion", "fish"}).OutLines()) {
    const size_t begin = line.find(" -d '");
    if (begin == std::string::npos) continue;
    const std::string text = absl::StrReplaceAll(line.substr(begin + 5), {{"\\'", "'"}});
    EXPECT_LE(text.size() - 1, 80u) << line;
    ++described;
  }
  EXPECT_GE(described, 150);
}

TEST(UsageHelp, PrintsTheVersion) {
  const CommandResult result = RunCommand({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("vrpctl "));
}

class WrongUsage : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(WrongUsage, ExitsWithCode2AndAMessage) {
  const CommandResult result = RunCommand(GetParam());
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("vrpctl: "));
}

INSTANTIATE_TEST_SUITE_P(Lines, WrongUsage,
                         testing::ValuesIn(std::vector<std::vector<std::string>>{
                             {},
                             {"bogus"},
                             {"jobs"},
                             {"jobs", "bogus"},
                             {"jobs", "get"},
                             {"jobs", "get", "a", "b"},
                             {"jobs", "get", "a/b"},
                             {"jobs", "watch", "a", "--from", "-1"},
                             {"jobs", "watch", "a", "--from", "x"},
                             {"train", "--preset", "tiny_9"},
                             {"train", "--preset", "tiny_1", "--config", "/dev/null"},
                             {"train", "tiny_1"},
                             {"solve"},
                             {"solve", "x", "--bogus"},
                             {"solve", "x", "--budget", "500"},
                             {"solve", "x", "--budget"},
                             {"solve", "x", "--strategy", "magic"},
                             {"solve", "x", "--seed", "-1"},
                             {"solve", "x", "--seed", "18446744073709551616"},
                             {"solve", "x", "--threads", "-2"},
                             {"solve", "x", "--threads", "3000000000"},
                             {"solve", "x", "--width", "1.5"},
                             {"solve", "x", "--model", "a/b"},
                             {"solve", "/nonexistent/x.vrp"},
                             {"solve", "x", "--format", "csv"},
                             {"solve", "x", "y", "--job"},
                             {"solve", "x", "--job", "--stream"},
                             {"solve", "x", "--detach"},
                             {"solve", "x", "--request-id", "r"},
                             {"solve-jobs"},
                             {"solve-jobs", "get"},
                             {"solve-jobs", "get", "trainingJobs/a"},
                             {"solve-jobs", "watch", "a", "--from", "-1"},
                             {"generate"},
                             {"generate", "--problem", "cvrp", "--count", "0"},
                             {"generate", "--problem", "cvrp", "--capacity", "much"},
                             {"check", "x"},
                             {"server", "info", "--output", "yaml"},
                             {"server", "info", "--remote", "host"},
                             {"server", "info", "--remote", "host:70000"},
                             {"completion", "tcsh"},
                             {"server", "log-level"},
                             {"server", "log-level", "loud"},
                             {"top", "--interval", "2"},
                             {"top", "--interval", "0s"},
                         }));

TEST(UsageErrors, NameAnUnknownCommand) {
  EXPECT_THAT(RunCommand({"bogus"}).err, HasSubstr("unknown command bogus"));
  EXPECT_THAT(RunCommand({"jobs", "bogus"}).err, HasSubstr("unknown command bogus"));
}

TEST(UsageErrors, NameTheUnexpectedArgumentInsteadOfTheMissingOption) {
  EXPECT_THAT(RunCommand({"models", "export", "net", "folder"}).err,
              HasSubstr("argument was not expected: folder"));
  EXPECT_THAT(RunCommand({"models", "export", "net", "--to", "folder"}).err,
              HasSubstr("argument was not expected: --to"));
}

TEST(UsageErrors, NameTheValidRange) {
  EXPECT_THAT(RunCommand({"solve", "x", "--threads", "-1"}).err,
              HasSubstr("--threads: got -1, wanted a whole number from 0 to 2147483647"));
}

}  // namespace
}  // namespace vrp::client
