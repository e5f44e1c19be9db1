// Tests `solve --job` and `solve-jobs`.
#include <string>
#include <vector>

#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

v1::SolveProgress ASolveProgress(double cost) {
  v1::SolveProgress progress;
  *progress.mutable_search_time() = ToProtoDuration(absl::Milliseconds(1500));
  progress.set_improvement_count(2);
  progress.set_cost(cost);
  progress.set_route_count(2);
  return progress;
}

v1::SolveJob ASolveJob(v1::JobState state) {
  v1::SolveJob job;
  job.set_name("solveJobs/j1");
  job.set_state(state);
  job.set_instance_name("city");
  job.set_attempt(1);
  *job.mutable_budget() = ToProtoDuration(absl::Hours(2));
  *job.mutable_progress() = ASolveProgress(110.5);
  if (state == v1::JOB_STATE_SUCCEEDED) *job.mutable_response() = ASolveResponse();
  return job;
}

std::vector<v1::WatchSolveJobResponse> AllEvents() {
  std::vector<v1::WatchSolveJobResponse> events(5);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].set_sequence(static_cast<int64_t>(i) + 1);
    events[i].set_attempt(1);
    events[i].mutable_time()->set_seconds(1'800'000'000);
  }
  events[0].mutable_state()->set_state(v1::JOB_STATE_RUNNING);
  *events[1].mutable_improvement() = ASolveProgress(120);
  *events[2].mutable_improvement() = ASolveProgress(110.5);
  *events[3].mutable_response() = ASolveResponse();
  events[4].mutable_state()->set_state(v1::JOB_STATE_SUCCEEDED);
  return events;
}

class SolveJobsTest : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.create_solve_job = [this](const v1::CreateSolveJobRequest& request, const FakeCall&) {
      created_ = request;
      return ASolveJob(v1::JOB_STATE_QUEUED);
    };
    handlers.watch_solve_job = [](const v1::WatchSolveJobRequest& request,
                                  absl::FunctionRef<bool(const v1::WatchSolveJobResponse&)> write) {
      for (const v1::WatchSolveJobResponse& event : AllEvents()) {
        if (event.sequence() >= request.from_sequence()) write(event);
      }
      return absl::OkStatus();
    };
    handlers.get_solve_job = [this](const v1::GetSolveJobRequest& request,
                                    const FakeCall&) -> absl::StatusOr<v1::SolveJob> {
      if (request.name() != "solveJobs/j1") return absl::NotFoundError("no such job");
      return ASolveJob(state_);
    };
    handlers.stop_solve_job = [](const v1::StopSolveJobRequest&, const FakeCall&) {
      return ASolveJob(v1::JOB_STATE_STOPPING);
    };
    handlers.delete_solve_job = [](const v1::DeleteSolveJobRequest&, const FakeCall&) {
      return v1::DeleteSolveJobResponse();
    };
    handlers.list_solve_jobs = [](const v1::ListSolveJobsRequest&, const FakeCall&) {
      v1::ListSolveJobsResponse page;
      *page.add_solve_jobs() = ASolveJob(v1::JOB_STATE_RUNNING);
      *page.add_solve_jobs() = ASolveJob(v1::JOB_STATE_QUEUED);
      page.mutable_solve_jobs(1)->set_queue_position(3);
      return page;
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> words, const RunSettings& settings = {}) {
    words.insert(words.end(), {"--remote", server_.address()});
    return RunCommand(words, settings);
  }

  v1::CreateSolveJobRequest created_;
  v1::JobState state_ = v1::JOB_STATE_SUCCEEDED;
  FakeServer server_{Handlers()};
  const std::string city_ = WriteTestFile("city.vrp", "NAME: city\n");
};

TEST_F(SolveJobsTest, FollowsAJobAndPrintsItsAnswer) {
  const std::string plan = TestPath("job.sol");
  const CommandResult result = Run({"solve", city_, "--job", "--budget", "2h", "--solution", plan});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("solveJobs/j1 QUEUED\nstate RUNNING\n1.5 s: cost 120, 2 routes\n"
                         "1.5 s: cost 110.5, 2 routes\n"));
  EXPECT_THAT(result.out, HasSubstr("Route 1: 2 1  distance 60.25"));
  EXPECT_EQ(ReadTestFile(plan), ASolveResponse().solution_file());
  EXPECT_EQ(created_.solve().budget().seconds(), 7200);
  EXPECT_TRUE(created_.solve().has_file());
  EXPECT_FALSE(created_.request_id().empty());
}

TEST_F(SolveJobsTest, DetachPrintsTheNameAndUsesTheDaemonsBudget) {
  const CommandResult result = Run({"solve", city_, "--job", "--detach", "--request-id", "r1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "solveJobs/j1 QUEUED\n");
  EXPECT_FALSE(created_.solve().has_budget());
  EXPECT_EQ(created_.request_id(), "r1");
  const CommandResult json = Run({"solve", city_, "--job", "--detach", "--output", "json"});
  EXPECT_EQ(json.OutJson().at(0)["name"], "solveJobs/j1");
}

TEST_F(SolveJobsTest, WatchPrintsOneJsonLinePerEvent) {
  const CommandResult result =
      Run({"solve-jobs", "watch", "j1", "--from", "3", "--output", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto lines = result.OutJson();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(Keys(lines[0]),
              ElementsAre("sequence", "attempt", "type", "time", "search_time_ms", "improvements",
                          "cost", "routes", "unserved", "time_to_best_ms"));
  EXPECT_EQ(lines[1]["answer"]["cost"], 110.5);
  EXPECT_EQ(lines[2]["state"], "SUCCEEDED");
}

TEST_F(SolveJobsTest, GetPrintsTheJobAndItsAnswer) {
  const CommandResult ended = Run({"solve-jobs", "get", "solveJobs/j1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("searched      2s of 2h00m"));
  EXPECT_THAT(ended.out, HasSubstr("checker: feasible"));
  const auto json = Run({"solve-jobs", "get", "j1", "--output", "json"}).OutJson().at(0);
  EXPECT_THAT(Keys(json),
              ElementsAre("name", "state", "queue_position", "instance", "attempt", "create_time",
                          "start_time", "end_time", "budget_ms", "search_time_ms", "improvements",
                          "cost", "routes", "unserved", "time_to_best_ms", "error", "last_sequence",
                          "request_id", "answer"));
  state_ = v1::JOB_STATE_RUNNING;
  EXPECT_EQ(Run({"solve-jobs", "get", "j1"}).code, 0);
  const CommandResult early = Run({"solve-jobs", "get", "j1", "--plot", TestPath("early.svg")});
  EXPECT_EQ(early.code, 4);
  EXPECT_THAT(early.err, HasSubstr("the job has no answer; if the job runs"));
}

TEST_F(SolveJobsTest, ListAndStopPrintTheState) {
  const CommandResult list = Run({"solve-jobs", "list"});
  EXPECT_THAT(list.OutLines().at(0), StartsWith("JOB"));
  EXPECT_THAT(list.OutLines().at(1), HasSubstr("RUNNING"));
  EXPECT_THAT(list.OutLines().at(2), HasSubstr("QUEUED 3"));
  EXPECT_EQ(Run({"solve-jobs", "stop", "j1"}).out, "solveJobs/j1 STOPPING\n");
  EXPECT_EQ(Run({"solve-jobs", "get", "j2"}).code, 5);
}

TEST_F(SolveJobsTest, DeletePrintsTheName) {
  EXPECT_EQ(Run({"solve-jobs", "delete", "j1"}).out, "solveJobs/j1: deleted\n");
  const auto json = Run({"solve-jobs", "delete", "j1", "--output", "json"}).OutJson();
  EXPECT_EQ(json.at(0)["deleted"], "solveJobs/j1");
}

TEST_F(SolveJobsTest, LeavesTheJobRunningOnCtrlCAndPrintsHowToWatchAndStop) {
  FakeHandlers handlers = Handlers();
  Interrupt interrupt;
  handlers.watch_solve_job = [&](const v1::WatchSolveJobRequest&,
                                 absl::FunctionRef<bool(const v1::WatchSolveJobResponse&)> write) {
    write(AllEvents()[0]);
    interrupt.Trigger();
    return absl::CancelledError("left");
  };
  const FakeServer server(handlers);
  const CommandResult result = RunCommand({"solve", city_, "--job", "--remote", server.address()},
                                          {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("vrpctl solve-jobs watch solveJobs/j1 --remote"));
  EXPECT_THAT(result.err, HasSubstr("vrpctl solve-jobs stop solveJobs/j1 --remote"));
}

}  // namespace
}  // namespace vrp::client
