#include <fstream>
#include <string>

#include "absl/strings/str_split.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
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

TEST(CommandLine, WantsTheOptionsOfTlsTogether) {
  const auto message = [](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--state-dir", "/s"});
    return std::string(Parse(flags).status().message());
  };
  EXPECT_THAT(message({"--tls-certificate", "c"}), HasSubstr("--tls-key: absent"));
  EXPECT_THAT(message({"--tls-key", "k"}), HasSubstr("--tls-certificate: absent"));
  EXPECT_THAT(message({"--tls-client-ca", "a"}), HasSubstr("wanted all three"));
  EXPECT_THAT(message({"--listen", "0.0.0.0:1", "--tls-certificate", "c", "--tls-key", "k"}),
              HasSubstr("whoever connects could do everything"));
  EXPECT_EQ(message({"--listen", "0.0.0.0:1", "--tls-certificate", "c", "--tls-key", "k",
                     "--tls-client-ca", "a"}),
            "");
}

TEST(MaxConnections, AreAtLeastOneAndRefusedByName) {
  const auto flag = [](const std::string& value) {
    return std::string(Parse({"--state-dir", "/s", "--max-connections", value}).status().message());
  };
  EXPECT_EQ(Parse({"--state-dir", "/s", "--max-connections", "7"})->max_connections, 7);
  for (const char* wrong : {"0", "-1", "none", "100001"}) {
    EXPECT_THAT(flag(wrong), HasSubstr("--max-connections")) << wrong;
    const auto file = ParseConfigFile(Concat("max_connections: ", wrong), "vrpd.yaml");
    EXPECT_EQ(file.status().message(), Concat("vrpd.yaml:1: max_connections: got \"", wrong,
                                              "\", wanted an integer from 1 to 100000"));
  }
}

TEST(CommandLine, PrintsAFreshTokenAndTheLineThatGrantsItsRole) {
  const auto print = []() -> std::vector<std::string> {
    const auto parsed = ParseCommandLine({"--new-token", "solve"}, "vrpd 1");
    return absl::StrSplit(std::get<PrintAndExit>(*parsed).text, '\n');
  };
  const std::vector<std::string> lines = print();
  ASSERT_GE(lines.size(), 4u);
  EXPECT_THAT(lines[1], testing::MatchesRegex("vrp_[0-9a-f]{64}"));
  EXPECT_EQ(lines[3], "solve " + Sha256Hex(lines[1]));
  const std::vector<std::string> again = print();
  EXPECT_NE(again[1], lines[1]);
  EXPECT_THAT(std::string(Parse({"--new-token", "root"}).status().message()), HasSubstr("root"));
}

TEST(CommandLine, TakesMetricsOnLoopbackAndElsewhereOnlyWhenToldSo) {
  EXPECT_EQ(Parse({"--state-dir", "/s"})->metrics_listen, "") << "off";
  EXPECT_EQ(Parse({"--state-dir", "/s", "--metrics-listen", "[::1]:0"})->metrics_listen, "[::1]:0");
  const auto open = Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464"});
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("metrics_listen"));
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("--insecure"));
  EXPECT_TRUE(Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464", "--insecure"}).ok());
  const std::vector<std::string> tls = {
      "--state-dir",       "/s",    "--metrics-listen", "0.0.0.0:9464",
      "--tls-certificate", "c.pem", "--tls-key",        "k.pem"};
  EXPECT_FALSE(Parse(tls).ok()) << "everyone could read them";
  std::vector<std::string> known = tls;
  known.insert(known.end(), {"--tokens", "tokens"});
  EXPECT_TRUE(Parse(known).ok());
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

TEST(ListenAddress, BeyondLoopbackNeedsTlsAndKnownCallers) {
  for (const char* fine :
       {"127.0.0.1:0", "127.8.9.1:1", "[::1]:65535", "localhost:50051", "unix:/tmp/s"}) {
    EXPECT_TRUE(CheckListenAddress(fine, {}).ok()) << fine;
  }
  for (const char* open :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1", "localhost.example.org:1",
        "127.0.0.1.example.org:1", "[::ffff:10.0.0.1]:1"}) {
    const absl::Status plain = CheckListenAddress(open, {});
    EXPECT_THAT(std::string(plain.message()), HasSubstr("Give --tls-certificate")) << open;
    const absl::Status anonymous = CheckListenAddress(open, {.tls = true});
    EXPECT_THAT(std::string(anonymous.message()), HasSubstr("--tls-client-ca or for tokens"))
        << open;
    EXPECT_FALSE(CheckListenAddress(open, {.knows_callers = true}).ok()) << "tokens in the clear";
    EXPECT_TRUE(CheckListenAddress(open, {.tls = true, .knows_callers = true}).ok()) << open;
    EXPECT_TRUE(CheckListenAddress(open, {.insecure = true}).ok()) << open;
  }
  for (const char* wrong : {"", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                            "127.0.0.1:x", "unix:", "[::1:1", "a b:1", "::1:1", "[127.0.0.1]:1"}) {
    EXPECT_FALSE(CheckListenAddress(wrong, {.insecure = true}).ok()) << wrong;
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
  EXPECT_EQ(options->serving_memory_percent, defaults.serving_memory_percent);
  EXPECT_EQ(options->nvml_library, defaults.nvml_library);
  EXPECT_EQ(options->solve_queue, defaults.solve_queue);
  EXPECT_EQ(options->max_queued_jobs, defaults.max_queued_jobs);
  EXPECT_EQ(options->insecure, defaults.insecure);
  EXPECT_EQ(options->data_dirs, defaults.data_dirs);
  EXPECT_EQ(options->max_message_mib, defaults.max_message_mib);
  EXPECT_EQ(options->max_nodes, defaults.max_nodes);
  EXPECT_EQ(options->max_budget_s, defaults.max_budget_s);
  EXPECT_EQ(options->max_solve_job_budget_s, defaults.max_solve_job_budget_s);
  EXPECT_EQ(options->max_open_streams, defaults.max_open_streams);
  EXPECT_EQ(options->max_connections, defaults.max_connections);
  EXPECT_EQ(options->max_calls_per_connection, defaults.max_calls_per_connection);
  EXPECT_EQ(options->max_request_memory_mib, defaults.max_request_memory_mib);
  EXPECT_EQ(options->log_level, defaults.log_level);
  EXPECT_EQ(options->read_only_models_dirs, defaults.read_only_models_dirs);
  EXPECT_TRUE(options->state_dir.has_value());
  EXPECT_TRUE(options->models_dir.has_value());
  EXPECT_THAT(*text, HasSubstr("\n# threads: "));
  EXPECT_THAT(*text, HasSubstr("\n# state_quota_mb: "));
}

// From before there was a schema_version.
TEST(ConfigFile, OneOfSchema1IsRead) {
  const auto options = ParseConfigFile(*ReadFile("tests/data/state/vrpd_v1.yaml"), "vrpd.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->solve_queue, 64);
  EXPECT_EQ(options->state_dir, "/var/lib/vrp");
}

TEST(ConfigFile, OneForANewerVrpdIsRefusedByItsSchemaAlone) {
  const auto options = ParseConfigFile("listen: 1\nschema_version: 7\ninvented: 1\n", "c.yaml");
  EXPECT_EQ(std::string(options.status().message()),
            "c.yaml:2: schema_version: got 7, wanted at most 1 (the file was written for a newer "
            "vrpd: start that one)");
}

TEST(CommandLine, RestoreNamesArchiveAndFolder) {
  const auto parsed = ParseCommandLine(
      {"--restore", "vrp.tar", "--state-dir", "/s/", "--models-dir", "/s/models"}, "vrpd 1");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const auto& restore = std::get<RestoreRequest>(*parsed);
  EXPECT_EQ(restore.archive, "vrp.tar");
  EXPECT_EQ(restore.state_dir, "/s/");
  EXPECT_FALSE(ParseCommandLine({"--restore", "vrp.tar"}, "vrpd 1").ok());
  const auto elsewhere = ParseCommandLine(
      {"--restore", "vrp.tar", "--state-dir", "/s", "--models-dir", "/m"}, "vrpd 1");
  EXPECT_THAT(std::string(elsewhere.status().message()),
              HasSubstr("--models-dir: got /m with --restore, wanted /s/models"));
}

TEST(CommandLine, ForgettingJobsNamesTheFolderAndIsNoRestore) {
  const auto parsed = ParseCommandLine({"--forget-jobs", "--state-dir", "/s"}, "vrpd 1");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::get<ForgetRequest>(*parsed).state_dir, "/s");
  EXPECT_FALSE(ParseCommandLine({"--forget-jobs"}, "vrpd 1").ok());
  const auto both =
      ParseCommandLine({"--forget-jobs", "--restore", "a", "--state-dir", "/s"}, "vrpd 1");
  EXPECT_THAT(std::string(both.status().message()), HasSubstr("--forget-jobs"));
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
