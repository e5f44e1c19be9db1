// Tests the paths of RPCs: each RPC has one, none collide, and requests find theirs.
#include "server/http/http_routes.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

using google::protobuf::MethodDescriptor;
using testing::HasSubstr;
using testing::IsEmpty;

const MethodDescriptor& RpcOf(const std::string& name) {
  const MethodDescriptor* rpc =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  EXPECT_NE(rpc, nullptr) << name;
  return *rpc;
}

absl::StatusOr<HttpRoute> ParseForCancel(std::string_view option) {
  return ParseHttpRoute(RpcOf("vrp.v1.TrainingService.CancelTrainingJob"), option);
}

HttpRouteMatch Find(std::string_view verb, std::string_view path) {
  absl::StatusOr<HttpRouteMatch> match = FindHttpRoute(HttpRoutes(), verb, path);
  EXPECT_TRUE(match.ok()) << match.status();
  return match.value_or(HttpRouteMatch{});
}

std::string RpcAt(std::string_view verb, std::string_view path) {
  const HttpRouteMatch match = Find(verb, path);
  return match.route == nullptr ? "" : match.route->rpc->name();
}

// Returns a path of the route, with an id for each *.
std::string ExampleOf(const HttpRoute& route) {
  std::string path;
  for (const std::string& segment : route.segments)
    path += "/" + (segment == "*" ? "a-1.b" : segment);
  return route.action.empty() ? path : path + ":" + route.action;
}

TEST(HttpRoutesTest, GiveEachRpcAPath) {
  std::set<std::string> wanted;
  for (const auto& entry : std::filesystem::directory_iterator("proto/vrp/v1")) {
    if (entry.path().extension() != ".proto") continue;
    const auto* file = google::protobuf::DescriptorPool::generated_pool()->FindFileByName(
        "vrp/v1/" + entry.path().filename().string());
    ASSERT_NE(file, nullptr) << entry.path();
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        wanted.insert(file->service(s)->method(m)->full_name());
      }
    }
  }
  std::set<std::string> found;
  for (const HttpRoute& route : HttpRoutes()) found.insert(route.rpc->full_name());
  EXPECT_EQ(found, wanted);
  EXPECT_GE(found.size(), 45u);
}

TEST(HttpRoutesTest, NeverCollide) {
  for (const HttpRoute& route : HttpRoutes()) {
    int matches = 0;
    for (const HttpRoute& other : HttpRoutes()) {
      const absl::StatusOr<HttpRouteMatch> match =
          FindHttpRoute({other}, route.verb, ExampleOf(route));
      ASSERT_TRUE(match.ok());
      if (match->route != nullptr) ++matches;
    }
    EXPECT_EQ(matches, 1) << route.verb << " " << route.pattern;
  }
}

TEST(HttpRoutesTest, UseGetOnlyForReading) {
  // A GET that changes something could be sent by a link or an image in a foreign page.
  for (const HttpRoute& route : HttpRoutes()) {
    if (route.verb != "GET") continue;
    EXPECT_THAT(route.rpc->name(), testing::ContainsRegex("^(Get|List|Watch|Export)"));
  }
}

TEST(HttpRoutesTest, SetAFieldFromThePath) {
  const HttpRouteMatch match = Find("POST", "/v1/trainingJobs/abc:cancel");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->grpc_path, "/vrp.v1.TrainingService/CancelTrainingJob");
  EXPECT_EQ(match.route->variable->name(), "name");
  EXPECT_EQ(match.variable, "trainingJobs/abc");
  EXPECT_EQ(Find("GET", "/v1/models/m/versions/3").variable, "models/m/versions/3");
  EXPECT_EQ(Find("POST", "/v1/models/m/aliases/best:evaluate").variable, "models/m/aliases/best");
  EXPECT_EQ(Find("GET", "/v1/trainingJobs/abc/history").variable, "trainingJobs/abc");
}

TEST(HttpRoutesTest, TellActionsFromIds) {
  EXPECT_EQ(RpcAt("GET", "/v1/trainingJobs/watch"), "GetTrainingJob");
  EXPECT_EQ(RpcAt("GET", "/v1/trainingJobs/x:watch"), "WatchTrainingJob");
  EXPECT_EQ(RpcAt("POST", "/v1/solve:stream"), "StreamSolve");
  EXPECT_EQ(RpcAt("POST", "/v1/solve"), "Solve");
  EXPECT_EQ(RpcAt("GET", "/v1/trainingJobs/x:"), "GetTrainingJob");
  EXPECT_EQ(RpcAt("GET", "/v1/trainingJobs/a:b:watch"), "WatchTrainingJob");
}

TEST(HttpRoutesTest, DecodeEscapes) {
  EXPECT_EQ(Find("GET", "/v1/trainingJobs/a%2Db").variable, "trainingJobs/a-b");
  EXPECT_EQ(Find("GET", "/v1/trainingJobs/a+b").variable, "trainingJobs/a+b");
  EXPECT_EQ(RpcAt("POST", "/v1/trainingJobs/x%3Acancel"), "CancelTrainingJob");
  for (const char* wrong : {"/v1/trainingJobs/a%2Fb", "/v1/trainingJobs/%", "/v1/trainingJobs/%zz",
                            "/v1/trainingJobs/a%00", "/v1/trainingJobs/%FF", "/v1/%2Fsolve"}) {
    EXPECT_EQ(FindHttpRoute(HttpRoutes(), "GET", wrong).status().code(),
              absl::StatusCode::kInvalidArgument)
        << wrong;
  }
}

TEST(HttpRoutesTest, NameTheMethodsOfAPath) {
  EXPECT_EQ(Find("PATCH", "/v1/trainingJobs/x").allowed, "GET, DELETE");
  EXPECT_EQ(Find("PATCH", "/v1/trainingJobs/x").route, nullptr);
  EXPECT_EQ(Find("get", "/v1/models").route, nullptr);
  for (const char* unknown : {"/v1/nothing", "/v1", "/", "", "*", "v1/models", "/v1/models/",
                              "//v1/models", "/v1/trainingJobs/", "/v1/trainingJobs/:cancel",
                              "/v1/trainingJobs/x:explode", "/V1/solve"}) {
    EXPECT_THAT(Find("GET", unknown).allowed, IsEmpty()) << unknown;
  }
}

TEST(HttpRoutesTest, RejectOptionsOfAnotherForm) {
  EXPECT_TRUE(ParseForCancel("POST /v1/{name=trainingJobs/*}:cancel").ok());
  for (const char* wrong : {"", "POST", "PATCH /v1/x", "POST/v1/x", "POST /v2/x", "POST /v1/{name}",
                            "POST /v1/{name=", "POST /v1/{nonsense=x/*}", "POST /v1/}name={"}) {
    EXPECT_EQ(ParseForCancel(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
  EXPECT_THAT(ParseHttpRoute(RpcOf("vrp.v1.ModelService.SetModelAlias"), "PUT /v1/{version=x/*}")
                  .status()
                  .ToString(),
              HasSubstr("is not a text field"));
}

}  // namespace
}  // namespace vrp
