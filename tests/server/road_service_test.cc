// Tests road networks of a running daemon.
#include <memory>
#include <string>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "server/roads/polyline.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/fake_road_service.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class RoadServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    service_ = std::make_unique<FakeRoadService>([this](const FakeRequest& request) {
      if (request.target.find("/route/") != std::string::npos) return Route(request);
      return OsrmReply(request, connected_);
    });
    vrpd_.road_networks = {service_->Network("car", RoadServiceKind::kOsrm)};
    vrpd_.road_networks[0].tries = 1;
    Restart();
  }
  void Restart() {
    Start();
    stub_ = v1::SolverService::NewStub(channel_);
  }

  // Returns the reply to a request for a route. Every leg has the same three points. Without
  // streets, the reply is an error.
  FakeReply Route(const FakeRequest& request) const {
    if (!has_streets_) return JsonReply(R"({"code":"NoRoute","message":"Impossible route"})", 400);
    nlohmann::json legs = nlohmann::json::array();
    const std::string shape = EncodePolyline({{24, 60}, {24.0005, 60.0005}, {24.001, 60}});
    for (const char c : request.target.substr(0, request.target.find('?'))) {
      if (c == ';') legs.push_back({{"steps", {{{"geometry", shape}}}}});
    }
    return JsonReply(nlohmann::json{{"code", "Ok"}, {"routes", {{{"legs", legs}}}}}.dump());
  }

  static v1::SolveRequest ARequest(int customers = 4) {
    v1::SolveRequest request;
    v1::Instance& instance = *request.mutable_instance();
    instance = ACvrpMessage(customers);
    instance.set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
    instance.set_road_network("car");
    instance.mutable_depots(0)->mutable_location()->set_x(24);
    instance.mutable_depots(0)->mutable_location()->set_y(60);
    for (int i = 0; i < customers; ++i) {
      instance.mutable_customers(i)->mutable_location()->set_x(24 + 0.001 * (i + 1));
      instance.mutable_customers(i)->mutable_location()->set_y(60);
    }
    request.mutable_budget()->set_nanos(50'000'000);
    return request;
  }

  // Puts customers[1] on an island.
  void Disconnect() {
    connected_ = [](double from, double to) { return (from == 24.002) == (to == 24.002); };
  }

  IsConnected connected_;
  bool has_streets_ = true;
  std::unique_ptr<FakeRoadService> service_;
  std::unique_ptr<v1::SolverService::Stub> stub_;
};

TEST_F(RoadServiceTest, SolvesOnARoadNetworkWithItsStreets) {
  v1::SolveRequest request = ARequest();
  request.set_include_geometry(true);
  request.add_render(v1::SOLUTION_FORMAT_GEOJSON);
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*stub_, request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.solution().cost(), 800);
  EXPECT_EQ(response.solution().duration(), 80);
  EXPECT_TRUE(response.times().has_roads());
  ASSERT_EQ(response.solution().routes_size(), 1);
  EXPECT_EQ(response.solution().routes(0).leg_polylines_size(), 5);
  EXPECT_EQ(response.solution().units().metres_per_distance_unit(), 1);
  EXPECT_THAT(response.rendered(0).content(), HasSubstr("[24.0005,60.0005]"));
}

TEST_F(RoadServiceTest, VroomRequestsOverHttpUseTheNetworksOfTheirProfiles) {
  vrpd_.http_listen = "127.0.0.1:0";
  Restart();
  const auto post = [this](const nlohmann::json& problem) {
    const std::string body = problem.dump();
    const std::string address = daemon_->http_url().substr(sizeof("http://") - 1);
    const HttpReply reply =
        HttpSend(address, Concat("POST /?budget=0.05s HTTP/1.1\r\nHost: localhost\r\n"
                                 "Content-Type: application/json\r\nConnection: close\r\n"
                                 "Content-Length: ",
                                 body.size(), "\r\n\r\n", body));
    return nlohmann::json::parse(reply.body);
  };
  nlohmann::json problem = {{"vehicles", {{{"id", 1}, {"start", {24, 60}}, {"end", {24, 60}}}}},
                            {"jobs", {{{"id", 2}, {"location", {24.003, 60}}}}}};
  EXPECT_EQ(post(problem)["summary"]["duration"], 60) << "vehicles without a profile use car";
  problem["vehicles"][0]["profile"] = "bike";
  EXPECT_THAT(post(problem)["error"].get<std::string>(),
              HasSubstr("wanted a road network of this daemon: car"));
  problem["vehicles"][0]["start_index"] = problem["vehicles"][0]["end_index"] = 0;
  problem["jobs"][0]["location_index"] = 1;
  problem["matrices"]["bike"]["durations"] = {{0, 7}, {7, 0}};
  EXPECT_EQ(post(problem)["summary"]["duration"], 14) << "a problem's own matrices come first";
}

TEST_F(RoadServiceTest, GivesTheSearchItsWholeBudgetAfterASlowService) {
  connected_ = [](double, double) {
    absl::SleepFor(absl::Milliseconds(8));
    return true;
  };
  v1::SolveResponse response;
  ASSERT_TRUE(SolveOnce(*stub_, ARequest(), response).ok());
  EXPECT_GE(response.times().roads().nanos() + 1e9 * response.times().roads().seconds(), 100e6);
  EXPECT_EQ(response.end_reason(), v1::END_REASON_OPTIMAL);
}

TEST_F(RoadServiceTest, AnswersWithoutStreetsIfTheServiceHasNone) {
  has_streets_ = false;
  v1::SolveRequest request = ARequest();
  request.set_include_geometry(true);
  v1::SolveResponse response;
  ASSERT_TRUE(SolveOnce(*stub_, request, response).ok());
  EXPECT_EQ(response.solution().cost(), 800);
  EXPECT_THAT(response.geometry_note(), HasSubstr("Impossible route"));
  EXPECT_EQ(response.solution().routes(0).leg_polylines_size(), 0);
}

TEST_F(RoadServiceTest, RefusesGeometryWithoutARoadNetwork) {
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->clear_road_network();
  request.set_include_geometry(true);
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*stub_, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "include_geometry");
}

TEST_F(RoadServiceTest, NamesLocationsThatNoRoadJoins) {
  Disconnect();
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*stub_, ARequest(), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "road_network");
  EXPECT_THAT(status.error_message(), HasSubstr("no road joins customers[1] and the other"));
}

TEST_F(RoadServiceTest, ReportsAServiceThatIsDown) {
  const std::string address = Concat("http://127.0.0.1:", service_->port());
  service_ = nullptr;
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*stub_, ARequest(), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr(Concat("road_network car (osrm at ", address)));
}

TEST_F(RoadServiceTest, ListsTheKnownNetworks) {
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->set_road_network("bike");
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*stub_, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("got \"bike\", wanted a road network of this daemon: car"));
  Context context;
  v1::ServerInfo info;
  ASSERT_TRUE(v1::SystemService::NewStub(channel_)->GetServerInfo(&context, {}, &info).ok());
  EXPECT_THAT(info.road_networks(), testing::ElementsAre("car"));
}

TEST_F(RoadServiceTest, StreamsAndBatchesOnARoadNetwork) {
  Context stream_context;
  const auto stream = stub_->StreamSolve(&stream_context, ARequest());
  v1::StreamSolveResponse last;
  while (stream->Read(&last)) {
  }
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_EQ(last.response().solution().cost(), 800);

  Context batch_context;
  const auto batch = stub_->BatchSolve(&batch_context);
  v1::BatchSolveRequest request;
  *request.mutable_solve() = ARequest();
  batch->Write(request);
  batch->WritesDone();
  v1::BatchSolveResponse answer;
  ASSERT_TRUE(batch->Read(&answer));
  EXPECT_EQ(answer.response().solution().cost(), 800);
  EXPECT_TRUE(batch->Finish().ok());
  EXPECT_EQ(service_->requests().size(), 1u) << "the batch took the matrices from the cache";
}

TEST_F(RoadServiceTest, ChecksAndConvertsOnARoadNetwork) {
  Context check_context;
  v1::CheckSolutionRequest check;
  *check.mutable_instance() = ARequest().instance();
  for (const int node : {1, 2, 3, 4}) {
    if (check.solution().routes_size() == 0) check.mutable_solution()->add_routes();
    check.mutable_solution()->mutable_routes(0)->add_stops()->set_node(node);
  }
  check.set_include_geometry(true);
  v1::CheckSolutionResponse checked;
  ASSERT_TRUE(stub_->CheckSolution(&check_context, check, &checked).ok());
  EXPECT_EQ(checked.cost(), 800);
  EXPECT_EQ(checked.solution().routes(0).leg_polylines_size(), 5);

  Context convert_context;
  v1::ConvertInstanceRequest convert;
  *convert.mutable_instance() = check.instance();
  convert.set_format(v1::INSTANCE_FORMAT_JSON);
  v1::ConvertInstanceResponse converted;
  ASSERT_TRUE(stub_->ConvertInstance(&convert_context, convert, &converted).ok());
  const auto json = nlohmann::json::parse(converted.file().content());
  EXPECT_EQ(json["distance_matrix"][0][4], 400);
  EXPECT_FALSE(json.contains("road_network"));
}

TEST_F(RoadServiceTest, ValidatesARoadNetwork) {
  const auto validate = [this](v1::ValidateInstanceResponse& response) {
    Context context;
    v1::ValidateInstanceRequest request;
    *request.mutable_instance() = ARequest().instance();
    response.Clear();
    return stub_->ValidateInstance(&context, request, &response);
  };
  v1::ValidateInstanceResponse response;
  ASSERT_TRUE(validate(response).ok());
  EXPECT_TRUE(response.valid());
  Restart();  // with an empty cache
  Disconnect();
  ASSERT_TRUE(validate(response).ok());
  ASSERT_EQ(response.errors_size(), 1);
  EXPECT_THAT(response.errors(0), HasSubstr("road_network: no road joins customers[1]"));
  Restart();
  service_ = nullptr;
  EXPECT_EQ(validate(response).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(RoadServiceTest, RunsAJobAfterARestartWithoutTheService) {
  vrpd_.solve_jobs_at_once = 1;
  const auto create = [this](const v1::SolveRequest& solve, v1::SolveJob& job) {
    Context context;
    v1::CreateSolveJobRequest request;
    *request.mutable_solve() = solve;
    return stub_->CreateSolveJob(&context, request, &job);
  };
  v1::SolveRequest long_request = ARequest(60);
  long_request.mutable_budget()->set_seconds(3600);
  v1::SolveJob first;
  ASSERT_TRUE(create(long_request, first).ok());
  v1::SolveJob second;
  ASSERT_TRUE(create(ARequest(), second).ok());
  Stop();
  service_ = nullptr;
  Restart();
  Context stop_context;
  v1::StopSolveJobRequest stop;
  stop.set_name(first.name());
  v1::SolveJob stopped;
  ASSERT_TRUE(stub_->StopSolveJob(&stop_context, stop, &stopped).ok());
  Context watch_context;
  v1::WatchSolveJobRequest watch;
  watch.set_name(second.name());
  const auto events = stub_->WatchSolveJob(&watch_context, watch);
  v1::WatchSolveJobResponse event;
  v1::SolveResponse response;
  while (events->Read(&event)) {
    if (event.has_response()) response = event.response();
  }
  ASSERT_TRUE(events->Finish().ok());
  EXPECT_EQ(response.solution().cost(), 800);
}

TEST_F(RoadServiceTest, RefusesAJobOnAServiceThatIsDown) {
  service_ = nullptr;
  Context context;
  v1::CreateSolveJobRequest request;
  *request.mutable_solve() = ARequest();
  v1::SolveJob job;
  EXPECT_EQ(stub_->CreateSolveJob(&context, request, &job).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace vrp::test
