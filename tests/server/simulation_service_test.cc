// Tests SimulationService of a running daemon.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class SimulationServiceTest : public DaemonTest {
 protected:
  void SetUp() override { RestartDaemon(); }
  void RestartDaemon() {
    Start();
    simulations_ = v1::SimulationService::NewStub(channel_);
  }

  // Returns a simulation of `days` days under two policies whose searches all end by iterations.
  static v1::CreateSimulationRequest ASimulationRequest(int days) {
    v1::CreateSimulationRequest request;
    v1::SimulationSpec& spec = *request.mutable_spec();
    v1::Instance& site = *spec.add_sites()->mutable_instance();
    site = AVrptwMessage();
    // Decisions are made until the last opening of a window.
    for (int i = 0; i < site.customers_size(); ++i) {
      site.mutable_customers(i)->mutable_time_windows(0)->set_open(1 + 10 * i);
    }
    spec.add_policies()->set_policy(v1::DISPATCH_POLICY_GREEDY);
    spec.add_policies()->set_policy(v1::DISPATCH_POLICY_HORIZON);
    spec.set_days(days);
    spec.set_epoch(5);
    spec.set_margin(1);
    spec.set_requests_per_epoch(4);
    spec.set_max_iterations(20);
    spec.mutable_hindsight_time()->set_seconds(3600);
    return request;
  }
  grpc::Status CreateSimulation(const v1::CreateSimulationRequest& request) {
    Context context;
    simulation_.Clear();
    return simulations_->CreateSimulation(&context, request, &simulation_);
  }
  grpc::Status GetSimulation(const std::string& name) {
    Context context;
    v1::GetSimulationRequest request;
    request.set_name(name);
    simulation_.Clear();
    return simulations_->GetSimulation(&context, request, &simulation_);
  }
  grpc::Status StopSimulation(const std::string& name) {
    Context context;
    v1::StopSimulationRequest request;
    request.set_name(name);
    v1::Simulation response;
    return simulations_->StopSimulation(&context, request, &response);
  }
  grpc::Status DeleteSimulation(const std::string& name) {
    Context context;
    v1::DeleteSimulationRequest request;
    request.set_name(name);
    v1::DeleteSimulationResponse response;
    return simulations_->DeleteSimulation(&context, request, &response);
  }
  // Reads to the end of the stream, or cancels the call once `enough` returns true.
  std::vector<v1::WatchSimulationResponse> WatchSimulation(
      const std::string& name,
      const std::function<bool(const v1::WatchSimulationResponse&)>& enough = nullptr) {
    Context context;
    v1::WatchSimulationRequest request;
    request.set_name(name);
    const auto stream = simulations_->WatchSimulation(&context, request);
    std::vector<v1::WatchSimulationResponse> events;
    for (v1::WatchSimulationResponse event; stream->Read(&event);) {
      if (event.sequence() > 0) events.push_back(event);
      if (enough != nullptr && enough(event)) context.TryCancel();
    }
    stream->Finish();
    return events;
  }
  // Runs a simulation to its end and returns its days, without the times of decisions.
  std::vector<std::string> DaysOf(const std::string& name) {
    WatchSimulation(name);
    EXPECT_TRUE(GetSimulation(name).ok());
    EXPECT_EQ(simulation_.state(), v1::JOB_STATE_SUCCEEDED) << simulation_.error().message();
    std::vector<std::string> days;
    for (v1::SimulatedDayResults day : simulation_.days()) {
      for (v1::SimulatedDay& result : *day.mutable_results()) {
        for (v1::SimulatedDecision& decision : *result.mutable_decisions()) decision.clear_time();
      }
      days.push_back(day.DebugString());
    }
    return days;
  }

  std::unique_ptr<v1::SimulationService::Stub> simulations_;
  v1::Simulation simulation_;
};

TEST_F(SimulationServiceTest, StreamsAndStoresEachDay) {
  const grpc::Status created = CreateSimulation(ASimulationRequest(3));
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_THAT(simulation_.name(), testing::StartsWith("simulations/"));
  EXPECT_EQ(simulation_.site_names(0), "test");
  EXPECT_EQ(simulation_.progress().day_count(), 3);
  const std::string name = simulation_.name();
  const std::vector<v1::WatchSimulationResponse> events = WatchSimulation(name);
  std::vector<v1::SimulatedDayResults> days;
  for (const v1::WatchSimulationResponse& event : events) {
    if (event.has_day()) days.push_back(event.day());
  }
  ASSERT_EQ(days.size(), 3u);
  ASSERT_EQ(days[1].results_size(), 2);
  const v1::SimulatedDay& day = days[1].results(0);
  EXPECT_EQ(day.policy(), "greedy");
  EXPECT_EQ(day.seed(), 2u);
  EXPECT_EQ(day.day(), "test-2");
  EXPECT_GT(day.request_count(), 0);
  EXPECT_GE(day.gap_percent(), -1e-9);
  EXPECT_EQ(day.hindsight_cost(), days[1].results(1).hindsight_cost());
  EXPECT_FALSE(day.decisions().empty());
  ASSERT_TRUE(GetSimulation(name).ok());
  EXPECT_EQ(simulation_.days(1).SerializeAsString(), days[1].SerializeAsString());
  EXPECT_EQ(simulation_.summary().SerializeAsString(),
            events[events.size() - 2].summary().SerializeAsString());
  EXPECT_EQ(simulation_.summary().policies(1).day_count(), 3);
  EXPECT_FALSE(simulation_.summary().stopped());
  EXPECT_TRUE(DeleteSimulation(name).ok());
  EXPECT_EQ(GetSimulation(name).error_code(), grpc::NOT_FOUND);
}

TEST_F(SimulationServiceTest, GivesTheSameResultsAfterAnInterruption) {
  // So many days that the restart comes before the last one on any machine.
  ASSERT_TRUE(CreateSimulation(ASimulationRequest(10'000)).ok());
  const std::string name = simulation_.name();
  WatchSimulation(name, [](const v1::WatchSimulationResponse& event) { return event.has_day(); });
  RestartDaemon();
  ASSERT_TRUE(GetSimulation(name).ok());
  const int32_t enough = simulation_.days_size() + 10;
  WatchSimulation(name, [days = 0, enough](const v1::WatchSimulationResponse& event) mutable {
    if (event.has_day()) ++days;
    return days >= enough;
  });
  ASSERT_TRUE(StopSimulation(name).ok());
  const std::vector<std::string> interrupted = DaysOf(name);
  EXPECT_EQ(simulation_.attempt(), 2);
  ASSERT_GE(std::ssize(interrupted), enough);
  ASSERT_TRUE(CreateSimulation(ASimulationRequest(static_cast<int>(interrupted.size()))).ok());
  const std::string undisturbed = simulation_.name();
  EXPECT_EQ(DaysOf(undisturbed), interrupted);
}

TEST_F(SimulationServiceTest, EndsAStoppedSimulationWithItsFinishedDays) {
  ASSERT_TRUE(CreateSimulation(ASimulationRequest(10'000)).ok());
  const std::string name = simulation_.name();
  WatchSimulation(name, [](const v1::WatchSimulationResponse& event) { return event.has_day(); });
  ASSERT_TRUE(StopSimulation(name).ok());
  WatchSimulation(name);
  ASSERT_TRUE(GetSimulation(name).ok());
  EXPECT_EQ(simulation_.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(simulation_.summary().stopped());
  EXPECT_EQ(simulation_.summary().policies(0).day_count(), simulation_.days_size());
  EXPECT_LT(simulation_.days_size(), 10'000);
}

TEST_F(SimulationServiceTest, ComparesModelsAfterARestartToo) {
  AddDispatchModel("eager", 10);
  AddDispatchModel("patient", -10);
  v1::CreateSimulationRequest request = ASimulationRequest(40);
  v1::SimulationSpec& spec = *request.mutable_spec();
  spec.clear_policies();
  for (const char* name : {"eager", "patient"}) {
    v1::SimulationPolicy& policy = *spec.add_policies();
    policy.set_policy(v1::DISPATCH_POLICY_MODEL);
    policy.set_model(Concat("models/", name));
    policy.set_name(name);
  }
  const grpc::Status created = CreateSimulation(request);
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_EQ(simulation_.spec().policies(0).model(), "models/eager/versions/1");
  const std::string name = simulation_.name();
  WatchSimulation(name, [](const v1::WatchSimulationResponse& event) { return event.has_day(); });
  RestartDaemon();
  ASSERT_EQ(DaysOf(name).size(), 40u);
  EXPECT_EQ(simulation_.summary().policies(0).policy(), "eager");
  EXPECT_NE(simulation_.summary().policies(0).mean_cost(),
            simulation_.summary().policies(1).mean_cost());
}

TEST_F(SimulationServiceTest, StatesTheDefaultPolicy) {
  v1::CreateSimulationRequest request = ASimulationRequest(1);
  request.mutable_spec()->clear_policies();
  ASSERT_TRUE(CreateSimulation(request).ok());
  ASSERT_EQ(simulation_.spec().policies_size(), 1);
  EXPECT_EQ(simulation_.spec().policies(0).policy(), v1::DISPATCH_POLICY_SAMPLING);
  AddDispatchModel("dispatch-ortec");
  ASSERT_TRUE(CreateSimulation(request).ok());
  EXPECT_EQ(simulation_.spec().policies(0).policy(), v1::DISPATCH_POLICY_MODEL);
  EXPECT_EQ(simulation_.spec().policies(0).model(), "models/dispatch-ortec/versions/1");
  DaysOf(simulation_.name());
  EXPECT_EQ(simulation_.summary().policies(0).policy(), "model");
}

TEST_F(SimulationServiceTest, RefusesModelsThatItCannotUse) {
  AddModel("routes");
  const auto refusal = [this](const std::string& model) {
    v1::CreateSimulationRequest request = ASimulationRequest(1);
    request.mutable_spec()->mutable_policies(1)->set_policy(v1::DISPATCH_POLICY_MODEL);
    request.mutable_spec()->mutable_policies(1)->set_model(model);
    return CreateSimulation(request);
  };
  EXPECT_EQ(refusal("models/routes").error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(refusal("models/none").error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(FieldOf(refusal("none")), "spec.policies[1].model");
}

TEST_F(SimulationServiceTest, ReplaysTheDaysOfARequestLog) {
  v1::CreateSimulationRequest request = ASimulationRequest(0);
  v1::SimulationSpec& spec = *request.mutable_spec();
  spec.clear_requests_per_epoch();
  spec.mutable_request_log()->set_content(
      R"({"day": "monday", "id": "a", "at": 0, "customer": "1"}
{"day": "tuesday", "id": "b", "at": 3, "customer": "2"}
{"day": "tuesday", "id": "c", "at": 7, "customer": "3"}
)");
  const grpc::Status created = CreateSimulation(request);
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_EQ(simulation_.progress().day_count(), 2);
  EXPECT_TRUE(simulation_.spec().request_log().content().empty());
  EXPECT_EQ(DaysOf(simulation_.name()).size(), 2u);
  EXPECT_EQ(simulation_.days(1).results(0).day(), "tuesday");
  EXPECT_EQ(simulation_.days(1).results(0).request_count(), 2);
  EXPECT_EQ(simulation_.days(1).results(0).decisions_size(), 3) << "all days share the decisions";
}

TEST_F(SimulationServiceTest, RefusesWrongRequestsWithTheirFields) {
  const auto refusal = [&](const std::function<void(v1::SimulationSpec&)>& change) {
    v1::CreateSimulationRequest request = ASimulationRequest(1);
    change(*request.mutable_spec());
    const grpc::Status status = CreateSimulation(request);
    EXPECT_FALSE(status.ok());
    return status;
  };
  EXPECT_EQ(FieldOf(refusal([](auto& spec) { spec.mutable_sites(0)->clear_input(); })),
            "spec.sites[0].instance");
  EXPECT_EQ(FieldOf(refusal([](auto& spec) { spec.set_epoch(-1); })), "spec.epoch");
  EXPECT_EQ(FieldOf(refusal([](auto& spec) { spec.set_requests_per_epoch(9'999); })),
            "spec.requests_per_epoch");
  EXPECT_EQ(FieldOf(refusal([](auto& spec) {
              spec.add_vehicles(1);
              spec.add_vehicles(1);
            })),
            "spec.vehicles");
  EXPECT_EQ(FieldOf(refusal([](auto& spec) {
              spec.mutable_sites(0)->mutable_instance()->set_matrices("matrices/x");
            })),
            "spec.sites[0].matrices");
  const auto with_log = [](v1::SimulationSpec& spec, const std::string& content) {
    spec.clear_requests_per_epoch();
    spec.mutable_request_log()->set_content(content);
  };
  const grpc::Status bad_log = refusal([&](auto& spec) { with_log(spec, "{}"); });
  EXPECT_EQ(FieldOf(bad_log), "spec.request_log.content");
  EXPECT_THAT(bad_log.error_message(), HasSubstr("request_log:1: day: absent"));
  const grpc::Status one_day = refusal([&](auto& spec) {
    with_log(spec, R"({"day": "monday", "id": "a", "at": 0, "customer": "1"})");
  });
  EXPECT_EQ(one_day.error_code(), grpc::FAILED_PRECONDITION);
}

TEST_F(SimulationServiceTest, ChecksWithoutCreating) {
  v1::CreateSimulationRequest request = ASimulationRequest(2);
  request.set_validate_only(true);
  ASSERT_TRUE(CreateSimulation(request).ok());
  EXPECT_TRUE(simulation_.name().empty());
  EXPECT_EQ(simulation_.progress().day_count(), 2);
  Context context;
  v1::ListSimulationsResponse list;
  ASSERT_TRUE(simulations_->ListSimulations(&context, {}, &list).ok());
  EXPECT_TRUE(list.simulations().empty());
}

}  // namespace
}  // namespace vrp::test
