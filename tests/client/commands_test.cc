// Tests `check`, `validate`, `jobs list`, `get` and `cancel`, `models`, `generate` and `server`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

FakeHandlers CheckHandlers(bool feasible) {
  FakeHandlers handlers;
  handlers.check = [feasible](const v1::CheckSolutionRequest& request, const FakeCall&) {
    v1::CheckSolutionResponse response;
    response.set_feasible(feasible && request.file().content() == "instance" &&
                          request.solution_file().content() == "plan");
    response.set_cost(375);
    response.set_reference_cost(375);
    response.set_gap(0);
    return response;
  };
  return handlers;
}

TEST(CheckCommand, ChecksAPlan) {
  FakeServer server(CheckHandlers(true));
  const CommandResult result = RunJson(
      server, {"check", WriteTestFile("c.vrp", "instance"), WriteTestFile("c.sol", "plan")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "{\"feasible\":true,\"cost\":375,\"violations\":[],\"ref_cost\":375,\"gap\":0}\n");
}

TEST(CheckCommand, ExitsWithCode7IfThePlanIsInfeasible) {
  FakeServer server(CheckHandlers(false));
  EXPECT_EQ(
      RunJson(server, {"check", WriteTestFile("c.vrp", "instance"), WriteTestFile("c.sol", "plan")})
          .code,
      7);
}

TEST(CheckCommand, PrintsVroomsAnswerForTheStepsOfAFile) {
  FakeHandlers handlers;
  handlers.check = [](const v1::CheckSolutionRequest& request, const FakeCall&) {
    EXPECT_EQ(request.plan_case(), v1::CheckSolutionRequest::PLAN_NOT_SET);
    EXPECT_THAT(request.render(), ElementsAre(v1::SOLUTION_FORMAT_VROOM));
    v1::CheckSolutionResponse response;  // infeasible
    response.add_rendered()->set_content("{\"code\":0}");
    return response;
  };
  FakeServer server(std::move(handlers));
  const std::string file = WriteTestFile("v.json", "instance");
  const CommandResult result = RunOn(server, {"check", file, "--output", "vroom"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "{\"code\":0}\n");
  const CommandResult refused = RunOn(server, {"check", file, file, "--output", "vroom"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--output vroom: given with SOLUTION"));
}

TEST(CheckCommand, ReportsAMissingSolution) {
  FakeServer server(CheckHandlers(true));
  const CommandResult result =
      RunJson(server, {"check", WriteTestFile("c.vrp", "instance"), TestPath("no.sol")});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no.sol: No such file"));
}

FakeHandlers ValidateHandlers() {
  FakeHandlers handlers;
  handlers.validate = [](const v1::ValidateInstanceRequest& request, const FakeCall&) {
    v1::ValidateInstanceResponse response;
    response.set_valid(request.file().content() == "{\"good\":1}");
    if (!response.valid()) {
      response.add_errors("a.json:1: first");
      response.add_errors("a.json:1: second");
    }
    return response;
  };
  return handlers;
}

TEST(ValidateCommand, ShowsEveryError) {
  FakeServer server(ValidateHandlers());
  const CommandResult result =
      RunCommand({"validate", WriteTestFile("a.json", "{}"), "--remote", server.address()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("2 errors\n  a.json:1: first\n  a.json:1: second\n"));
}

TEST(ValidateCommand, ValidatesEachLine) {
  FakeServer server(ValidateHandlers());
  const CommandResult result =
      RunJson(server, {"validate", WriteTestFile("v.jsonl", "{\"good\":1}\n{}\n{\"good\":1}\n")});
  EXPECT_EQ(result.code, 2);
  ASSERT_THAT(result.OutJson(), SizeIs(3));
  EXPECT_EQ(result.OutJson()[1]["errors"].size(), 2u);
  EXPECT_EQ(result.OutJson()[2]["valid"], true);
}

TEST(ValidateCommand, SucceedsForAValidInstance) {
  FakeServer server(ValidateHandlers());
  EXPECT_EQ(RunJson(server, {"validate", WriteTestFile("g.json", "{\"good\":1}")}).code, 0);
}

// Returns handlers that list `total` jobs in pages of at most three.
FakeHandlers JobListHandlers(int total) {
  FakeHandlers handlers;
  handlers.list_jobs = [total](const v1::ListTrainingJobsRequest& request, const FakeCall&) {
    int next = request.page_token().empty() ? 0 : std::stoi(request.page_token());
    v1::ListTrainingJobsResponse response;
    for (int i = 0; i < std::min(request.page_size(), 3) && next < total; ++i) {
      response.add_training_jobs()->set_name(absl::StrCat("trainingJobs/", next++));
    }
    if (next < total) response.set_next_page_token(absl::StrCat(next));
    return response;
  };
  return handlers;
}

TEST(JobsCommand, ListsAllPages) {
  FakeServer server(JobListHandlers(7));
  const auto jobs = RunJson(server, {"jobs", "list"}).OutJson();
  ASSERT_THAT(jobs, SizeIs(7));
  EXPECT_EQ(jobs[6]["name"], "trainingJobs/6");
}

TEST(JobsCommand, ListsAtMostTheLimit) {
  FakeServer server(JobListHandlers(7));
  EXPECT_THAT(RunJson(server, {"jobs", "list", "--limit", "4"}).OutJson(), SizeIs(4));
}

TEST(JobsCommand, PrintsATableByDefault) {
  FakeServer server(JobListHandlers(2));
  const CommandResult result = RunCommand({"jobs", "--remote", server.address(), "list"});
  ASSERT_THAT(result.OutLines(), SizeIs(3));
  EXPECT_THAT(result.OutLines()[0], HasSubstr("STATE"));
  EXPECT_THAT(result.OutLines()[2], HasSubstr("trainingJobs/1"));
}

TEST(JobsCommand, GetsAJobById) {
  FakeHandlers handlers;
  handlers.get_job = [](const v1::GetTrainingJobRequest& request,
                        const FakeCall&) -> absl::StatusOr<v1::TrainingJob> {
    if (request.name() != "trainingJobs/abc") return absl::NotFoundError("no such job");
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(v1::JOB_STATE_RUNNING);
    return job;
  };
  FakeServer server(handlers);
  EXPECT_EQ(RunJson(server, {"jobs", "get", "abc"}).OutJson().at(0)["state"], "RUNNING");
  EXPECT_EQ(RunJson(server, {"jobs", "get", "other"}).code, 5);
}

TEST(JobsCommand, CancelsAJob) {
  FakeHandlers handlers;
  handlers.cancel_job = [](const v1::CancelTrainingJobRequest& request,
                           const FakeCall&) -> absl::StatusOr<v1::TrainingJob> {
    if (request.name() != "trainingJobs/abc")
      return absl::FailedPreconditionError("has succeeded already");
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(v1::JOB_STATE_CANCELLING);
    return job;
  };
  FakeServer server(handlers);
  EXPECT_EQ(RunJson(server, {"jobs", "cancel", "trainingJobs/abc"}).OutJson().at(0)["state"],
            "CANCELLING");
  EXPECT_EQ(RunJson(server, {"jobs", "cancel", "done"}).code, 4);
}

TEST(ModelsCommand, ListsAllModelsAndGetsOne) {
  FakeHandlers handlers;
  handlers.list_models = [](const v1::ListModelsRequest& request, const FakeCall&) {
    v1::ListModelsResponse response;
    response.add_models()->set_name(request.page_token().empty() ? "models/a/versions/2"
                                                                 : "models/a/versions/1");
    if (request.page_token().empty()) response.set_next_page_token("more");
    return response;
  };
  handlers.get_model = [](const v1::GetModelRequest& request, const FakeCall&) {
    v1::Model model;
    model.set_name(request.name());
    return model;
  };
  FakeServer server(handlers);
  const auto models = RunJson(server, {"models", "list"}).OutJson();
  ASSERT_THAT(models, SizeIs(2));
  EXPECT_EQ(models[1]["version"], 1);
  EXPECT_EQ(RunJson(server, {"models", "get", "a@7"}).OutJson().at(0)["version"], 7);
}

// Returns handlers that send the requested instances. With `fail_after` >= 0, they fail after that
// many instances.
FakeHandlers GenerateHandlers(int64_t fail_after = -1) {
  FakeHandlers handlers;
  handlers.generate = [fail_after](
                          const v1::GenerateInstancesRequest& request,
                          absl::FunctionRef<bool(const v1::GenerateInstancesResponse&)> write) {
    for (int64_t i = 0; i < request.instance_count(); ++i) {
      if (i == fail_after) return absl::InternalError("broke");
      v1::GenerateInstancesResponse response;
      response.mutable_file()->set_content(
          absl::StrCat("{\"i\":", i, ",\"customers\":", request.customer_count(), "}"));
      write(response);
    }
    return absl::OkStatus();
  };
  return handlers;
}

TEST(GenerateCommand, PrintsJsonLines) {
  FakeServer server(GenerateHandlers());
  const CommandResult result =
      RunCommand({"generate", "--problem", "cvrp", "--customers", "5", "--count", "2", "--seed",
                  "3", "--remote", server.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "{\"i\":0,\"customers\":5}\n{\"i\":1,\"customers\":5}\n");
}

TEST(GenerateCommand, WritesAFile) {
  FakeServer server(GenerateHandlers());
  const std::string path = TestPath("made.jsonl");
  const CommandResult result =
      RunJson(server, {"generate", "--problem", "tsp", "--count", "2", "--out", path});
  EXPECT_EQ(result.OutJson().at(0)["instances"], 2);
  EXPECT_EQ(ReadTestFile(path), "{\"i\":0,\"customers\":20}\n{\"i\":1,\"customers\":20}\n");
}

TEST(GenerateCommand, LeavesNoHalfWrittenFile) {
  FakeServer server(GenerateHandlers(1));
  EXPECT_EQ(RunJson(server, {"generate", "--problem", "tsp", "--count", "2", "--out",
                             TestPath("half.jsonl")})
                .code,
            1);
  EXPECT_THAT(TestFilesWithPrefix("half.jsonl"), IsEmpty());
}

TEST(GenerateCommand, RefusesAnUnknownProblem) {
  FakeServer server(GenerateHandlers());
  EXPECT_EQ(RunJson(server, {"generate", "--problem", "pdp"}).code, 2);
}

TEST(ServerCommand, PrintsVersionAndDevices) {
  FakeHandlers handlers;
  handlers.server_info = [](const v1::GetServerInfoRequest&, const FakeCall&) {
    v1::ServerInfo info;
    info.set_version("0.1.0");
    info.add_devices()->set_id("cpu");
    info.mutable_devices(0)->set_bf16_supported(true);
    return info;
  };
  FakeServer server(handlers);
  const auto info = RunJson(server, {"server", "info"}).OutJson().at(0);
  EXPECT_EQ(info["version"], "0.1.0");
  EXPECT_EQ(info["devices"][0]["id"], "cpu");
  EXPECT_EQ(info["devices"][0]["amp_supported"], false);
  EXPECT_EQ(info["devices"][0]["bf16_supported"], true);
}

TEST(ServerCommand, PrintsTheLossOfAGpu) {
  const std::string loss = "the GPU cannot be used until the daemon has restarted itself";
  FakeHandlers handlers;
  handlers.server_info = [&](const v1::GetServerInfoRequest&, const FakeCall&) {
    v1::ServerInfo info;
    info.set_device_loss(loss);
    return info;
  };
  FakeServer server(handlers);
  EXPECT_EQ(RunJson(server, {"server", "info"}).OutJson().at(0)["device_loss"], loss);
  server.SetServing(true, "readiness");
  EXPECT_EQ(RunJson(server, {"server", "health"}).OutJson().at(0)["device_loss"], nullptr)
      << "vrpctl requests the info only if the daemon is not ready";
  server.SetServing(false, "readiness");
  EXPECT_EQ(RunJson(server, {"server", "health"}).OutJson().at(0)["device_loss"], loss);
  EXPECT_EQ(RunCommand({"server", "health", "--ready", "--remote", server.address()}).out,
            "NOT_SERVING\n" + loss + "\n");
}

TEST(ServerCommand, PrintsHealthIfTheInfoIsRefused) {
  FakeHandlers handlers;
  handlers.server_info = [](const v1::GetServerInfoRequest&, const FakeCall&) {
    return absl::UnauthenticatedError("no token");
  };
  FakeServer server(handlers);
  server.SetServing(false, "readiness");
  const CommandResult result = RunCommand({"server", "health", "--remote", server.address()});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "SERVING\n");
  EXPECT_EQ(result.err, "");
}

TEST(ServerCommand, DistinguishesReadinessFromHealth) {
  FakeServer server(FakeHandlers{});
  server.SetServing(true, "readiness");
  EXPECT_EQ(RunJson(server, {"server", "health", "--ready"}).code, 0);
  server.SetServing(false, "readiness");
  EXPECT_EQ(RunJson(server, {"server", "health", "--ready"}).code, 1);
  EXPECT_EQ(RunJson(server, {"server", "health"}).code, 0);
}

TEST(ServerCommand, PrintsWhetherTheDaemonServes) {
  FakeServer server(FakeHandlers{});
  EXPECT_EQ(RunJson(server, {"server", "health"}).out,
            "{\"status\":\"SERVING\",\"device_loss\":null}\n");
  EXPECT_EQ(RunJson(server, {"server", "health"}).code, 0);
  server.SetServing(false);
  EXPECT_EQ(RunJson(server, {"server", "health"}).code, 1);
  server.Stop();
  EXPECT_EQ(RunJson(server, {"server", "health"}).code, 1);
}

}  // namespace
}  // namespace vrp::client
