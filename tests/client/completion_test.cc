// Tests the completion scripts in the shells that run them.
#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

// Programs that run a completion script in each shell. The first argument is the script; the others
// are the words up to the cursor. Each program prints the offered words, one per line, and FILES if
// the script offers file names.
constexpr char kBash[] = R"(
  compopt() { offers_files=1; }
  source "$1"; shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _vrpctl
  printf '%s\n' "${COMPREPLY[@]}"; if [ -n "$offers_files" ]; then echo FILES; fi)";
constexpr char kZsh[] = R"(
  autoload -U compinit; compinit -u -D
  source "$1"; shift
  [[ "$_comps[vrpctl]" == _vrpctl ]] || exit 1
  compadd() { [[ "$1" == -- ]] && shift; print -l -- "$@"; }
  _describe() { print -l -- "${(@)${(@P)@[-1]}%%:*}"; }
  _files() { print FILES; }
  _message() { }
  compset() { PREFIX="${PREFIX#*=}"; }
  words=("$@") CURRENT=$# PREFIX="${@[-1]}"; before="$PATH"; _vrpctl
  [[ "$PATH" == "$before" ]])";
constexpr char kFish[] = R"(
  cd (dirname $argv[1]); source $argv[1]
  for word in (complete -C (string join ' ' -- $argv[2..-1]) | string replace -r '\t.*' '')
    if test -e $word; echo FILES; else; echo $word; end
  end
  exit 0)";

class Completion : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (std::system(absl::StrCat("command -v ", GetParam(), " >/dev/null").c_str()) != 0) {
      GTEST_SKIP() << GetParam() << " is not installed: ./dev test installs cmake/apt_packages";
    }
    script_ = WriteTestFile(absl::StrCat("completion.", GetParam()),
                            RunCommand({"completion", GetParam()}).out);
  }

  // Returns the distinct offered words, sorted: FILES and those that begin with the last word of
  // `line`.
  Words OfferedWords(const Words& line) {
    const std::string program = GetParam() == "bash" ? kBash : GetParam() == "zsh" ? kZsh : kFish;
    const std::string path = WriteTestFile("program", program), out = TestPath("offered");
    const std::string flags = GetParam() == "bash"  ? "--norc"
                              : GetParam() == "zsh" ? "-f"
                                                    : "--no-config";
    const std::string command =
        absl::StrCat(GetParam(), " ", flags, " ", path, " ", script_, " '",
                     absl::StrJoin(line, "' '"), "' > ", out, " 2> ", out, ".errors");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_EQ(ReadTestFile(absl::StrCat(out, ".errors")), "") << command;
    Words offered;
    for (const auto word : absl::StrSplit(ReadTestFile(out), '\n', absl::SkipEmpty())) {
      if (word == "FILES" || absl::StartsWith(word, line.back())) offered.emplace_back(word);
    }
    std::sort(offered.begin(), offered.end());
    offered.erase(std::unique(offered.begin(), offered.end()), offered.end());
    return offered;
  }

 private:
  std::string script_;
};

TEST_P(Completion, OffersOnlyTheCommandsOfTheGroup) {
  EXPECT_THAT(OfferedWords({"vrpctl", ""}),
              AllOf(Contains("solve"), Contains("solve-jobs"), Not(Contains("watch")),
                    Not(Contains("--remote"))));
  EXPECT_THAT(OfferedWords({"vrpctl", "--remote", "h:1", "jobs", "wa"}), ElementsAre("watch"));
  EXPECT_THAT(OfferedWords({"vrpctl", "solve-jobs", ""}),
              ElementsAre("delete", "get", "list", "stop", "watch"));
}

TEST_P(Completion, OffersTheFlagsOfTheCommandAndThoseOfVrpctl) {
  EXPECT_THAT(OfferedWords({"vrpctl", "solve", "--fo"}), ElementsAre("--format"));
  EXPECT_THAT(OfferedWords({"vrpctl", "jobs", "list", "--l"}), ElementsAre("--label", "--limit"));
  EXPECT_THAT(OfferedWords({"vrpctl", "solve-jobs", "list", "--l"}), ElementsAre("--limit"));
  EXPECT_THAT(OfferedWords({"vrpctl", "jobs", "list", "--tls-c"}),
              ElementsAre("--tls-ca", "--tls-certificate"));
}

TEST_P(Completion, OffersFlagsOfAnOptionGroup) {
  EXPECT_THAT(OfferedWords({"vrpctl", "bench", "--ge"}), ElementsAre("--generate"));
}

TEST_P(Completion, OffersTheValuesOfTheCommandsFlag) {
  EXPECT_THAT(OfferedWords({"vrpctl", "solve", "--output", ""}),
              ElementsAre("geojson", "json", "table", "vroom"));
  EXPECT_THAT(OfferedWords({"vrpctl", "train", "--output", ""}), ElementsAre("json", "table"));
  EXPECT_THAT(OfferedWords({"vrpctl", "train", "--model", ""}),
              ElementsAre("dispatch", "estimate", "gt", "habits", "ptrnet"));
  EXPECT_THAT(OfferedWords({"vrpctl", "solve", "--model", ""}), IsEmpty());
  EXPECT_THAT(OfferedWords({"vrpctl", "solve", "--budget", ""}), IsEmpty());
  EXPECT_THAT(OfferedWords({"vrpctl", "train", "--preset", ""}), Contains("ptrnet_tiny"));
}

TEST_P(Completion, OffersTheValuesOfArguments) {
  EXPECT_THAT(OfferedWords({"vrpctl", "completion", ""}), ElementsAre("bash", "fish", "zsh"));
  EXPECT_THAT(OfferedWords({"vrpctl", "server", "log-level", "de"}), ElementsAre("debug"));
}

TEST_P(Completion, OffersFilesWhereTheyAreExpected) {
  EXPECT_THAT(OfferedWords({"vrpctl", "solve", "completion."}), ElementsAre("FILES"));
  EXPECT_THAT(OfferedWords({"vrpctl", "train", "--config", "completion."}), ElementsAre("FILES"));
  EXPECT_THAT(OfferedWords({"vrpctl", "mcp", "--allow-folder", "completion."}),
              ElementsAre("FILES"));
  EXPECT_THAT(OfferedWords({"vrpctl", "train", "--priority", "completion."}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Shells, Completion, testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return shell.param; });

// Whether the flag takes a value in one command and none in another. The scripts of bash and zsh do
// not distinguish such commands.
bool IsAmbiguous(const std::string& flag, const std::string& fish_script) {
  bool with_value = false, without = false;
  for (const auto line : absl::StrSplit(fish_script, '\n')) {
    const size_t at = line.find(absl::StrCat(" -l ", flag, " "));
    if (at == std::string::npos) continue;
    const absl::string_view rest = line.substr(at + flag.size() + 5);
    (absl::StartsWith(rest, "-d ") ? without : with_value) = true;
  }
  return with_value && without;
}

TEST(CompletionFlags, TakeAValueInAllCommandsOrInNone) {
  const std::string script = RunCommand({"completion", "fish"}).out;
  for (const auto line : absl::StrSplit(script, '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, " -l ");
    if (parts.size() < 2) continue;
    const std::string flag = parts[1].substr(0, parts[1].find(' '));
    EXPECT_FALSE(IsAmbiguous(flag, script)) << flag;
  }
}

// Checks each value that the script offers for a command, except the names of presets.
TEST(CompletionValues, AppearInTheHelp) {
  int checked = 0;
  for (const std::string& line : RunCommand({"completion", "fish"}).OutLines()) {
    const size_t command = line.find("__vrpctl_at \\'"), values = line.find(" -a '");
    if (command == std::string::npos || values == std::string::npos) continue;
    const size_t begin = command + 14, first = values + 5;
    Words help = absl::StrSplit(line.substr(begin, line.find("\\'", begin) - begin), '/');
    if (absl::StrContains(line, "preset")) continue;
    help.emplace_back("--help");
    const std::string text = RunCommand(help).out + RunCommand({"--help"}).out;
    const std::string offered = line.substr(first, line.find('\'', first) - first);
    for (const absl::string_view word : absl::StrSplit(offered, ' ')) {
      EXPECT_THAT(text, HasSubstr(word.substr(0, word.find(':')))) << line;
      ++checked;
    }
  }
  EXPECT_THAT(checked, Ge(40));
}

}  // namespace
}  // namespace vrp::client
