// Tests the MCP server's protocol and tools with a fake daemon.
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "client/mcp/server.h"
#include "client/mcp/tools.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client::mcp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<Json> MessagesOf(const std::ostringstream& out) {
  return CommandResult{.code = 0, .out = out.str(), .err = ""}.OutJson();
}

class McpServer : public testing::Test {
 protected:
  // Handles the lines with a new server. Returns the server's messages after all calls have ended.
  std::vector<Json> Run(const std::vector<std::string>& lines) {
    const FakeServer daemon(handlers_);
    std::ostringstream out, log;
    {
      Server server(Options(daemon.address()), out, log);
      for (const std::string& line : lines) server.Handle({.text = line});
      server.WaitForCalls();
    }
    return MessagesOf(out);
  }

  ServerOptions Options(const std::string& remote) const {
    return {.connection = {.remote = remote},
            .folders = *Folders::Create({TestPath("")}),
            .tools = AllTools(absl::Minutes(1), allow_train_),
            .refused_tools = ChangingToolNames(),
            .instructions = Instructions(allow_train_)};
  }

  static std::string Request(const Json& id, const std::string& method, const Json& params) {
    return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump();
  }
  static std::string Call(const std::string& tool, const Json& arguments,
                          const Json& meta = Json::object()) {
    return Request(1, "tools/call", {{"name", tool}, {"arguments", arguments}, {"_meta", meta}});
  }
  // Returns the result of one tool call.
  Json ResultOf(const std::string& tool, const Json& arguments) {
    return Run({Call(tool, arguments)}).at(0)["result"];
  }
  static std::string TextOf(const Json& result) { return result["content"][0]["text"]; }

  FakeHandlers handlers_;
  bool allow_train_ = false;
};

TEST_F(McpServer, ChoosesTheClientsVersionOrTheNewest) {
  for (const auto& [offered, chosen] :
       std::vector<std::pair<std::string, std::string>>{{"2024-11-05", "2024-11-05"},
                                                        {"2025-11-25", "2025-11-25"},
                                                        {"2026-07-28", "2025-11-25"},
                                                        {"1999-01-01", "2025-11-25"}}) {
    const Json result =
        Run({Request(1, "initialize", {{"protocolVersion", offered}})}).at(0)["result"];
    EXPECT_EQ(result["protocolVersion"], chosen);
    EXPECT_EQ(result["serverInfo"]["name"], "vrpctl");
  }
  EXPECT_EQ(Run({Request(1, "initialize", Json::object())}).at(0)["error"]["code"], kInvalidParams);
}

TEST_F(McpServer, AnswersStatelessRequestsInTheirVersion) {
  const auto meta = [](const std::string& version) {
    return Json{{"_meta", {{"io.modelcontextprotocol/protocolVersion", version}}}};
  };
  const std::vector<Json> answers =
      Run({Request(1, "server/discover", meta("2026-07-28")),
           Request(2, "tools/list", meta("2026-07-28")),
           Request(3, "tools/list", meta("2030-01-01")), Request(4, "tools/list", Json::object())});
  EXPECT_THAT(answers.at(0)["result"]["supportedVersions"], Contains("2026-07-28"));
  EXPECT_EQ(answers.at(1)["result"]["resultType"], "complete");
  EXPECT_EQ(answers.at(2)["error"]["code"], kUnsupportedVersion);
  EXPECT_THAT(answers.at(2)["error"]["data"]["supported"], Contains("2026-07-28"));
  EXPECT_FALSE(answers.at(3)["result"].contains("resultType"));
}

TEST_F(McpServer, ContinuesAfterInvalidMessages) {
  const std::vector<Json> answers =
      Run({"{", Request(1, "nonsense", Json::object()), Request(2, "tools/call", {{"name", "fly"}}),
           Request(3, "tools/call", Json::object()), R"({"jsonrpc":"2.0","method":"nonsense"})",
           Request(4, "ping", Json::object())});
  std::vector<Json> codes;
  for (const Json& answer : answers)
    codes.push_back(answer.value("error", Json{{"code", 0}})["code"]);
  EXPECT_THAT(codes, ElementsAre(kParseError, kMethodNotFound, kInvalidParams, kInvalidParams, 0));
  EXPECT_EQ(answers.back()["id"], 4);
}

TEST_F(McpServer, DescribesEveryTool) {
  allow_train_ = true;
  const Json tools = Run({Request(1, "tools/list", Json::object())}).at(0)["result"]["tools"];
  EXPECT_GE(tools.size(), 20u);
  for (const Json& tool : tools) {
    EXPECT_FALSE(tool["description"].get<std::string>().empty()) << tool;
    EXPECT_EQ(tool["inputSchema"]["type"], "object") << tool;
    for (const auto& [name, property] : tool["inputSchema"]["properties"].items()) {
      EXPECT_TRUE(property.contains("description")) << tool["name"] << name;
    }
  }
}

TEST_F(McpServer, OffersChangingToolsOnlyWhenAllowed) {
  const auto changing_tools = [this] {
    std::vector<std::string> changing;
    const Json tools = Run({Request(1, "tools/list", Json::object())}).at(0)["result"]["tools"];
    for (const Json& tool : tools) {
      const Json& hints = tool["annotations"];
      if (hints["readOnlyHint"] == false) {
        changing.push_back(absl::StrCat(std::string(tool["name"]),
                                        hints["destructiveHint"] == true ? " destroys" : ""));
      }
    }
    return changing;
  };
  EXPECT_THAT(changing_tools(), IsEmpty());
  for (const std::string& name : ChangingToolNames()) {
    const Json result = ResultOf(name, Json::object());
    EXPECT_EQ(result["isError"], true) << name;
    EXPECT_THAT(TextOf(result), HasSubstr("--allow-train")) << name;
  }
  allow_train_ = true;
  EXPECT_THAT(changing_tools(), SizeIs(ChangingToolNames().size()));
  EXPECT_THAT(changing_tools(), Contains("cancel_job destroys"));
  EXPECT_THAT(changing_tools(), Contains("delete_job destroys"));
  EXPECT_THAT(changing_tools(), Contains("train"));
}

TEST_F(McpServer, SolvesWithTheArguments) {
  v1::SolveRequest request;
  handlers_.solve = [&](const v1::SolveRequest& received, const FakeCall&) {
    request = received;
    return ASolveResponse();
  };
  const Json result = ResultOf("solve", {{"instance", {{"kind", "cvrp"}}},
                                         {"budget_seconds", 0.25},
                                         {"metric", "cvrplib"},
                                         {"plan_text", "Route #1: 1"},
                                         {"frozen_stops", 1},
                                         {"model", "net@3"},
                                         {"habit_weight", 0.5},
                                         {"strategy", "seeded"}});
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["structuredContent"]["cost"], 110.5);
  EXPECT_THAT(TextOf(result), HasSubstr("checker: feasible"));
  EXPECT_EQ(request.file().content(), R"({"kind":"cvrp"})");
  EXPECT_EQ(request.file().metric(), v1::METRIC_CVRPLIB);
  EXPECT_EQ(request.budget().nanos(), 250'000'000);
  EXPECT_EQ(request.initial_solution_file().content(), "Route #1: 1");
  EXPECT_EQ(request.frozen_stops(), 1);
  EXPECT_EQ(request.model(), "models/net/versions/3");
  EXPECT_EQ(request.habit_weight(), 0.5);
  EXPECT_EQ(request.strategy(), v1::STRATEGY_SEEDED);
}

TEST_F(McpServer, StartsFromThePastDayOfAHistory) {
  v1::SolveRequest request;
  handlers_.solve = [&](const v1::SolveRequest& received, const FakeCall&) {
    request = received;
    return ASolveResponse();
  };
  Json arguments = {{"instance", {{"kind", "cvrp"}}}, {"similar_day_history", "past"}};
  EXPECT_EQ(ResultOf("solve", arguments)["isError"], false);
  EXPECT_EQ(request.similar_day().history(), "datasets/past");
  arguments["plan_text"] = "Route #1: 1";
  EXPECT_THAT(TextOf(ResultOf("solve", arguments)),
              StartsWith("similar_day_history: given together with a plan"));
}

TEST_F(McpServer, NamesTheArgumentOfAnUnknownPreset) {
  allow_train_ = true;
  EXPECT_THAT(TextOf(ResultOf("train", {{"preset", "tiny_9"}})), StartsWith("preset: got"));
  EXPECT_THAT(TextOf(ResultOf("training_presets", {{"name", "tiny_9"}})), StartsWith("name: got"));
}

TEST_F(McpServer, RequiresExactlyOneInstance) {
  EXPECT_THAT(TextOf(ResultOf("solve", nullptr)), HasSubstr("got 0 of instance, text"));
  EXPECT_THAT(TextOf(ResultOf("solve", Json::object())), HasSubstr("got 0 of instance, text"));
  EXPECT_THAT(TextOf(ResultOf("solve", {{"text", "a"}, {"path", "b"}})), HasSubstr("got 2 of"));
  EXPECT_THAT(TextOf(ResultOf("solve", {{"text", "a"}, {"frozen_stops", 1}})),
              HasSubstr("frozen_stops: given without a plan"));
}

TEST_F(McpServer, ReturnsTheDaemonsFieldPaths) {
  handlers_.solve = [](const v1::SolveRequest&,
                       const FakeCall&) -> absl::StatusOr<v1::SolveResponse> {
    return ABadRequest(absl::StatusCode::kInvalidArgument, "the instance is wrong",
                       "customers[17].demand", "42 exceeds vehicle capacity 30");
  };
  const Json result = ResultOf("solve", {{"text", "x"}});
  EXPECT_EQ(result["isError"], true);
  EXPECT_THAT(TextOf(result), HasSubstr("customers[17].demand: 42 exceeds"));
  EXPECT_THAT(TextOf(result), Not(HasSubstr("vrpctl: ")));
  const Json error = result["structuredContent"]["error"];
  EXPECT_EQ(error["code"], "INVALID_ARGUMENT");
  EXPECT_EQ(error["fields"][0]["field"], "customers[17].demand");
}

TEST_F(McpServer, ReportsImprovementsToCallersWithAProgressToken) {
  handlers_.stream_solve = [](const v1::SolveRequest&,
                              absl::FunctionRef<bool(const v1::StreamSolveResponse&)> write) {
    for (const int elapsed : {1, 2, 2}) {
      v1::StreamSolveResponse message;
      message.mutable_improvement()->mutable_elapsed()->set_seconds(elapsed);
      message.mutable_improvement()->mutable_solution()->set_cost(10 - elapsed);
      write(message);
    }
    v1::StreamSolveResponse message;
    *message.mutable_response() = ASolveResponse();
    write(message);
    return absl::OkStatus();
  };
  const std::vector<Json> messages =
      Run({Call("solve", {{"text", "x"}, {"budget_seconds", 5}}, {{"progressToken", "p"}})});
  ASSERT_THAT(messages, SizeIs(3)) << "the repeated progress of 2 must not be sent";
  EXPECT_EQ(messages[0]["method"], "notifications/progress");
  EXPECT_EQ(messages[1]["params"], Json({{"progressToken", "p"},
                                         {"progress", 2},
                                         {"total", 5},
                                         {"message", "cost 8, 0 routes"}}));
  EXPECT_EQ(messages[2]["result"]["isError"], false);
}

TEST_F(McpServer, CancelsTheRpcAndDoesNotAnswer) {
  absl::Notification begun, ended;
  handlers_.solve = [&](const v1::SolveRequest&, const FakeCall& call) {
    begun.Notify();
    while (!call.cancelled()) absl::SleepFor(absl::Milliseconds(1));
    ended.Notify();
    return ASolveResponse();
  };
  const FakeServer daemon(handlers_);
  std::ostringstream out, log;
  {
    Server server(Options(daemon.address()), out, log);
    server.Handle({.text = Call("solve", {{"text", "x"}})});
    begun.WaitForNotification();
    server.Handle(
        {.text =
             R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})"});
    EXPECT_FALSE(ended.HasBeenNotified());
    server.Handle(
        {.text =
             R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"});
    ended.WaitForNotification();
    server.WaitForCalls();
  }
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(log.str(), HasSubstr("result=cancelled"));
}

TEST_F(McpServer, RefusesAnIdInUseAndTooManyCalls) {
  absl::Notification release;
  handlers_.solve = [&](const v1::SolveRequest&, const FakeCall&) {
    release.WaitForNotification();
    return ASolveResponse();
  };
  const FakeServer daemon(handlers_);
  std::ostringstream out, log;
  {
    Server server(Options(daemon.address()), out, log);
    for (int id = 1; id <= kMaxCallsAtOnce + 1; ++id) {
      server.Handle(
          {.text = Request(id, "tools/call", {{"name", "solve"}, {"arguments", {{"text", "x"}}}})});
    }
    server.Handle({.text = Call("solve", {{"text", "x"}})});
    server.Handle({.too_long = true});
    const std::vector<Json> early = MessagesOf(out);
    ASSERT_THAT(early, SizeIs(3));
    EXPECT_THAT(TextOf(early[0]["result"]), HasSubstr("16 calls run already"));
    EXPECT_THAT(std::string(early[1]["error"]["message"]), HasSubstr("id: in use"));
    EXPECT_EQ(early[2]["error"]["code"], kInvalidRequest);
    release.Notify();
    server.WaitForCalls();
  }
  EXPECT_THAT(MessagesOf(out), SizeIs(3 + kMaxCallsAtOnce));
}

TEST_F(McpServer, FollowsATrainingJobToItsEnd) {
  allow_train_ = true;
  v1::TrainingSpec spec;
  handlers_.create_job = [&](const v1::CreateTrainingJobRequest& request, const FakeCall&) {
    spec = request.spec();
    v1::TrainingJob job;
    job.set_name("trainingJobs/a");
    return job;
  };
  handlers_.watch_job = [](const v1::WatchTrainingJobRequest&, WriteEvent write) {
    write(AProgressEvent(1, 37));
    write(AStateEvent(2, v1::JOB_STATE_SUCCEEDED));
    return absl::OkStatus();
  };
  handlers_.get_job = [](const v1::GetTrainingJobRequest& request, const FakeCall&) {
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    return job;
  };
  const Json arguments = {{"preset", "tiny-1"},
                          {"overrides", {"training.epochs=2"}},
                          {"time_limit_seconds", 90},
                          {"labels", {{"team", "north"}}},
                          {"wait", true}};
  const std::vector<Json> messages = Run({Call("train", arguments, {{"progressToken", 7}})});
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_EQ(messages[0]["params"]["progress"], 37);
  EXPECT_EQ(messages[0]["params"]["total"], 100);
  EXPECT_EQ(messages[1]["result"]["structuredContent"]["state"], "SUCCEEDED");
  EXPECT_EQ(spec.config_name(), "tiny_1.yaml");
  EXPECT_THAT(spec.overrides(), ElementsAre("training.epochs=2"));
  EXPECT_EQ(spec.time_limit().seconds(), 90);
  EXPECT_EQ(spec.labels().at("team"), "north");
}

TEST_F(McpServer, SaysHowToReachTheDaemon) {
  const std::string closed = [&] { return FakeServer(handlers_).address(); }();
  std::ostringstream out, log;
  {
    Server server(Options(closed), out, log);
    server.Handle({.text = Call("list_models", Json::object())});
    server.WaitForCalls();
  }
  const Json result = MessagesOf(out).at(0)["result"];
  EXPECT_THAT(TextOf(result), HasSubstr("start the daemon"));
}

TEST(McpCommand, AnswersRequestsFromStandardInputUntilItsEnd) {
  const CommandResult result = RunCommand(
      {"mcp"}, {.standard_input = "{\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"});
  EXPECT_EQ(result.code, 0);
  ASSERT_THAT(result.OutJson(), SizeIs(2));
  EXPECT_EQ(result.OutJson()[0]["error"]["code"], kParseError);
  EXPECT_EQ(result.OutJson()[1]["id"], 1);
  EXPECT_THAT(result.err, HasSubstr("allow_train=false"));
}

TEST(McpCommand, RefusesWrongFlags) {
  EXPECT_EQ(RunCommand({"mcp", "--max-budget", "5"}).code, 2);
  EXPECT_EQ(RunCommand({"mcp", "--allow-folder", "/nonexistent"}).code, 2);
}

}  // namespace
}  // namespace vrp::client::mcp
