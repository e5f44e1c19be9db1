#include <fstream>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/command_line.h"
#include "server/config/config_file.h"
#include "server/config/listen_address.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;

absl::StatusOr<VrpdOptions> Parse(const std::vector<std::string>& arguments) {
  auto parsed = ParseCommandLine(arguments, "vrpd 1");
  if (!parsed.ok()) return parsed.status();
  EXPECT_TRUE(std::holds_alternative<VrpdOptions>(*parsed));
  return std::get<VrpdOptions>(*parsed);
}

TEST(CommandLine, FillsInDefaults) {
  const auto options = Parse({"--state-dir", "/s"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->listen, "127.0.0.1:50051");
  EXPECT_EQ(options->models_dir, "/s/models");
  EXPECT_EQ(options->threads, HardwareThreads());
  EXPECT_EQ(options->device, "auto");
}

TEST(CommandLine, WinsOverTheFile) {
  test::TempFolder folder;
  std::ofstream(folder.File("c.yaml"))
      << "listen: 127.0.0.1:7\nstate_dir: /file\nlog_level: warn\n";
  const auto options = Parse({"--config", folder.File("c.yaml"), "--listen", "127.0.0.1:8"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->listen, "127.0.0.1:8");
  EXPECT_EQ(options->state_dir, "/file");
  EXPECT_EQ(options->log_level, "warn");
}

TEST(CommandLine, NamesWhatIsWrong) {
  EXPECT_THAT(std::string(Parse({}).status().message()), HasSubstr("--state-dir"));
  EXPECT_THAT(std::string(Parse({"--state-dir", "/s", "--bogus"}).status().message()),
              HasSubstr("--bogus"));
  EXPECT_THAT(std::string(Parse({"--state-dir", "/s", "--threads", "0"}).status().message()),
              HasSubstr("--threads"));
  EXPECT_THAT(std::string(Parse({"--state-dir", "/s", "--threads", "many"}).status().message()),
              HasSubstr("--threads"));
  EXPECT_THAT(std::string(Parse({"--state-dir", "/s", "--log-level", "loud"}).status().message()),
              HasSubstr("--log-level"));
  EXPECT_THAT(std::string(Parse({"--config", "/nowhere.yaml"}).status().message()),
              HasSubstr("/nowhere.yaml"));
}

TEST(CommandLine, TakesMetricsOnLoopbackAndElsewhereOnlyWhenToldSo) {
  EXPECT_EQ(Parse({"--state-dir", "/s"})->metrics_listen, "") << "off";
  EXPECT_EQ(Parse({"--state-dir", "/s", "--metrics-listen", "[::1]:0"})->metrics_listen, "[::1]:0");
  const auto open = Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464"});
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("metrics_listen"));
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("--insecure"));
  EXPECT_TRUE(Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464", "--insecure"}).ok());
  for (const char* wrong : {"9464", "unix:/s/m", "127.0.0.1:70000", "127.0.0.1:1,0.0.0.0:2"}) {
    const auto refused = Parse({"--state-dir", "/s", "--metrics-listen", wrong});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("metrics_listen: got")) << wrong;
  }
}

TEST(CommandLine, HelpBeginsWithExamplesAndVersionIsPrinted) {
  const auto help = ParseCommandLine({"--help"}, "vrpd 1");
  ASSERT_TRUE(help.ok());
  EXPECT_THAT(std::get<PrintAndExit>(*help).text, testing::StartsWith("Examples:"));
  const auto version = ParseCommandLine({"--version"}, "vrpd 1");
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(std::get<PrintAndExit>(*version).text, "vrpd 1\n");
}

TEST(ListenAddress, BeyondLoopbackNeedsInsecure) {
  for (const char* fine :
       {"127.0.0.1:0", "127.8.9.1:1", "[::1]:65535", "localhost:50051", "unix:/tmp/s"}) {
    EXPECT_TRUE(CheckListenAddress(fine, false).ok()) << fine;
  }
  for (const char* open :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1", "localhost.example.org:1",
        "127.0.0.1.example.org:1", "[::ffff:10.0.0.1]:1"}) {
    const absl::Status refused = CheckListenAddress(open, false);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("--insecure")) << open;
    EXPECT_TRUE(CheckListenAddress(open, true).ok()) << open;
  }
  for (const char* wrong : {"", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                            "127.0.0.1:x", "unix:", "[::1:1", "a b:1", "::1:1", "[127.0.0.1]:1"}) {
    EXPECT_FALSE(CheckListenAddress(wrong, true).ok()) << wrong;
  }
}

TEST(ListenAddress, IsToldWithTheBoundPort) {
  EXPECT_EQ(BoundAddress(*ParseListenAddress("127.0.0.1:0"), 41), "127.0.0.1:41");
  EXPECT_EQ(BoundAddress(*ParseListenAddress("[::1]:0"), 41), "[::1]:41");
  EXPECT_EQ(BoundAddress(*ParseListenAddress("unix:/tmp/s"), 1), "unix:/tmp/s");
}

TEST(ConfigFile, TheShippedOneIsCompleteAndRight) {
  const auto text = ReadFile("configs/vrpd.yaml");
  ASSERT_TRUE(text.ok()) << text.status();
  const auto options = ParseConfigFile(*text, "vrpd.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  const VrpdOptions defaults;
  EXPECT_EQ(options->listen, defaults.listen);
  EXPECT_EQ(options->device, defaults.device);
  EXPECT_EQ(options->solve_queue, defaults.solve_queue);
  EXPECT_EQ(options->max_queued_jobs, defaults.max_queued_jobs);
  EXPECT_EQ(options->insecure, defaults.insecure);
  EXPECT_EQ(options->log_level, defaults.log_level);
  EXPECT_EQ(options->read_only_models_dirs, defaults.read_only_models_dirs);
  EXPECT_TRUE(options->state_dir.has_value());
  EXPECT_TRUE(options->models_dir.has_value());
  EXPECT_THAT(*text, HasSubstr("\n# threads: "));
  EXPECT_THAT(*text, HasSubstr("\n# state_quota_mb: "));
}

struct BadLine {
  std::string yaml;
  std::string wanted;
};
class WrongConfig : public testing::TestWithParam<BadLine> {};

TEST_P(WrongConfig, IsNamedByFileAndLine) {
  const auto options = ParseConfigFile("# a comment\n" + GetParam().yaml, "c.yaml");
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(GetParam().wanted));
}

INSTANTIATE_TEST_SUITE_P(
    ConfigFile, WrongConfig,
    testing::Values(
        BadLine{"lsten: a", "c.yaml:2: \"lsten\": unknown key"},
        BadLine{"listen: a:1\nlisten: b:2", "c.yaml:3: listen: given twice"},
        BadLine{"listen: [a]", "c.yaml:2: listen: got a list, wanted text"},
        BadLine{"listen:", "c.yaml:2: listen: got nothing, wanted text"},
        BadLine{"threads: many", "c.yaml:2: threads: got \"many\", wanted an integer from 1 to"},
        BadLine{"threads: 1.5", "c.yaml:2: threads: got \"1.5\""},
        BadLine{"threads: -1", "c.yaml:2: threads: got \"-1\""},
        BadLine{"threads: .nan", "c.yaml:2: threads: got \".nan\""},
        BadLine{"threads: .inf", "c.yaml:2: threads: got \".inf\""},
        BadLine{"threads: 99999999999999999999", "c.yaml:2: threads: got \"9999"},
        BadLine{"solve_queue: 0", "c.yaml:2: solve_queue: got \"0\""},
        BadLine{"max_queued_jobs: {a: 1}", "c.yaml:2: max_queued_jobs: got a map"},
        BadLine{"state_quota_mb: 0", "c.yaml:2: state_quota_mb: got \"0\""},
        BadLine{"insecure: yes", "c.yaml:2: insecure: got \"yes\", wanted true or false"},
        BadLine{"log_level: loud", "c.yaml:2: log_level: got \"loud\""},
        BadLine{"read_only_models_dirs: a",
                "c.yaml:2: read_only_models_dirs: got \"a\", wanted a list"},
        BadLine{"read_only_models_dirs: [[]]",
                "c.yaml:2: read_only_models_dirs: got a list, wanted text"},
        BadLine{"- listen", "c.yaml:2: got a list, wanted a map"},
        BadLine{"just text", "c.yaml:2: got \"just text\", wanted a map"},
        BadLine{"[a]: 1", "c.yaml:2: a key must be a word"}, BadLine{"listen: \"a", "c.yaml:"},
        BadLine{"a: *b", "c.yaml:2"},
        BadLine{"threads: many\nlisten: []", "c.yaml:3: listen: got a list"}));

TEST(ConfigFile, OfHostileShapeIsRefusedWithoutHarm) {
  EXPECT_FALSE(ParseConfigFile(std::string(2 << 20, 'a'), "c.yaml").ok());
  EXPECT_FALSE(ParseConfigFile(std::string(500'000, '['), "c.yaml").ok());
  EXPECT_FALSE(ParseConfigFile(std::string("\0\1\2", 3), "c.yaml").ok());
  EXPECT_TRUE(ParseConfigFile("", "c.yaml").ok());
}

}  // namespace
}  // namespace vrp
