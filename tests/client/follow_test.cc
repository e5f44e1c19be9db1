// Tests `jobs watch` with daemons that fail, restart, lose events and stop.
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Event = v1::WatchTrainingJobResponse;

std::vector<int64_t> Sequences(const CommandResult& result) {
  std::vector<int64_t> sequences;
  for (const auto& event : result.OutJson())
    sequences.push_back(event.value("sequence", int64_t{-1}));
  return sequences;
}

// Returns a log line for 1 to 5, and the job's success for 6.
Event EventNumber(int64_t sequence) {
  return sequence < 6 ? ALogEvent(sequence, absl::StrCat("line ", sequence))
                      : AStateEvent(sequence, v1::JOB_STATE_SUCCEEDED);
}

// Returns handlers that run the n-th script in the n-th call of WatchTrainingJob, and the last
// script in all later calls.
FakeHandlers ScriptedHandlers(
    std::vector<std::function<absl::Status(int64_t from, WriteEvent write)>> scripts) {
  FakeHandlers handlers;
  const auto calls = std::make_shared<std::atomic<size_t>>(0);
  handlers.watch_job = [scripts, calls](const v1::WatchTrainingJobRequest& request,
                                        WriteEvent write) {
    const size_t call = std::min(calls->fetch_add(1), scripts.size() - 1);
    return scripts[call](request.from_sequence(), write);
  };
  return handlers;
}

absl::Status WriteAll(int64_t from, WriteEvent write) {
  for (int64_t sequence = std::max<int64_t>(from, 1); sequence <= 6; ++sequence)
    write(EventNumber(sequence));
  return absl::OkStatus();
}

CommandResult Watch(const FakeServer& server, std::vector<std::string> more = {},
                    const RunSettings& settings = {}) {
  std::vector<std::string> arguments = {"jobs",     "watch",         "a", "--output", "json",
                                        "--remote", server.address()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunCommand(arguments, settings);
}

TEST(JobsWatch, PrintsOneLinePerEventWithoutHeartbeats) {
  FakeServer server(ScriptedHandlers({[](int64_t from, WriteEvent write) {
    write(AHeartbeat());
    const absl::Status status = WriteAll(from, write);
    write(AHeartbeat());
    return status;
  }}));
  const CommandResult result = Watch(server);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(Sequences(result), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(result.err, "");
}

TEST(JobsWatch, BeginsWithTheGivenEvent) {
  FakeServer server(ScriptedHandlers({WriteAll}));
  EXPECT_THAT(Sequences(Watch(server, {"--from", "4"})), ElementsAre(4, 5, 6));
}

TEST(JobsWatch, ContinuesAfterABrokenConnectionWithoutGapsOrDuplicates) {
  std::atomic<int64_t> requested_from = 0;
  FakeServer server(ScriptedHandlers({[](int64_t, WriteEvent write) {
                                        for (int64_t i = 1; i <= 3; ++i) write(EventNumber(i));
                                        return absl::UnavailableError("the daemon is stopping");
                                      },
                                      [&](int64_t from, WriteEvent write) {
                                        requested_from = from;
                                        // Sends event 3 again, as a faulty daemon might.
                                        return WriteAll(from - 1, write);
                                      }}));
  const CommandResult result = Watch(server);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(requested_from, 4);
  EXPECT_THAT(Sequences(result), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(result.err, HasSubstr("the daemon is stopping"));
  EXPECT_THAT(result.err, HasSubstr("connected again"));
}

TEST(JobsWatch, SurvivesARestartOfTheDaemon) {
  absl::Notification events_sent;
  FakeServer server(ScriptedHandlers({[&](int64_t, WriteEvent write) {
                                        for (int64_t i = 1; i <= 3; ++i) write(EventNumber(i));
                                        events_sent.Notify();
                                        while (write(AHeartbeat())) std::this_thread::yield();
                                        return absl::OkStatus();
                                      },
                                      WriteAll}));
  CommandResult result;
  std::thread watch([&] { result = Watch(server); });
  events_sent.WaitForNotification();
  server.Stop();
  server.Restart();
  watch.join();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(Sequences(result), ElementsAre(1, 2, 3, 4, 5, 6));
}

FakeHandlers HandlersWithJob(FakeHandlers handlers, v1::JobState state, int64_t last_sequence) {
  handlers.get_job = [=](const v1::GetTrainingJobRequest& request, const FakeCall&) {
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(state);
    job.set_last_sequence(last_sequence);
    return job;
  };
  return handlers;
}

absl::Status WriteWithoutEvent3(int64_t from, WriteEvent write) {
  for (int64_t i = from; i <= 5; ++i) {
    if (i != 3) write(EventNumber(i));
  }
  return absl::OkStatus();
}

TEST(JobsWatch, RequestsAMissingEventAgain) {
  FakeServer server(
      HandlersWithJob(ScriptedHandlers({WriteWithoutEvent3, WriteAll}), v1::JOB_STATE_RUNNING, 5));
  EXPECT_THAT(Sequences(Watch(server)), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(JobsWatch, FailsIfAnEventIsLostForGood) {
  FakeServer server(
      HandlersWithJob(ScriptedHandlers({WriteWithoutEvent3}), v1::JOB_STATE_SUCCEEDED, 5));
  const CommandResult result = Watch(server);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(Sequences(result), ElementsAre(1, 2));
  EXPECT_THAT(result.err, HasSubstr("does not send event 3"));
}

TEST(JobsWatch, PrintsTheErrorOfAFailedJob) {
  FakeServer server(ScriptedHandlers({[](int64_t, WriteEvent write) {
    write(AStateEvent(1, v1::JOB_STATE_FAILED, "loss is NaN"));
    return absl::OkStatus();
  }}));
  const CommandResult result = Watch(server);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("trainingJobs/a FAILED: loss is NaN"));
}

TEST(JobsWatch, FailsForACancelledJob) {
  FakeServer server(ScriptedHandlers({[](int64_t, WriteEvent write) {
    write(AStateEvent(1, v1::JOB_STATE_CANCELLED));
    return absl::OkStatus();
  }}));
  EXPECT_EQ(Watch(server).code, 1);
}

TEST(JobsWatch, LooksUpTheStateOfAFinishedJob) {
  FakeServer server(
      HandlersWithJob(ScriptedHandlers({[](int64_t, WriteEvent) { return absl::OkStatus(); }}),
                      v1::JOB_STATE_SUCCEEDED, 6));
  const CommandResult result = Watch(server, {"--from", "7"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(JobsWatch, LeavesTheJobRunningOnCtrlCAndPrintsHowToWatchIt) {
  Interrupt interrupt;
  FakeServer server(ScriptedHandlers({[&](int64_t, WriteEvent write) {
    write(EventNumber(1));
    interrupt.Trigger();
    while (write(AHeartbeat())) std::this_thread::yield();
    return absl::OkStatus();
  }}));
  const CommandResult result = Watch(server, {}, {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr(absl::StrCat("vrpctl jobs watch trainingJobs/a --remote ",
                                                 server.address())));
}

TEST(JobsWatch, EndsOnCtrlCWhileWaitingForTheDaemon) {
  Interrupt interrupt;
  FakeServer server(ScriptedHandlers({[](int64_t, WriteEvent write) {
                                        write(EventNumber(1));
                                        return absl::UnavailableError("stopping");
                                      },
                                      [&](int64_t, WriteEvent) {
                                        interrupt.Trigger();
                                        return absl::UnavailableError("stopping");
                                      }}));
  EXPECT_EQ(Watch(server, {}, {.interrupt = &interrupt}).code, 130);
}

TEST(JobsWatch, ReportsAnUnknownJob) {
  FakeServer server(
      ScriptedHandlers({[](int64_t, WriteEvent) { return absl::NotFoundError("no such job"); }}));
  EXPECT_EQ(Watch(server).code, 5);
}

TEST(JobsWatch, ReportsAnOutOfRangeSequenceNumber) {
  FakeServer server(ScriptedHandlers(
      {[](int64_t, WriteEvent) { return absl::OutOfRangeError("from_sequence"); }}));
  EXPECT_EQ(Watch(server).code, 2);
}

TEST(JobsWatch, GivesUpIfTheDaemonWasNeverReachable) {
  FakeServer server(FakeHandlers{});
  server.Stop();
  EXPECT_EQ(Watch(server).code, 3);
}

TEST(JobsWatch, PrintsPlainLinesWithoutATerminal) {
  FakeServer server(ScriptedHandlers({WriteAll}));
  const CommandResult result =
      RunCommand({"--remote", server.address(), "jobs", "watch", "trainingJobs/a"});
  EXPECT_EQ(result.out,
            "line 1\nline 2\nline 3\nline 4\nline 5\nstate SUCCEEDED\ntrainingJobs/a SUCCEEDED\n");
}

}  // namespace
}  // namespace vrp::client
