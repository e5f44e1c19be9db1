// Tests uploaded request logs of a running daemon: simulations and decisions that read them.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/dispatch_service.grpc.pb.h"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kTwoDays[] = R"({"day": "monday", "id": "a", "at": 0, "customer": "1"}
{"day": "tuesday", "id": "b", "at": 3, "customer": "2"}
{"day": "tuesday", "id": "c", "at": 7, "customer": "3"}
)";

class RequestLogServiceTest : public DaemonTest {
 protected:
  void SetUp() override { RestartDaemon(); }
  void RestartDaemon() {
    Start();
    datasets_ = v1::DatasetService::NewStub(channel_);
    simulations_ = v1::SimulationService::NewStub(channel_);
    dispatch_ = v1::DispatchService::NewStub(channel_);
  }

  grpc::Status Upload(const std::string& name, const std::string& content) {
    Context context;
    uploaded_.Clear();
    const auto writer = datasets_->UploadDataset(&context, &uploaded_);
    v1::UploadDatasetRequest message;
    message.mutable_header()->set_name(name);
    message.mutable_header()->set_file_name("log.jsonl");
    writer->Write(message);
    message.set_chunk(content);
    writer->Write(message);
    writer->WritesDone();
    return writer->Finish();
  }
  grpc::Status Export(const std::string& name, std::string& content) {
    Context context;
    v1::ExportDatasetRequest request;
    request.set_name(name);
    const auto reader = datasets_->ExportDataset(&context, request);
    content.clear();
    for (v1::ExportDatasetResponse response; reader->Read(&response);) content += response.chunk();
    return reader->Finish();
  }
  grpc::Status Delete(const std::string& name) {
    Context context;
    v1::DeleteDatasetRequest request;
    request.set_name(name);
    deleted_.Clear();
    return datasets_->DeleteDataset(&context, request, &deleted_);
  }
  static v1::CreateSimulationRequest ASimulationOf(const std::string& dataset) {
    v1::CreateSimulationRequest request;
    v1::SimulationSpec& spec = *request.mutable_spec();
    *spec.add_sites()->mutable_instance() = AVrptwMessage();
    spec.add_policies()->set_policy(v1::DISPATCH_POLICY_GREEDY);
    spec.add_policies()->set_policy(v1::DISPATCH_POLICY_HORIZON);
    spec.set_epoch(5);
    spec.set_margin(1);
    spec.set_max_iterations(20);
    spec.mutable_hindsight_time()->set_seconds(3600);
    spec.mutable_request_log()->set_dataset(dataset);
    return request;
  }
  grpc::Status Simulate(const v1::CreateSimulationRequest& request) {
    Context context;
    simulation_.Clear();
    return simulations_->CreateSimulation(&context, request, &simulation_);
  }
  // Waits for the end of the simulation, or for its first day.
  void Watch(const std::string& name, bool to_end) {
    Context context;
    v1::WatchSimulationRequest request;
    request.set_name(name);
    const auto stream = simulations_->WatchSimulation(&context, request);
    for (v1::WatchSimulationResponse event; stream->Read(&event);) {
      if (!to_end && event.has_day()) context.TryCancel();
    }
    stream->Finish();
  }
  grpc::Status GetSimulation(const std::string& name) {
    Context context;
    v1::GetSimulationRequest request;
    request.set_name(name);
    simulation_.Clear();
    return simulations_->GetSimulation(&context, request, &simulation_);
  }
  static v1::DecideRequest ADecisionWith(const std::string& dataset) {
    v1::DecideRequest request;
    *request.mutable_instance() = AVrptwMessage();
    request.set_departure(1);
    for (const double departure : {6, 11}) request.add_later_departures(departure);
    request.set_policy(v1::DISPATCH_POLICY_SAMPLING);
    request.set_request_log(dataset);
    request.set_max_iterations(20);
    return request;
  }
  grpc::Status Decide(const v1::DecideRequest& request) {
    Context context;
    decision_.Clear();
    return dispatch_->Decide(&context, request, &decision_);
  }

  std::unique_ptr<v1::DatasetService::Stub> datasets_;
  std::unique_ptr<v1::SimulationService::Stub> simulations_;
  std::unique_ptr<v1::DispatchService::Stub> dispatch_;
  v1::Dataset uploaded_;
  v1::DeleteDatasetResponse deleted_;
  v1::Simulation simulation_;
  v1::DecideResponse decision_;
};

TEST_F(RequestLogServiceTest, DescribesAnUploadedLogAndReturnsItsBytes) {
  const std::string content = std::string(kTwoDays) + "\r\n";
  const grpc::Status status = Upload("history", content);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(uploaded_.kind(), v1::DATASET_KIND_REQUEST_LOG);
  EXPECT_EQ(uploaded_.day_count(), 2);
  EXPECT_EQ(uploaded_.request_count(), 3);
  EXPECT_EQ(uploaded_.instance_count(), 0);
  RestartDaemon();
  std::string exported;
  EXPECT_TRUE(Export("datasets/history", exported).ok());
  EXPECT_EQ(exported, content);
  const grpc::Status none = Export("datasets/none", exported);
  EXPECT_EQ(none.error_code(), grpc::NOT_FOUND);
  EXPECT_THAT(none.error_message(), StartsWith("name: "));
}

TEST_F(RequestLogServiceTest, NamesEachBadLineOfALogAndStoresNothing) {
  const grpc::Status status =
      Upload("history", R"({"day": "tuesday", "id": "a", "at": 0, "customer": "1"}
{"day": "tuesday", "at": 0, "customer": "1"}
{"day": "monday", "id": "b", "at": 0, "customer": "1"}
)");
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("log.jsonl:2: id: absent"));
  EXPECT_THAT(status.error_message(), HasSubstr("log.jsonl:3: day: got \"monday\" after"));
  EXPECT_EQ(Delete("datasets/history").error_code(), grpc::NOT_FOUND);
}

TEST_F(RequestLogServiceTest, SimulatesTheDaysOfAnUploadedLog) {
  ASSERT_TRUE(Upload("history", kTwoDays).ok());
  const grpc::Status created = Simulate(ASimulationOf("datasets/history"));
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_EQ(simulation_.spec().request_log().dataset(), "datasets/history");
  Watch(simulation_.name(), /*to_end=*/true);
  ASSERT_TRUE(GetSimulation(simulation_.name()).ok());
  ASSERT_EQ(simulation_.days_size(), 2) << simulation_.error().message();
  EXPECT_EQ(simulation_.days(1).results(0).day(), "tuesday");
  EXPECT_EQ(simulation_.days(1).results(0).request_count(), 2);
}

TEST_F(RequestLogServiceTest, DecidesWithRequestsOfAnUploadedLog) {
  ASSERT_TRUE(Upload("history", kTwoDays).ok());
  v1::DecideRequest request = ADecisionWith("datasets/history");
  request.set_margin(1);
  const grpc::Status status = Decide(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(decision_.scenarios(), 0);
  const std::string first = decision_.solution().SerializeAsString();
  ASSERT_TRUE(Decide(request).ok());
  EXPECT_EQ(decision_.solution().SerializeAsString(), first) << "the same seed";
}

TEST_F(RequestLogServiceTest, ReadsALogAgainThatHasOtherContent) {
  const std::string line = R"({"day": "d", "id": "a", "at": 3, "customer": "1"})";
  ASSERT_TRUE(Upload("history", line).ok());
  ASSERT_TRUE(Decide(ADecisionWith("datasets/history")).ok());
  ASSERT_TRUE(Delete("datasets/history").ok());
  EXPECT_EQ(Decide(ADecisionWith("datasets/history")).error_code(), grpc::NOT_FOUND);
  ASSERT_TRUE(
      Upload("history", line + "\n" + R"({"day": "d", "id": "b", "at": 3, "customer": "c99"})")
          .ok());
  EXPECT_THAT(Decide(ADecisionWith("datasets/history")).error_message(),
              HasSubstr("datasets/history:2: customer: got \"c99\""));
}

TEST_F(RequestLogServiceTest, DecidesWithALogOfOneDay) {
  // A decision replays no day, so the only day of the log can be drawn.
  ASSERT_TRUE(Upload("day", R"({"day": "d", "id": "a", "at": 3, "customer": "1"})").ok());
  const grpc::Status status = Decide(ADecisionWith("datasets/day"));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(RequestLogServiceTest, NamesTheFieldOfALogThatCannotBeUsed) {
  ASSERT_TRUE(Upload("history", R"({"day": "d", "id": "a", "at": 0, "customer": "c99"})").ok());
  ASSERT_TRUE(Upload("day", R"({"day": "d", "id": "a", "at": 0, "customer": "1"})").ok());
  const std::string site =
      R"({"kind": "cvrp", "capacity": 5, "coords": [[0, 0], [1, 1]], "demands": [0, 1]})";
  const grpc::Status instances = Upload("sites", site);
  ASSERT_TRUE(instances.ok()) << instances.error_message();
  struct Case {
    std::string dataset;
    grpc::StatusCode code;
    std::string error;
  };
  for (const Case& one : std::vector<Case>{
           {"datasets/history", grpc::INVALID_ARGUMENT,
            "datasets/history:1: customer: got \"c99\", wanted the id of a customer of the site"},
           {"datasets/sites", grpc::INVALID_ARGUMENT,
            "got datasets/sites, which is instances, wanted a request log"},
           {"datasets/none", grpc::NOT_FOUND, "which this daemon does not have"},
           {"history", grpc::INVALID_ARGUMENT, "wanted datasets/ and"}}) {
    const grpc::Status simulated = Simulate(ASimulationOf(one.dataset));
    EXPECT_EQ(simulated.error_code(), one.code) << simulated.error_message();
    EXPECT_THAT(simulated.error_message(), HasSubstr("request_log.dataset: "));
    EXPECT_THAT(simulated.error_message(), HasSubstr(one.error));
    const grpc::Status decided = Decide(ADecisionWith(one.dataset));
    EXPECT_EQ(decided.error_code(), one.code) << decided.error_message();
    EXPECT_THAT(decided.error_message(), HasSubstr("request_log: "));
    EXPECT_THAT(decided.error_message(), HasSubstr(one.error));
  }
  const grpc::Status one_day = Simulate(ASimulationOf("datasets/day"));
  EXPECT_EQ(one_day.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(one_day.error_message(), HasSubstr("request_log: has one day"));
}

TEST_F(RequestLogServiceTest, DeletesTheSimulationsOfALogOnceTheyHaveEnded) {
  ASSERT_TRUE(Upload("history", kTwoDays).ok());
  ASSERT_TRUE(Simulate(ASimulationOf("datasets/history")).ok());
  const std::string ended = simulation_.name();
  Watch(ended, /*to_end=*/true);
  v1::CreateSimulationRequest other = ASimulationOf("");
  other.mutable_spec()->mutable_request_log()->set_content(kTwoDays);
  ASSERT_TRUE(Simulate(other).ok());
  const std::string inline_log = simulation_.name();
  Watch(inline_log, /*to_end=*/true);
  ASSERT_TRUE(Delete("datasets/history").ok());
  EXPECT_THAT(deleted_.deleted_simulations(), ElementsAre(ended));
  EXPECT_EQ(GetSimulation(ended).error_code(), grpc::NOT_FOUND);
  EXPECT_TRUE(GetSimulation(inline_log).ok());
}

TEST_F(RequestLogServiceTest, KeepsALogThatASimulationReads) {
  std::string long_log;
  for (int day = 1000; day < 9000; ++day) {
    long_log +=
        R"({"day": ")" + std::to_string(day) + R"(", "id": "a", "at": 3, "customer": "1"})" + "\n";
  }
  ASSERT_TRUE(Upload("history", long_log).ok());
  ASSERT_TRUE(Simulate(ASimulationOf("datasets/history")).ok());
  const std::string name = simulation_.name();
  Watch(name, /*to_end=*/false);
  const grpc::Status in_use = Delete("datasets/history");
  EXPECT_EQ(in_use.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(in_use.error_message(), HasSubstr("datasets/history is read by " + name));
  EXPECT_THAT(in_use.error_message(), HasSubstr("vrpctl dispatch simulations stop"));
  EXPECT_TRUE(GetSimulation(name).ok());
}

}  // namespace
}  // namespace vrp::test
