#include <fstream>
#include <string>

#include "absl/strings/str_split.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/usable_processors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/command_line.h"
#include "server/config/config_file.h"
#include "server/config/listen_address.h"
#include "server/config/option_table.h"
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
  EXPECT_EQ(options->threads, UsableProcessors());
  EXPECT_EQ(options->device, "auto");
}

TEST(CommandLine, OverridesTheFile) {
  test::TempFolder folder;
  std::ofstream(folder.File("c.yaml"))
      << "listen: 127.0.0.1:7\nstate_dir: /file\nlog_level: warn\n";
  const auto options = Parse({"--config", folder.File("c.yaml"), "--listen", "127.0.0.1:8"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->listen, "127.0.0.1:8");
  EXPECT_EQ(options->state_dir, "/file");
  EXPECT_EQ(options->log_level, "warn");
}

TEST(CommandLine, NamesTheWrongOption) {
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

TEST(CommandLine, RequiresCompleteTlsOptions) {
  const auto message = [](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--state-dir", "/s"});
    return std::string(Parse(flags).status().message());
  };
  EXPECT_THAT(message({"--tls-certificate", "c"}), HasSubstr("--tls-key: absent"));
  EXPECT_THAT(message({"--tls-key", "k"}), HasSubstr("--tls-certificate: absent"));
  EXPECT_THAT(message({"--tls-client-ca", "a"}), HasSubstr("wanted all three"));
  EXPECT_THAT(message({"--listen", "0.0.0.0:1", "--tls-certificate", "c", "--tls-key", "k"}),
              HasSubstr("without authentication"));
  EXPECT_EQ(message({"--listen", "0.0.0.0:1", "--tls-certificate", "c", "--tls-key", "k",
                     "--tls-client-ca", "a"}),
            "");
}

TEST(CommandLine, RefusesMaxConnectionsOutOfRange) {
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

TEST(CommandLine, PrintsANewTokenAndItsLineOfTheTokensFile) {
  const auto print = []() -> std::vector<std::string> {
    const auto parsed = ParseCommandLine({"--new-token", "solve"}, "vrpd 1");
    return absl::StrSplit(std::get<PrintAndExit>(*parsed).text, '\n');
  };
  const std::vector<std::string> lines = print();
  ASSERT_GE(lines.size(), 4u);
  EXPECT_THAT(lines[1], testing::MatchesRegex("vrp_[0-9a-f]{64}"));
  EXPECT_EQ(lines[3], "solve " + Sha256Hex(lines[1]));
  const std::vector<std::string> second = print();
  EXPECT_NE(second[1], lines[1]);
  EXPECT_THAT(std::string(Parse({"--new-token", "root"}).status().message()), HasSubstr("root"));
}

TEST(CommandLine, AllowsMetricsBeyondLoopbackOnlyIfProtectedOrInsecure) {
  EXPECT_EQ(Parse({"--state-dir", "/s"})->metrics_listen, "");
  EXPECT_EQ(Parse({"--state-dir", "/s", "--metrics-listen", "[::1]:0"})->metrics_listen, "[::1]:0");
  const auto open = Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464"});
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("metrics_listen"));
  EXPECT_THAT(std::string(open.status().message()), HasSubstr("--insecure"));
  EXPECT_TRUE(Parse({"--state-dir", "/s", "--metrics-listen", "0.0.0.0:9464", "--insecure"}).ok());
  const std::vector<std::string> tls = {
      "--state-dir",       "/s",    "--metrics-listen", "0.0.0.0:9464",
      "--tls-certificate", "c.pem", "--tls-key",        "k.pem"};
  EXPECT_FALSE(Parse(tls).ok()) << "without authentication";
  std::vector<std::string> with_tokens = tls;
  with_tokens.insert(with_tokens.end(), {"--tokens", "tokens"});
  EXPECT_TRUE(Parse(with_tokens).ok());
  for (const char* wrong : {"9464", "unix:/s/m", "127.0.0.1:70000", "127.0.0.1:1,0.0.0.0:2"}) {
    const auto refused = Parse({"--state-dir", "/s", "--metrics-listen", wrong});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("metrics_listen: got")) << wrong;
  }
}

TEST(CommandLine, PrintsTheVersionAndHelpThatBeginsWithExamples) {
  const auto help = ParseCommandLine({"--help"}, "vrpd 1");
  ASSERT_TRUE(help.ok());
  EXPECT_THAT(std::get<PrintAndExit>(*help).text, testing::StartsWith("Examples:"));
  const auto version = ParseCommandLine({"--version"}, "vrpd 1");
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(std::get<PrintAndExit>(*version).text, "vrpd 1\n");
}

TEST(ListenAddress, RequiresTlsAndAuthenticationBeyondLoopback) {
  for (const char* local :
       {"127.0.0.1:0", "127.8.9.1:1", "[::1]:65535", "localhost:50051", "unix:/tmp/s"}) {
    EXPECT_TRUE(CheckListenAddress(local, {}).ok()) << local;
  }
  for (const char* open :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1", "localhost.example.org:1",
        "127.0.0.1.example.org:1", "[::ffff:10.0.0.1]:1"}) {
    const absl::Status plain = CheckListenAddress(open, {});
    EXPECT_THAT(std::string(plain.message()), HasSubstr("Give --tls-certificate")) << open;
    const absl::Status anonymous = CheckListenAddress(open, {.tls = true});
    EXPECT_THAT(std::string(anonymous.message()), HasSubstr("--tls-client-ca or tokens")) << open;
    EXPECT_FALSE(CheckListenAddress(open, {.authenticates = true}).ok()) << "tokens without TLS";
    EXPECT_TRUE(CheckListenAddress(open, {.tls = true, .authenticates = true}).ok()) << open;
    EXPECT_TRUE(CheckListenAddress(open, {.insecure = true}).ok()) << open;
  }
  for (const char* wrong : {"", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                            "127.0.0.1:x", "unix:", "[::1:1", "a b:1", "::1:1", "[127.0.0.1]:1"}) {
    EXPECT_FALSE(CheckListenAddress(wrong, {.insecure = true}).ok()) << wrong;
  }
}

TEST(ListenAddress, ShowsTheBoundPort) {
  EXPECT_EQ(BoundAddress(*ParseListenAddress("127.0.0.1:0"), 41), "127.0.0.1:41");
  EXPECT_EQ(BoundAddress(*ParseListenAddress("[::1]:0"), 41), "[::1]:41");
  EXPECT_EQ(BoundAddress(*ParseListenAddress("unix:/tmp/s"), 1), "unix:/tmp/s");
}

// Returns the value that configs/vrpd.yaml must state for an option: its default, or "[]" for a
// list. Returns an empty string if the default is a description such as "no limit".
std::string ShippedValue(const OptionRow& row) {
  if (std::holds_alternative<std::vector<std::string> VrpdOptions::*>(row.member)) return "[]";
  return row.default_text.empty() ? DefaultText(row) : "";
}

TEST(ConfigFile, ShippedFileListsEveryOptionWithItsDefault) {
  const auto text = ReadFile("configs/vrpd.yaml");
  ASSERT_TRUE(text.ok()) << text.status();
  const auto options = ParseConfigFile(*text, "vrpd.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  for (const OptionRow& row : OptionTable()) {
    const std::string value = ShippedValue(row);
    const bool given = options->given.contains(row.key);
    EXPECT_THAT(*text, HasSubstr(Concat("\n", given ? "" : "# ", row.key, ":",
                                        value.empty() ? "" : Concat(" ", value, "\n"))));
  }
  EXPECT_EQ(options->values.read_only_models_dirs, VrpdOptions().read_only_models_dirs);
  EXPECT_EQ(options->values.data_dirs, VrpdOptions().data_dirs);
}

// vrpd_v1.yaml is older than the key schema_version.
TEST(ConfigFile, ReadsAFileWithoutSchemaVersion) {
  const auto options = ParseConfigFile(*ReadFile("tests/data/state/vrpd_v1.yaml"), "vrpd.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->values.solve_queue, 64);
  EXPECT_EQ(options->values.state_dir, "/var/lib/vrp");
}

TEST(ConfigFile, RefusesANewerSchemaWithoutReadingOtherKeys) {
  const auto options = ParseConfigFile("listen: 1\nschema_version: 7\ninvented: 1\n", "c.yaml");
  EXPECT_EQ(std::string(options.status().message()),
            "c.yaml:2: schema_version: got 7, wanted at most 1 (the file was written for a newer "
            "vrpd: start that one)");
}

TEST(CommandLine, ParsesRestore) {
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

TEST(CommandLine, AcceptsForgetJobsOnlyWithoutRestore) {
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

TEST_P(WrongConfig, ReportsFileAndLine) {
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
        BadLine{"max_queued_jobs: {a: 1}", "c.yaml:2: max_queued_jobs: got a mapping"},
        BadLine{"state_quota_mb: 0", "c.yaml:2: state_quota_mb: got \"0\""},
        BadLine{"exit_when_idle_s: 0", "c.yaml:2: exit_when_idle_s: got \"0\""},
        BadLine{"insecure: yes", "c.yaml:2: insecure: got \"yes\", wanted true or false"},
        BadLine{"log_level: loud",
                "c.yaml:2: log_level: got \"loud\", wanted debug, info, warn or error"},
        BadLine{"read_only_models_dirs: a",
                "c.yaml:2: read_only_models_dirs: got \"a\", wanted a list"},
        BadLine{"read_only_models_dirs: [[]]",
                "c.yaml:2: read_only_models_dirs: got a list, wanted text"},
        BadLine{"- listen", "c.yaml:2: got a list, wanted a mapping"},
        BadLine{"just text", "c.yaml:2: got \"just text\", wanted a mapping"},
        BadLine{"[a]: 1", "c.yaml:2: got a list as a key, wanted text"},
        BadLine{"listen: \"a", "c.yaml:"}, BadLine{"a: *b", "c.yaml:2"},
        BadLine{"threads: many\nlisten: []", "c.yaml:3: listen: got a list"}));

TEST(ConfigFile, RefusesLargeDeeplyNestedAndBinaryFilesAndAcceptsAnEmptyOne) {
  EXPECT_FALSE(ParseConfigFile(std::string(2 << 20, 'a'), "c.yaml").ok());
  EXPECT_FALSE(ParseConfigFile(std::string(500'000, '['), "c.yaml").ok());
  EXPECT_FALSE(ParseConfigFile(std::string("\0\1\2", 3), "c.yaml").ok());
  EXPECT_TRUE(ParseConfigFile("", "c.yaml").ok());
}

// Returns a value of `row` that differs from its default.
std::string OtherValue(const OptionRow& row) {
  if (row.key == "road_networks") return R"({car: {kind: osrm, url: "http://127.0.0.1:5000"}})";
  if (row.key.find("listen") != std::string_view::npos) return "127.0.0.1:7";
  if (std::holds_alternative<bool VrpdOptions::*>(row.member)) return "true";
  if (std::holds_alternative<int32_t VrpdOptions::*>(row.member)) {
    const std::string min = Concat(row.range.min);
    return min == DefaultText(row) ? Concat(row.range.min + 1) : min;
  }
  if (row.key == "map_tiles") return "https://tiles.example/{z}/{x}/{y}.png";
  return row.words.empty() ? "/other" : std::string(row.words.back());
}

// Returns the arguments that Merge requires beside the option `key`. They are state_dir, a
// certificate, its key, and the options that `key` depends on.
std::vector<std::string> RequiredFlags(std::string_view key) {
  std::vector<std::string> flags = {"--state-dir", "/s",        "--tls-certificate",
                                    "c",           "--tls-key", "k"};
  if (key == "http_hosts" || key.starts_with("map_")) {
    flags.insert(flags.end(), {"--http-listen", "127.0.0.1:7"});
  }
  if (key == "map_attribution") {
    flags.insert(flags.end(), {"--map-tiles", "http://tiles.example/{z}/{x}/{y}"});
  }
  return flags;
}

TEST(OptionTable, SetsTheSameOptionByFlagAndByFileKey) {
  for (const OptionRow& row : OptionTable()) {
    const std::string value = OtherValue(row);
    const bool is_bool = std::holds_alternative<bool VrpdOptions::*>(row.member);
    const bool is_list =
        std::holds_alternative<std::vector<std::string> VrpdOptions::*>(row.member);
    std::vector<std::string> arguments = {FlagOf(row)};
    if (!is_bool) arguments.push_back(value);
    for (const std::string& flag : RequiredFlags(row.key)) arguments.push_back(flag);
    if (row.key == "state_dir" || row.key == "tls_certificate" || row.key == "tls_key") continue;
    const auto by_flag = Parse(arguments);
    ASSERT_TRUE(by_flag.ok()) << row.key << ": " << by_flag.status();

    test::TempFolder folder;
    std::ofstream(folder.File("c.yaml"))
        << row.key << ": " << (is_list ? Concat("[", value, "]") : value) << "\n";
    std::vector<std::string> with_file = RequiredFlags(row.key);
    with_file.insert(with_file.end(), {"--config", folder.File("c.yaml")});
    const auto by_file = Parse(with_file);
    ASSERT_TRUE(by_file.ok()) << row.key << ": " << by_file.status();
    EXPECT_EQ(*by_flag, *by_file) << row.key;
    const bool changes = row.key != "threads" || HardwareThreads() > 1;
    EXPECT_EQ(*by_flag != *Parse(RequiredFlags(row.key)), changes) << row.key;
  }
}

TEST(OptionTable, RefusesTileUrlsThatAreMalformedOrLoosenTheContentSecurityPolicy) {
  for (const std::string_view url :
       {"https://tiles.example/{z}/{x}.png", "ftp://tiles.example/{z}/{x}/{y}", "{z}/{x}/{y}",
        "https:///{z}/{x}/{y}", "https://*/{z}/{x}/{y}", "https://a; script-src */{z}/{x}/{y}",
        "https://{s}.tiles.example/{z}/{x}/{y}", "https://a/{z}/{x}/{y}\r\nX: 1"}) {
    const auto options = Parse(
        {"--state-dir", "/s", "--http-listen", "127.0.0.1:7", "--map-tiles", std::string(url)});
    EXPECT_FALSE(options.ok()) << url;
  }
  EXPECT_FALSE(Parse({"--state-dir", "/s", "--map-tiles", "http://a/{z}/{x}/{y}"}).ok());
}

TEST(OptionTable, PrefersFlagsToTheFileAndTheFileToDefaults) {
  test::TempFolder folder;
  std::ofstream(folder.File("c.yaml"))
      << "state_dir: /s\nmax_batch: 5\nnetwork_queue: 6\ndata_dirs: [/a, /b]\n";
  const auto options = Parse({"--config", folder.File("c.yaml"), "--max-batch", "7", "--data-dirs",
                              "/c", "--data-dirs", "/d"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->max_batch, 7);
  EXPECT_EQ(options->network_queue, 6);
  EXPECT_EQ(options->solve_queue, VrpdOptions().solve_queue);
  EXPECT_EQ(options->data_dirs, (std::vector<std::string>{"/c", "/d"}));
}

TEST(OptionTable, KnowsWhichOptionsTheFileOrAFlagStates) {
  test::TempFolder folder;
  std::ofstream(folder.File("c.yaml")) << "state_dir: /s\nmax_nodes: 500\n";
  const auto options = Parse({"--config", folder.File("c.yaml"), "--http-hosts", "a.example",
                              "--http-hosts", "b.example", "--http-listen", "127.0.0.1:0"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->given,
              testing::ElementsAre("http_hosts", "http_listen", "max_nodes", "state_dir"));
  for (const OptionRow& row : OptionTable()) {
    if (row.key == "max_nodes") {
      EXPECT_EQ(ValueText(row, *options), "500");
    }
    if (row.key == "http_hosts") {
      EXPECT_EQ(ValueText(row, *options), "a.example, b.example");
    }
    if (row.key == "insecure") {
      EXPECT_EQ(ValueText(row, *options), "false");
    }
  }
}

TEST(OptionTable, RefusesIntegersOutOfRangeByFlagAndByFileKey) {
  for (const OptionRow& row : OptionTable()) {
    if (!std::holds_alternative<int32_t VrpdOptions::*>(row.member)) continue;
    for (const int32_t wrong : {row.range.min - 1, MaxValueOf(row) + 1}) {
      const auto flag = Parse({"--state-dir", "/s", Concat(FlagOf(row), "=", wrong)});
      EXPECT_THAT(std::string(flag.status().message()), HasSubstr(FlagOf(row)));
      const auto file = ParseConfigFile(Concat(row.key, ": ", wrong), "c.yaml");
      EXPECT_EQ(file.status().message(),
                Concat("c.yaml:1: ", row.key, ": got \"", wrong, "\", wanted an integer from ",
                       row.range.min, " to ", MaxValueOf(row)));
    }
  }
}

TEST(OptionTable, HasShortCapitalisedHelpForEveryFlag) {
  const auto parsed = ParseCommandLine({"--help"}, "vrpd 1");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const std::string& help = std::get<PrintAndExit>(*parsed).text;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_LE(row.help.size(), 80u) << row.key;
    EXPECT_TRUE(row.help.front() >= 'A' && row.help.front() <= 'Z') << row.key;
    EXPECT_THAT(help, HasSubstr(Concat("  ", FlagOf(row), " ")));
  }
  EXPECT_THAT(help, testing::Not(HasSubstr("--print-options")));
}

TEST(OptionTable, MatchesTheReference) {
  const auto guide = ReadFile("docs/reference/vrpd-options.md");
  ASSERT_TRUE(guide.ok()) << guide.status();
  const auto printed = ParseCommandLine({"--print-options"}, "vrpd 1");
  ASSERT_TRUE(printed.ok()) << printed.status();
  EXPECT_EQ(std::get<PrintAndExit>(*printed).text, *guide)
      << "run: vrpd --print-options > docs/reference/vrpd-options.md";
}

}  // namespace
}  // namespace vrp
