// Tests JSON over HTTP of a running daemon: its limits, its end, and that RPCs answer as over gRPC.
#include <sys/socket.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "core/base/open_file.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "server/http/http_errors.h"
#include "server/http/http_routes.h"
#include "server/http/request_message.h"
#include "tests/server/all_methods.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

// Returns the head and the body of a JSON request.
std::string PostText(std::string_view path, std::string_view body, std::string_view head = "",
                     std::string_view type = "application/json") {
  return Concat("POST ", path, " HTTP/1.1\r\nHost: localhost\r\nContent-Type: ", type, "\r\n", head,
                "Content-Length: ", body.size(), "\r\n\r\n", body);
}

class HttpServiceTest : public DaemonTest {
 protected:
  HttpServiceTest() {
    vrpd_.http_listen = "127.0.0.1:0";
    vrpd_.metrics_listen = "127.0.0.1:0";
  }

  std::string address() const { return daemon_->http_url().substr(sizeof("http://") - 1); }
  HttpReply Post(std::string_view path, std::string_view body,
                 std::string_view type = "application/json") const {
    return HttpSend(address(), PostText(path, body, "Connection: close\r\n", type));
  }
  HttpReply Get(std::string_view path) const {
    return HttpGet(address(), std::string(path), {.head = "Connection: close\r\n"});
  }
  // Opens a connection and sends `bytes`.
  OpenFile Open(const std::string& bytes) const {
    OpenFile client(HttpConnect(address()));
    EXPECT_EQ(send(client.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    return client;
  }
  // Reads until `text` has come, the connection has ended, or no byte has come for a minute.
  static std::string ReadUntil(const OpenFile& client, std::string_view text) {
    const timeval minute = {.tv_sec = 60, .tv_usec = 0};
    setsockopt(client.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
    std::string all;
    char byte = 0;
    while (!absl::EndsWith(all, ToAbsl(text)) && recv(client.descriptor(), &byte, 1, 0) == 1) {
      all.push_back(byte);
    }
    return all;
  }
  static std::string ReadToEnd(const OpenFile& client) { return ReadUntil(client, "\x01never"); }

  static std::string SolveJson(std::string_view budget, int customers = 3) {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(customers);
    std::string text;
    EXPECT_TRUE(google::protobuf::util::MessageToJsonString(request, &text).ok());
    text.pop_back();
    return Concat(text, ", \"budget\": \"", budget, "\"}");
  }
  double MetricValue(const std::string& series) const {
    const std::string page = "\n" + HttpGet(daemon_->metrics_address(), "/metrics").body;
    const size_t found = page.find("\n" + series + " ");
    return found == std::string::npos ? -1 : std::stod(page.substr(found + series.size() + 2));
  }
  bool Becomes(const std::string& series, double wanted) const {
    const absl::Time end = SteadyNow() + absl::Seconds(60);
    while (MetricValue(series) != wanted) {
      if (SteadyNow() > end) return false;
    }
    return true;
  }
};

// Returns the path of a route with the id "1", which every kind of resource allows but none has.
std::string ExamplePath(const HttpRoute& route) {
  std::string path;
  for (const std::string& segment : route.segments) path += "/" + (segment == "*" ? "1" : segment);
  return route.action.empty() ? path : path + ":" + route.action;
}

TEST_F(HttpServiceTest, AnswersEachRpcAsGrpcDoes) {
  Start();
  for (const HttpRoute& route : HttpRoutes()) {
    const std::string path = ExamplePath(route);
    const absl::StatusOr<HttpRouteMatch> match = FindHttpRoute(HttpRoutes(), route.verb, path);
    ASSERT_TRUE(match.ok());
    std::vector<std::string> messages;
    if (!route.rpc->client_streaming()) messages.push_back(*RequestMessageOf(*match, "", ""));
    Context context;
    const grpc::Status wanted = CallByPath(channel_, context, route.grpc_path, messages);
    const char* const type =
        route.rpc->client_streaming() ? "application/x-ndjson" : "application/json";
    const HttpReply reply =
        route.takes_query()
            ? HttpGet(address(), path, {.method = route.verb, .head = "Connection: close\r\n"})
            : HttpSend(address(), Concat(route.verb, " ", path, " HTTP/1.1\r\nHost: localhost\r\n",
                                         "Connection: close\r\nContent-Type: ", type, "\r\n\r\n"));
    EXPECT_EQ(reply.status, HttpStatusOf(wanted.error_code()))
        << route.verb << " " << path << ": " << wanted.error_message() << "\n"
        << reply.body;
    if (wanted.ok()) continue;
    EXPECT_THAT(reply.body, HasSubstr(std::string(absl::StatusCodeToString(
                                static_cast<absl::StatusCode>(wanted.error_code())))));
  }
}

TEST_F(HttpServiceTest, SolvesAndCountsAsAnRpc) {
  Start();
  const HttpReply reply = Post("/v1/solve", SolveJson("0.05s"));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("\"feasible\":true"));
  EXPECT_EQ(MetricValue("vrp_requests_total{code=\"OK\",reason=\"ok\","
                        "rpc=\"vrp.v1.SolverService/Solve\"}"),
            1);
}

TEST_F(HttpServiceTest, ServesPipelinedRequestsInOrder) {
  Start();
  const std::string get = "GET /v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string all = ReadToEnd(Open(
      Concat(get, PostText("/v1/solve", "{}"), PostText("/v1/solveJobs/a:stop", ""),
             "GET /v1/models/none HTTP/1.1\r\nHost: localhost\r\n", "Connection: close\r\n\r\n")));
  EXPECT_EQ(all.find("HTTP/1.1 200 OK"), 0u) << all;
  const size_t solve = all.find("HTTP/1.1 400 ");
  const size_t stop = all.find("solveJobs/a: no such job", solve);
  EXPECT_NE(all.find("models/none", stop), std::string::npos) << all;
}

TEST_F(HttpServiceTest, RefusesNestingAboveTheLimit) {
  Start();
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"instance\":";
  EXPECT_EQ(Post("/v1/solve", deep).status, 400);
  EXPECT_EQ(Post("/v1/solve", std::string(100'000, '[')).status, 400);
  EXPECT_EQ(Post("/v1/solve:batch", deep + "\n", "application/x-ndjson").status, 400);
}

TEST_F(HttpServiceTest, RefusesBodiesAboveTheLimit) {
  vrpd_.max_message_mib = 1;
  Start();
  const std::string large = Concat("{\"file\":{\"content\":\"", std::string(1 << 20, 'A'), "\"}}");
  EXPECT_EQ(Post("/v1/solve", large).status, 413);
  EXPECT_EQ(Post("/v1/solve:batch", large, "application/x-ndjson").status, 429);
  EXPECT_EQ(Post("/", large).status, 413);
}

TEST_F(HttpServiceTest, RefusesBodiesWhileOthersTakeTheMemory) {
  vrpd_.max_message_mib = 1;
  vrpd_.max_request_memory_mib = 1;
  Start();
  const std::string body(1'000'000, ' ');
  HttpReply reply;
  const absl::Time end = SteadyNow() + absl::Seconds(60);
  while (reply.status != 429 && SteadyNow() < end) {
    // The server may take the second body first, and then refuses the slow one.
    const OpenFile slow = Open(PostText("/v1/solve", body).substr(0, 500'000));
    reply = Post("/v1/solve", body);
  }
  EXPECT_EQ(reply.status, 429);
  EXPECT_THAT(reply.body, HasSubstr("max_request_memory_mib"));
}

TEST_F(HttpServiceTest, ClosesConnectionsWithASlowHead) {
  handshake_ = absl::Milliseconds(100);
  Start();
  EXPECT_EQ(ReadToEnd(Open("GET /v1/ser")), "");
  // Repeats the request while a busy machine sends it too late.
  const absl::Time end = SteadyNow() + absl::Seconds(60);
  while (Get("/v1/server").status != 200) ASSERT_LT(SteadyNow(), end);
}

TEST_F(HttpServiceTest, ClosesConnectionsWithASilentBody) {
  upload_timeout_ = absl::Milliseconds(100);
  Start();
  for (const char* type : {"application/json", "application/x-ndjson"}) {
    const char* const path =
        std::string_view(type) == "application/json" ? "/v1/solve" : "/v1/datasets";
    const std::string request = PostText(path, std::string(1000, ' '), "", type);
    const std::string all = ReadToEnd(Open(request.substr(0, request.size() - 500)));
    EXPECT_EQ(all.find(" 200 "), std::string::npos) << all;
  }
  EXPECT_TRUE(Becomes("vrp_requests_in_flight{rpc=\"vrp.v1.DatasetService/UploadDataset\"}", 0));
}

TEST_F(HttpServiceTest, RefusesConnectionsAboveTheLimit) {
  vrpd_.max_connections = 2;
  Start();
  auto first =
      std::make_unique<OpenFile>(Open("GET /v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(ReadUntil(*first, "\r\n\r\n"), HasSubstr(" 200 OK"));
  const OpenFile second = Open("GET");
  EXPECT_EQ(Get("/v1/server").status, 0);
  EXPECT_GE(MetricValue("vrp_refused_connections_total"), 1);
  first = nullptr;
  const absl::Time end = SteadyNow() + absl::Seconds(60);
  while (Get("/v1/server").status != 200) ASSERT_LT(SteadyNow(), end);
}

TEST_F(HttpServiceTest, EndsAStreamThatNobodyReads) {
  upload_timeout_ = absl::Milliseconds(200);
  Start();
  const OpenFile client = Open(PostText(
      "/v1/instances:generate",
      R"({"problemType": "PROBLEM_TYPE_CVRP", "customerCount": 1000, "instanceCount": "100000"})"));
  EXPECT_TRUE(
      Becomes("vrp_requests_total{code=\"CANCELLED\",reason=\"cancelled\","
              "rpc=\"vrp.v1.DatasetService/GenerateInstances\"}",
              1));
}

TEST_F(HttpServiceTest, CancelsTheCallOfAClientThatLeaves) {
  Start();
  const std::string in_flight = "vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/StreamSolve\"}";
  {
    const OpenFile client = Open(PostText("/v1/solve:stream", SolveJson("60s", 60)));
    EXPECT_THAT(ReadUntil(client, "data: "), HasSubstr("text/event-stream"));
    EXPECT_EQ(MetricValue(in_flight), 1);
  }
  EXPECT_TRUE(Becomes(in_flight, 0));
}

TEST_F(HttpServiceTest, RefusesRequestsThatAreReadWhileTheDaemonStops) {
  Start();
  const std::string text = PostText("/v1/solve", SolveJson("1s"));
  std::vector<OpenFile> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(Open(text.substr(0, text.size() - 1)));
  std::thread stop([this] { Stop(); });
  // The pauses spread the ends of the requests over the phases of the stop.
  for (const OpenFile& client : clients) {
    absl::SleepFor(absl::Milliseconds(10));
    send(client.descriptor(), "}", 1, MSG_NOSIGNAL);
  }
  // The first may still be solved, and the last may find the connection closed.
  for (const OpenFile& client : clients) {
    EXPECT_THAT(ReadToEnd(client), testing::AnyOf("", HasSubstr("call again"), HasSubstr("200")));
  }
  stop.join();
}

TEST_F(HttpServiceTest, MayStopWhileRequestsBegin) {
  for (int i = 0; i < 5; ++i) {
    Start();
    const OpenFile solve = Open(PostText("/v1/solve", SolveJson("60s", 60)));
    const OpenFile generate = Open(PostText(
        "/v1/instances:generate",
        R"({"problemType": "PROBLEM_TYPE_CVRP", "customerCount": 1000, "instanceCount": "1000"})"));
    Stop();
  }
}

TEST_F(HttpServiceTest, EndsStreamsWhenTheDaemonStops) {
  Start(std::make_unique<FakeTrainer>(5, 3));
  v1::CreateTrainingJobRequest create;
  create.mutable_spec()->set_config_yaml("name: held\n");
  v1::TrainingJob job;
  Context context;
  const grpc::Status created =
      v1::TrainingService::NewStub(channel_)->CreateTrainingJob(&context, create, &job);
  ASSERT_TRUE(created.ok()) << created.error_message();
  const OpenFile watch =
      Open(Concat("GET /v1/", job.name(), ":watch HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const OpenFile solve = Open(PostText("/v1/solve", SolveJson("60s", 60)));
  const OpenFile idle = Open("");
  ReadUntil(watch, "data: ");
  EXPECT_TRUE(Becomes("vrp_requests_in_flight{rpc=\"vrp.v1.SolverService/Solve\"}", 1));
  Stop();
  EXPECT_THAT(ReadToEnd(watch), HasSubstr("event: error\ndata: {\"error\":{\"code\":503"));
  EXPECT_THAT(ReadToEnd(solve), testing::AnyOf(HasSubstr("END_REASON_SHUTDOWN"), HasSubstr("503")));
  EXPECT_EQ(ReadToEnd(idle), "");
}

}  // namespace
}  // namespace vrp::test
