// Tests that `solve --answers` answers every instance of its files exactly once.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Answers = std::vector<nlohmann::json>;

// A daemon that notes which instances it gets.
class BatchDaemon {
 public:
  using Answer = absl::StatusOr<v1::BatchSolveResponse>;

  // Returns the names of the instances so far.
  std::vector<std::string> names() {
    absl::MutexLock lock(&mutex_);
    return names_;
  }
  const std::string& address() const { return server_.address(); }

  // What the daemon does with an instance.
  std::function<Answer(const v1::BatchSolveRequest&)> respond = Solved;

  static Answer Solved(const v1::BatchSolveRequest& request) {
    v1::BatchSolveResponse response;
    response.set_id(request.id());
    *response.mutable_response() = ASolveResponse();
    response.mutable_response()->set_name(request.solve().file().name());
    return response;
  }
  static Answer Refused(const v1::BatchSolveRequest& request, absl::StatusCode code) {
    v1::BatchSolveResponse response;
    response.set_id(request.id());
    response.mutable_error()->set_code(static_cast<int>(code));
    response.mutable_error()->set_message("refused");
    return response;
  }

 private:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.batch_solve = [this](const v1::BatchSolveRequest& request) {
      {
        absl::MutexLock lock(&mutex_);
        names_.push_back(request.solve().file().name());
      }
      return respond(request);
    };
    return handlers;
  }

  absl::Mutex mutex_;
  std::vector<std::string> names_;
  FakeServer server_{Handlers()};
};

class SolveBatchTest : public testing::Test {
 protected:
  SolveBatchTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(TestPath("in"));
    first_ = WriteTestFile("in/first.jsonl", "{\"n\":1}\n\n{\"n\":3}\n{\"n\":4}\n");
    second_ = WriteTestFile("in/second.jsonl", "{\"n\":5}\n");
  }

  CommandResult Solve(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(),
                     {"--remote", daemon_.address(), "solve", "--answers", folder_});
    return RunCommand(arguments, settings);
  }
  std::string AnswerPath(const std::string& name) const { return absl::StrCat(folder_, "/", name); }
  Answers AnswersIn(const std::string& name) const {
    Answers answers;
    for (absl::string_view line :
         absl::StrSplit(ReadTestFile(AnswerPath(name)), '\n', absl::SkipEmpty())) {
      answers.push_back(nlohmann::json::parse(line));
    }
    return answers;
  }
  // Returns the numbers of the lines that have answers.
  std::vector<int> LinesIn(const std::string& name) const {
    std::vector<int> lines;
    for (const nlohmann::json& answer : AnswersIn(name)) lines.push_back(answer["line"]);
    return lines;
  }

  BatchDaemon daemon_;
  const std::string folder_ = TestPath("answers");
  std::string first_, second_;
};

TEST_F(SolveBatchTest, WritesAnAnswerForEachLineInTheOrderOfTheInput) {
  const CommandResult result = Solve({first_, second_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(LinesIn("first.jsonl"), ElementsAre(1, 3, 4));
  EXPECT_EQ(AnswersIn("first.jsonl")[1]["name"], "first.jsonl:3");
  EXPECT_THAT(LinesIn("second.jsonl"), ElementsAre(1));
  EXPECT_THAT(result.out, HasSubstr("4 instances, 4 feasible, 0 failed"));
}

TEST_F(SolveBatchTest, PrintsProgressAndASummaryAsJson) {
  const CommandResult result = Solve({first_, "--output", "json"});
  const auto lines = result.OutJson();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(Keys(lines.front()),
              ElementsAre("progress", "answers", "failed", "bytes", "total_bytes"));
  EXPECT_EQ(lines.front()["total_bytes"], 25);
  EXPECT_EQ(lines.back()["summary"], true);
  EXPECT_EQ(lines.back()["instances"], 3);
  EXPECT_EQ(lines.back()["answers_of_earlier_runs"], 0);
}

TEST_F(SolveBatchTest, DrawsABarOnATerminal) {
  EXPECT_THAT(Solve({first_}, {.terminal_width = 80}).out, HasSubstr("100%"));
}

TEST_F(SolveBatchTest, ContinuesAfterTheLastWholeAnswerOfAnInterruptedRun) {
  ASSERT_EQ(Solve({first_, second_}).code, 0);
  const std::string whole = ReadTestFile(AnswerPath("first.jsonl"));
  const size_t second_line = whole.find('\n') + 1;
  std::filesystem::remove(AnswerPath("first.jsonl"));
  WriteTestFile("answers/first.jsonl.part", whole.substr(0, second_line + 20));
  const size_t before = daemon_.names().size();
  const CommandResult result = Solve({first_, second_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ReadTestFile(AnswerPath("first.jsonl")), whole);
  EXPECT_EQ(daemon_.names().size(), before + 2);
  EXPECT_THAT(result.out, HasSubstr("besides 1 answer of earlier runs"));
}

TEST_F(SolveBatchTest, SolvesNothingTwice) {
  ASSERT_EQ(Solve({first_}).code, 0);
  const size_t before = daemon_.names().size();
  EXPECT_EQ(Solve({first_, second_}).code, 0);
  EXPECT_EQ(daemon_.names().size(), before + 1);
  EXPECT_THAT(Solve({first_}).out, HasSubstr("earlier runs have answered all instances"));
}

TEST_F(SolveBatchTest, GivesTheInstancesOfALostDaemonToAnother) {
  BatchDaemon lost;
  lost.respond = [](const v1::BatchSolveRequest&) -> BatchDaemon::Answer {
    return absl::UnavailableError("shuts down");
  };
  const CommandResult result = Solve({first_, second_, "--remote", lost.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(LinesIn("first.jsonl"), ElementsAre(1, 3, 4));
  EXPECT_THAT(LinesIn("second.jsonl"), ElementsAre(1));
  EXPECT_EQ(daemon_.names().size(), 4u);
}

TEST_F(SolveBatchTest, WritesAnswersInOrderThoughALaterOneComesFirst) {
  BatchDaemon fast;
  std::atomic<int> answered = 0;
  const auto respond = [&](const v1::BatchSolveRequest& request) {
    // The first instance waits for another one's answer.
    while (request.id() == "0" && answered == 0) absl::SleepFor(absl::Milliseconds(1));
    ++answered;
    return BatchDaemon::Solved(request);
  };
  daemon_.respond = fast.respond = respond;
  const CommandResult result =
      Solve({first_, second_, "--remote", fast.address(), "--in-flight", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(LinesIn("first.jsonl"), ElementsAre(1, 3, 4));
}

TEST_F(SolveBatchTest, WritesTheErrorOfAnInstanceAsItsAnswer) {
  daemon_.respond = [](const v1::BatchSolveRequest& request) {
    return request.id() == "1" ? BatchDaemon::Refused(request, absl::StatusCode::kInvalidArgument)
                               : BatchDaemon::Solved(request);
  };
  const CommandResult result = Solve({first_});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(LinesIn("first.jsonl"), ElementsAre(1, 3, 4));
  EXPECT_EQ(AnswersIn("first.jsonl")[1]["error"]["code"], "INVALID_ARGUMENT");
  EXPECT_EQ(AnswersIn("first.jsonl")[1]["error"]["message"], "refused");
}

TEST_F(SolveBatchTest, SendsAnInstanceAgainThatTheDaemonCannotTakeNow) {
  std::atomic<int> refusals = 0;
  daemon_.respond = [&](const v1::BatchSolveRequest& request) {
    return refusals++ == 0 ? BatchDaemon::Refused(request, absl::StatusCode::kResourceExhausted)
                           : BatchDaemon::Solved(request);
  };
  EXPECT_EQ(Solve({second_}).code, 0);
  EXPECT_THAT(LinesIn("second.jsonl"), ElementsAre(1));
  EXPECT_EQ(daemon_.names().size(), 2u);
}

TEST_F(SolveBatchTest, EndsWithAnErrorThatConcernsAllInstances) {
  daemon_.respond = [](const v1::BatchSolveRequest& request) {
    return BatchDaemon::Refused(request, absl::StatusCode::kNotFound);
  };
  const CommandResult unknown = Solve({first_, "--model", "absent"});
  EXPECT_EQ(unknown.code, 5);
  EXPECT_THAT(unknown.err, HasSubstr("the same command continues"));
  EXPECT_EQ(ReadTestFile(AnswerPath("first.jsonl")), "<missing>");
  daemon_.respond = [](const v1::BatchSolveRequest&) -> BatchDaemon::Answer {
    return absl::PermissionDeniedError("needs the role solve");
  };
  EXPECT_EQ(Solve({first_, "--model", "absent"}).code, 4);
}

TEST_F(SolveBatchTest, KeepsTheAnswersBeforeAnInterrupt) {
  Interrupt interrupt;
  daemon_.respond = [&](const v1::BatchSolveRequest& request) {
    if (request.id() == "1") interrupt.Trigger();
    return BatchDaemon::Solved(request);
  };
  EXPECT_EQ(Solve({first_, "--in-flight", "1"}, {.interrupt = &interrupt}).code, 130);
  daemon_.respond = BatchDaemon::Solved;
  EXPECT_EQ(Solve({first_}).code, 0);
  EXPECT_THAT(LinesIn("first.jsonl"), ElementsAre(1, 3, 4));
  EXPECT_LE(daemon_.names().size(), 4u);
}

TEST_F(SolveBatchTest, RefusesAFolderOfOtherOptionsOrInputs) {
  ASSERT_EQ(Solve({first_}).code, 0);
  const CommandResult options = Solve({first_, "--budget", "1s"});
  EXPECT_EQ(options.code, 2);
  EXPECT_THAT(options.err, HasSubstr("name another folder"));
  WriteTestFile("in/first.jsonl", "{}\n");
  const CommandResult inputs = Solve({first_});
  EXPECT_EQ(inputs.code, 2);
  EXPECT_THAT(inputs.err, HasSubstr("got 3 bytes, wanted 25"));
}

TEST_F(SolveBatchTest, RefusesAFolderThatHoldsOtherFiles) {
  std::filesystem::create_directories(folder_);
  WriteTestFile("answers/first.jsonl", "mine\n");
  EXPECT_EQ(Solve({first_}).code, 2);
  EXPECT_EQ(ReadTestFile(AnswerPath("first.jsonl")), "mine\n");
  WriteTestFile("answers/ledger.json", "mine\n");
  EXPECT_THAT(Solve({first_}).err, HasSubstr("is damaged"));
  EXPECT_THAT(daemon_.names(), IsEmpty());
}

TEST_F(SolveBatchTest, RefusesAFolderThatAnotherProgramUses) {
  std::filesystem::create_directories(folder_);
  const int descriptor = open(AnswerPath(".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  const CommandResult result = Solve({first_});
  close(descriptor);
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.err, HasSubstr("another vrpctl writes answers into it"));
}

TEST_F(SolveBatchTest, RefusesInputsWhoseAnswersWouldMeet) {
  std::filesystem::create_directories(TestPath("more"));
  const std::string same = WriteTestFile("more/first.jsonl", "{}\n");
  EXPECT_THAT(Solve({first_, same}).err, HasSubstr("another input has the name first.jsonl"));
  std::filesystem::create_directories(folder_);
  const std::string inside = WriteTestFile("answers/third.jsonl", "{}\n");
  EXPECT_THAT(Solve({inside}).err, HasSubstr("holds the input"));
  EXPECT_EQ(ReadTestFile(inside), "{}\n");
}

TEST_F(SolveBatchTest, RefusesWhatIsNotForManyInstances) {
  const std::string city = WriteTestFile("in/city.vrp", "NAME: city\nEOF\n");
  EXPECT_THAT(Solve({city}).err, HasSubstr("got a file of one instance, wanted .jsonl"));
  EXPECT_THAT(Solve({"-"}).err, HasSubstr("got standard input, wanted .jsonl files"));
  EXPECT_THAT(Solve({first_, "--stream"}).err, HasSubstr("--answers: for many instances"));
  EXPECT_THAT(Solve({first_, "--output", "vroom"}).err, HasSubstr("wanted table or json"));
  const CommandResult two =
      RunCommand({"--remote", daemon_.address(), "--remote", "host:1", "solve", first_});
  EXPECT_THAT(two.err, HasSubstr("--remote: got 2 addresses, wanted one without --answers"));
  const CommandResult jobs =
      RunCommand({"--remote", daemon_.address(), "--remote", "host:1", "jobs", "list"});
  EXPECT_THAT(jobs.err, HasSubstr("only solve --answers uses several"));
  EXPECT_EQ(jobs.code, 2);
}

}  // namespace
}  // namespace vrp::client
