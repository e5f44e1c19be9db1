// Tests solve jobs of a running daemon.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

class SolveJobServiceTest : public DaemonTest {
 protected:
  void SetUp() override { Restart(); }
  void Restart() {
    Start();
    stub_ = v1::SolverService::NewStub(channel_);
  }

  // Returns a request with `budget`, or with 50 ms if `budget` is below 1 s.
  static v1::CreateSolveJobRequest ARequest(absl::Duration budget = absl::Hours(2),
                                            int customers = 60) {
    v1::CreateSolveJobRequest request;
    *request.mutable_solve()->mutable_instance() = ACvrpMessage(customers);
    request.mutable_solve()->mutable_instance()->set_name("city");
    request.mutable_solve()->mutable_budget()->set_seconds(absl::ToInt64Seconds(budget));
    if (budget < absl::Seconds(1)) request.mutable_solve()->mutable_budget()->set_nanos(50'000'000);
    return request;
  }
  grpc::Status Create(const v1::CreateSolveJobRequest& request) {
    Context context;
    job_.Clear();
    return stub_->CreateSolveJob(&context, request, &job_);
  }
  grpc::Status Get(const std::string& name) {
    Context context;
    v1::GetSolveJobRequest request;
    request.set_name(name);
    return stub_->GetSolveJob(&context, request, &job_);
  }
  grpc::Status StopJob(const std::string& name) {
    Context context;
    v1::StopSolveJobRequest request;
    request.set_name(name);
    return stub_->StopSolveJob(&context, request, &job_);
  }
  grpc::Status Delete(const std::string& name) {
    Context context;
    v1::DeleteSolveJobRequest request;
    request.set_name(name);
    v1::DeleteSolveJobResponse response;
    return stub_->DeleteSolveJob(&context, request, &response);
  }
  struct WatchResult {
    std::vector<v1::WatchSolveJobResponse> events;
    grpc::Status status;
  };
  // Reads to the end of the stream, or cancels the call once `enough` returns true.
  WatchResult Watch(const std::string& name, int64_t from,
                    const std::function<bool(const v1::WatchSolveJobResponse&)>& enough = nullptr) {
    Context context;
    v1::WatchSolveJobRequest request;
    request.set_name(name);
    request.set_from_sequence(from);
    const auto stream = stub_->WatchSolveJob(&context, request);
    WatchResult result;
    for (v1::WatchSolveJobResponse event; stream->Read(&event);) {
      if (event.sequence() > 0) result.events.push_back(event);
      if (enough != nullptr && enough(event)) context.TryCancel();
    }
    result.status = stream->Finish();
    return result;
  }
  // Blocks until a plan is stored, and returns its cost.
  double AwaitImprovement(const std::string& name) {
    double cost = 0;
    Watch(name, 1, [&cost](const v1::WatchSolveJobResponse& event) {
      if (event.has_improvement()) cost = event.improvement().cost();
      return event.has_improvement();
    });
    return cost;
  }
  bool IsFeasible(const v1::Instance& instance, const v1::SolveResponse& answer) {
    Context context;
    v1::CheckSolutionRequest check;
    *check.mutable_instance() = instance;
    *check.mutable_solution() = answer.solution();
    v1::CheckSolutionResponse verdict;
    return stub_->CheckSolution(&context, check, &verdict).ok() && verdict.feasible();
  }

  std::unique_ptr<v1::SolverService::Stub> stub_;
  v1::SolveJob job_;
};

TEST_F(SolveJobServiceTest, StreamsAndStoresTheResult) {
  const v1::CreateSolveJobRequest request = ARequest(absl::ZeroDuration());
  const grpc::Status created = Create(request);
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_THAT(job_.name(), testing::StartsWith("solveJobs/"));
  EXPECT_EQ(job_.instance_name(), "city");
  EXPECT_FALSE(job_.solve().has_instance());
  const WatchResult all = Watch(job_.name(), 0);
  ASSERT_TRUE(all.status.ok()) << all.status.error_message();
  for (size_t i = 0; i < all.events.size(); ++i) {
    EXPECT_EQ(all.events[i].sequence(), static_cast<int64_t>(i) + 1);
  }
  ASSERT_GE(all.events.size(), 3u);
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_SUCCEEDED);
  const v1::SolveResponse& streamed = all.events[all.events.size() - 2].response();
  EXPECT_TRUE(IsFeasible(request.solve().instance(), streamed));
  EXPECT_EQ(streamed.end_reason(), v1::END_REASON_BUDGET);

  ASSERT_TRUE(Get(job_.name()).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(job_.response().SerializeAsString(), streamed.SerializeAsString());
  EXPECT_EQ(job_.progress().cost(), streamed.solution().cost());
  EXPECT_EQ(job_.attempt(), 1);
  EXPECT_TRUE(StopJob(job_.name()).ok()) << "the job has finished";
  const int64_t next = static_cast<int64_t>(all.events.size()) + 1;
  EXPECT_EQ(Watch(job_.name(), 3).events.size() + 2, all.events.size());
  EXPECT_EQ(Watch(job_.name(), next + 1).status.error_code(), grpc::OUT_OF_RANGE);
  EXPECT_EQ(Watch(job_.name(), -1).status.error_code(), grpc::INVALID_ARGUMENT);
}

TEST_F(SolveJobServiceTest, KeepsTheBestPlanAfterAStop) {
  const v1::CreateSolveJobRequest request = ARequest();
  ASSERT_TRUE(Create(request).ok());
  const std::string name = job_.name();
  const double stored_cost = AwaitImprovement(name);
  ASSERT_TRUE(StopJob(name).ok());
  const WatchResult all = Watch(name, 1);
  ASSERT_TRUE(all.status.ok());
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_SUCCEEDED);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(job_.response().end_reason(), v1::END_REASON_STOPPED);
  EXPECT_LE(job_.response().solution().cost(), stored_cost);
  EXPECT_TRUE(IsFeasible(request.solve().instance(), job_.response()));
}

TEST_F(SolveJobServiceTest, ContinuesFromItsBestPlanAfterARestart) {
  const v1::CreateSolveJobRequest request = ARequest();
  ASSERT_TRUE(Create(request).ok());
  const std::string name = job_.name();
  const double stored_cost = AwaitImprovement(name);
  Restart();
  double resumed = 0;
  Watch(name, 1, [&resumed](const v1::WatchSolveJobResponse& event) {
    if (event.has_resumed()) resumed = event.resumed().cost();
    return event.has_resumed();
  });
  EXPECT_GT(resumed, 0);
  EXPECT_LE(resumed, stored_cost);
  ASSERT_TRUE(StopJob(name).ok());
  Watch(name, 1);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_SUCCEEDED) << job_.error().message();
  EXPECT_EQ(job_.attempt(), 2);
  EXPECT_LE(job_.response().solution().cost(), resumed);
  EXPECT_TRUE(IsFeasible(request.solve().instance(), job_.response()));
}

TEST_F(SolveJobServiceTest, EndsWithoutImprovementAcrossARestart) {
  v1::CreateSolveJobRequest request = ARequest();
  request.mutable_solve()->mutable_stop()->mutable_no_improvement()->set_seconds(2);
  ASSERT_TRUE(Create(request).ok());
  const std::string name = job_.name();
  AwaitImprovement(name);
  Restart();
  Watch(name, 1);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_SUCCEEDED) << job_.error().message();
  EXPECT_EQ(job_.attempt(), 2);
  EXPECT_EQ(job_.response().end_reason(), v1::END_REASON_NO_IMPROVEMENT);
  EXPECT_EQ(job_.response().no_improvement().seconds(), 2);
  EXPECT_EQ(job_.budget().seconds(), 7200);
  EXPECT_LE(job_.progress().time_to_best().seconds(), job_.progress().search_time().seconds());
}

TEST_F(SolveJobServiceTest, GrantsTheLongestBudgetWithAStoppingCriterion) {
  v1::CreateSolveJobRequest request = ARequest();
  request.mutable_solve()->clear_budget();
  request.mutable_solve()->mutable_stop()->set_max_iterations(10);
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.budget().seconds(), 24 * 3600);
  const std::string name = job_.name();
  Watch(name, 1);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(job_.response().end_reason(), v1::END_REASON_ITERATIONS);
}

TEST_F(SolveJobServiceTest, ContinuesWithoutADeletedModel) {
  AddModel("net");
  Restart();
  v1::CreateSolveJobRequest request = ARequest();
  request.mutable_solve()->set_model("models/net");
  request.mutable_solve()->set_strategy(v1::STRATEGY_SEEDED);
  const grpc::Status created = Create(request);
  ASSERT_TRUE(created.ok()) << created.error_message();
  const std::string name = job_.name();
  const double stored_cost = AwaitImprovement(name);
  Stop();
  std::filesystem::remove_all(folder_.path() + "/models/net");
  Restart();
  Watch(name, 1, [](const v1::WatchSolveJobResponse& event) { return event.has_resumed(); });
  ASSERT_TRUE(StopJob(name).ok());
  Watch(name, 1);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_SUCCEEDED) << job_.error().message();
  EXPECT_LE(job_.response().solution().cost(), stored_cost);
  EXPECT_TRUE(IsFeasible(request.solve().instance(), job_.response()));
  EXPECT_THAT(job_.response().policy_note(), testing::HasSubstr("without the model"));
  EXPECT_THAT(job_.response().policy_note(), testing::HasSubstr("net"));
}

TEST_F(SolveJobServiceTest, RunsOneJobAndQueuesOthers) {
  ASSERT_TRUE(Create(ARequest()).ok());
  const std::string running = job_.name();
  ASSERT_TRUE(Create(ARequest()).ok());
  const std::string waiting = job_.name();
  AwaitImprovement(running);
  ASSERT_TRUE(Get(waiting).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(job_.queue_position(), 1);
  ASSERT_TRUE(Create(ARequest()).ok());
  EXPECT_EQ(job_.queue_position(), 2);
  const WatchResult last = Watch(job_.name(), 1, [](const auto&) { return true; });
  EXPECT_EQ(last.events.at(0).queue_position(), 2);
  ASSERT_TRUE(Get(running).ok());
  EXPECT_EQ(job_.queue_position(), 0);
  Context context;
  v1::SolveRequest solve = ARequest(absl::ZeroDuration()).solve();
  v1::SolveResponse answer;
  EXPECT_TRUE(stub_->Solve(&context, solve, &answer).ok());
  ASSERT_TRUE(StopJob(waiting).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(SolveJobServiceTest, CreatesOnceForARequestId) {
  v1::CreateSolveJobRequest request = ARequest();
  request.set_request_id("again");
  ASSERT_TRUE(Create(request).ok());
  const std::string name = job_.name();
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.name(), name);
  request.mutable_solve()->set_seed(8);
  EXPECT_EQ(Create(request).error_code(), grpc::ALREADY_EXISTS);
  request.set_request_id(std::string(65, 'x'));
  EXPECT_EQ(BadRequestOf(Create(request)).field_violations(0).field(), "request_id");
}

TEST_F(SolveJobServiceTest, RefusesTheSameRequestsAsSolve) {
  const std::vector<std::function<void(v1::SolveRequest&)>> mistakes = {
      [](v1::SolveRequest& request) { request.set_threads(99); },
      [](v1::SolveRequest& request) { request.clear_instance(); },
      [](v1::SolveRequest& request) {
        request.mutable_instance()->mutable_customers(1)->set_demand(0, -1);
      },
      [](v1::SolveRequest& request) { request.set_model("models/nothing"); },
      [](v1::SolveRequest& request) { request.set_strategy(v1::STRATEGY_GREEDY); }};
  for (const auto& mistake : mistakes) {
    v1::CreateSolveJobRequest request = ARequest(absl::ZeroDuration());
    mistake(*request.mutable_solve());
    const grpc::Status refused = Create(request);
    Context context;
    v1::SolveResponse response;
    const grpc::Status solved = stub_->Solve(&context, request.solve(), &response);
    EXPECT_FALSE(refused.ok());
    EXPECT_EQ(refused.error_code(), solved.error_code());
    EXPECT_EQ(refused.error_message(), solved.error_message());
    EXPECT_EQ(refused.error_details(), solved.error_details());
  }
  const grpc::Status too_long = Create(ARequest(absl::Hours(25)));
  EXPECT_EQ(too_long.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(too_long.error_message(), "budget: got 25h, wanted 1ms to 24h");
  Context context;
  v1::ListSolveJobsResponse listed;
  ASSERT_TRUE(stub_->ListSolveJobs(&context, v1::ListSolveJobsRequest(), &listed).ok());
  EXPECT_EQ(listed.solve_jobs_size(), 0) << "a refused request must create no job";
}

TEST_F(SolveJobServiceTest, ValidatesWithoutCreating) {
  v1::CreateSolveJobRequest request = ARequest();
  request.mutable_solve()->clear_budget();
  request.set_validate_only(true);
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.name(), "");
  EXPECT_EQ(job_.budget().seconds(), 600) << "the default budget of a job";
}

TEST_F(SolveJobServiceTest, ListsInPagesWithoutResponsesAndDeletesFinishedJobs) {
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Create(ARequest(absl::ZeroDuration())).ok());
    names.insert(names.begin(), job_.name());
    Watch(job_.name(), 1);
  }
  ASSERT_TRUE(Delete(names[1]).ok());
  EXPECT_EQ(Get(names[1]).error_code(), grpc::NOT_FOUND);
  Context context;
  v1::ListSolveJobsRequest request;
  request.set_page_size(1);
  v1::ListSolveJobsResponse page;
  ASSERT_TRUE(stub_->ListSolveJobs(&context, request, &page).ok());
  ASSERT_EQ(page.solve_jobs_size(), 1);
  EXPECT_EQ(page.solve_jobs(0).name(), names[0]);
  EXPECT_FALSE(page.solve_jobs(0).has_response());
  Context next;
  request.set_page_token(page.next_page_token());
  ASSERT_TRUE(stub_->ListSolveJobs(&next, request, &page).ok());
  EXPECT_EQ(page.solve_jobs(0).name(), names[2]);
  EXPECT_EQ(page.next_page_token(), "");
  ASSERT_TRUE(Create(ARequest()).ok());
  EXPECT_EQ(Delete(job_.name()).error_code(), grpc::FAILED_PRECONDITION);
}

TEST_F(SolveJobServiceTest, ReportsUnknownAndMalformedNames) {
  const auto expect_error = [this](const std::string& name, grpc::StatusCode code,
                                   const std::string& text) {
    for (const grpc::Status& status :
         {Get(name), StopJob(name), Delete(name), Watch(name, 1).status}) {
      EXPECT_EQ(status.error_code(), code) << name;
      EXPECT_THAT(status.error_message(), testing::HasSubstr(text));
    }
  };
  expect_error("solveJobs/nothing", grpc::NOT_FOUND, "solveJobs/nothing");
  for (const char* name : {"trainingJobs/a", "nothing", ""}) {
    expect_error(name, grpc::INVALID_ARGUMENT,
                 Concat("name: got \"", name, "\", wanted solveJobs/{id}"));
  }
}

}  // namespace
}  // namespace vrp::test
