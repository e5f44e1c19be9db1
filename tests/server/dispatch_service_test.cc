// Tests DispatchService of a running daemon.
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/dispatch_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class DispatchServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    Start();
    dispatch_ = v1::DispatchService::NewStub(channel_);
  }

  // Returns a decision by sampling with few iterations, which no time limit ends.
  static v1::DecideRequest ARequest() {
    v1::DecideRequest request;
    *request.mutable_instance() = AVrptwMessage();
    request.set_departure(0);
    for (const double departure : {10, 20}) request.add_later_departures(departure);
    request.set_requests_per_departure(3);
    request.set_max_iterations(20);
    return request;
  }
  grpc::Status Decide(const v1::DecideRequest& request) {
    Context context;
    response_.Clear();
    return dispatch_->Decide(&context, request, &response_);
  }
  // Returns the field of the error that `change` causes.
  std::string FieldOfError(const std::function<void(v1::DecideRequest&)>& change) {
    v1::DecideRequest request = ARequest();
    change(request);
    const grpc::Status status = Decide(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return FieldOf(status);
  }

  static v1::DecideRequest ALongRequest() {
    v1::DecideRequest request = ARequest();
    *request.mutable_instance() = ACvrpMessage(60);
    request.set_max_iterations(0);
    request.mutable_budget()->set_seconds(600);
    return request;
  }
  // Calls `interrupt` while ALongRequest() is decided. Returns the status code of the call.
  grpc::StatusCode DecideUntil(Context& context, const std::function<void()>& interrupt) {
    grpc::Status status;
    std::thread call([&] { status = dispatch_->Decide(&context, ALongRequest(), &response_); });
    while (!Decides()) continue;
    interrupt();
    call.join();
    return status.error_code();
  }
  // Whether a call of Decide is in flight.
  bool Decides() {
    Context context;
    v1::ServerStats stats;
    v1::SystemService::NewStub(channel_)->GetServerStats(&context, {}, &stats);
    return std::any_of(stats.rpcs().begin(), stats.rpcs().end(), [](const v1::RpcStats& rpc) {
      return rpc.rpc() == "vrp.v1.DispatchService/Decide" && rpc.in_flight() > 0;
    });
  }

  std::unique_ptr<v1::DispatchService::Stub> dispatch_;
  v1::DecideResponse response_;
};

TEST_F(DispatchServiceTest, ServesEachRequestOnARouteOrLetsItWait) {
  const grpc::Status status = Decide(ARequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::multiset<std::string> ids;
  for (const v1::Route& route : response_.solution().routes()) {
    for (const v1::Stop& stop : route.stops()) {
      if (!stop.depot()) ids.insert(stop.id());
    }
  }
  for (const v1::WaitingRequest& waiting : response_.waiting()) ids.insert(waiting.id());
  EXPECT_EQ(ids, (std::multiset<std::string>{"1", "2", "3"}));
  EXPECT_EQ(response_.name(), "test");
  EXPECT_EQ(response_.policy(), v1::DISPATCH_POLICY_SAMPLING);
  EXPECT_GT(response_.scenarios(), 0);
  EXPECT_EQ(response_.seed(), 1u);
  EXPECT_TRUE(response_.feasible());
  EXPECT_EQ(response_.budget().seconds(), 3600);
  EXPECT_TRUE(response_.times().has_queue());
  EXPECT_TRUE(response_.times().has_search());
  EXPECT_EQ(response_.metric(), v1::METRIC_EXACT);
  EXPECT_EQ(response_.objective(), v1::OBJECTIVE_DISTANCE);
}

TEST_F(DispatchServiceTest, ReturnsTheSameDecisionForTheSameSeed) {
  v1::DecideRequest request = ARequest();
  request.set_seed(5);
  const auto decide = [&] {
    EXPECT_TRUE(Decide(request).ok());
    response_.clear_times();
    return response_.SerializeAsString();
  };
  EXPECT_EQ(decide(), decide());
}

TEST_F(DispatchServiceTest, SendsEverythingAtTheLastDecision) {
  for (const auto policy : {v1::DISPATCH_POLICY_GREEDY, v1::DISPATCH_POLICY_LAZY,
                            v1::DISPATCH_POLICY_HORIZON, v1::DISPATCH_POLICY_SAMPLING}) {
    v1::DecideRequest request = ARequest();
    request.clear_future();
    request.clear_later_departures();
    request.set_policy(policy);
    const grpc::Status status = Decide(request);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response_.policy(), policy);
    EXPECT_EQ(response_.waiting_size(), 0);
    EXPECT_DOUBLE_EQ(response_.solution().cost(), 6);
  }
}

TEST_F(DispatchServiceTest, DecidesByThePrizesOfAModel) {
  AddDispatchModel("eager", 10);
  AddDispatchModel("patient", -10);
  const auto waiting = [this](const std::string& model) {
    v1::DecideRequest request = ARequest();
    request.set_policy(v1::DISPATCH_POLICY_MODEL);
    request.set_model(model);
    const grpc::Status status = Decide(request);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response_.policy(), v1::DISPATCH_POLICY_MODEL);
    return response_.waiting_size();
  };
  EXPECT_EQ(waiting("models/eager"), 0);
  EXPECT_EQ(response_.model(), "models/eager/versions/1");
  EXPECT_EQ(waiting("models/patient/versions/1"), 3);
  EXPECT_THAT(response_.waiting(0).reason(), HasSubstr("serving it now is worth 0"));
}

TEST_F(DispatchServiceTest, DecidesByTheShippedModelUnlessToldOtherwise) {
  v1::DecideRequest request = ARequest();
  ASSERT_TRUE(Decide(request).ok());
  EXPECT_EQ(response_.policy(), v1::DISPATCH_POLICY_SAMPLING) << "this daemon has no model";
  request.set_policy(v1::DISPATCH_POLICY_MODEL);
  const grpc::Status absent = Decide(request);
  EXPECT_EQ(absent.error_code(), grpc::NOT_FOUND);
  EXPECT_THAT(absent.error_message(), HasSubstr("dispatch-ortec"));

  AddDispatchModel("dispatch-ortec");
  for (const auto policy : {v1::DISPATCH_POLICY_UNSPECIFIED, v1::DISPATCH_POLICY_MODEL}) {
    request.set_policy(policy);
    ASSERT_TRUE(Decide(request).ok());
    EXPECT_EQ(response_.policy(), v1::DISPATCH_POLICY_MODEL);
    EXPECT_EQ(response_.model(), "models/dispatch-ortec/versions/1");
  }
  request.clear_policy();
  request.mutable_sampling();
  ASSERT_TRUE(Decide(request).ok());
  EXPECT_EQ(response_.policy(), v1::DISPATCH_POLICY_SAMPLING);
}

TEST_F(DispatchServiceTest, RefusesModelsThatAreNotForDispatch) {
  AddModel("routes");
  const auto refusal = [this](const std::string& model) {
    v1::DecideRequest request = ARequest();
    request.set_policy(v1::DISPATCH_POLICY_MODEL);
    request.set_model(model);
    return Decide(request);
  };
  const grpc::Status routes = refusal("models/routes");
  EXPECT_EQ(routes.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(routes.error_message(), HasSubstr("models/routes/versions/1: is a model of"));
  EXPECT_EQ(refusal("models/none").error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(FieldOf(refusal("none")), "model");
}

TEST_F(DispatchServiceTest, ReadsTheSiteOfAFile) {
  v1::DecideRequest request = ARequest();
  request.mutable_file()->set_content(ReadFile("tests/data/RC208.vrp").value());
  request.clear_max_iterations();
  request.clear_future();
  request.set_policy(v1::DISPATCH_POLICY_GREEDY);
  request.mutable_budget()->set_nanos(50'000'000);
  const grpc::Status status = Decide(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.name(), "RC208");
  EXPECT_EQ(response_.budget().nanos(), 50'000'000);
  EXPECT_GT(response_.solution().routes_size(), 0);
}

TEST_F(DispatchServiceTest, NamesTheFieldOfAWrongRequest) {
  EXPECT_EQ(FieldOfError([](auto& r) { r.clear_input(); }), "instance");
  EXPECT_EQ(FieldOfError([](auto& r) { r.add_requests()->set_customer("9"); }),
            "requests[0].customer");
  EXPECT_EQ(FieldOfError([](auto& r) { r.set_later_departures(0, 25); }), "later_departures[1]");
  EXPECT_EQ(FieldOfError([](auto& r) { r.clear_future(); }), "requests_per_departure");
  EXPECT_EQ(FieldOfError([](auto& r) { r.mutable_instance()->clear_vehicles(); }), "vehicles");
  EXPECT_EQ(FieldOfError([](auto& r) { r.mutable_budget()->set_nanos(1); }), "budget");
}

TEST_F(DispatchServiceTest, RefusesFeaturesWithoutMeaningForDispatch) {
  const auto refusal = [this](const std::function<void(v1::Instance&)>& change) {
    v1::DecideRequest request = ARequest();
    change(*request.mutable_instance());
    const grpc::Status status = Decide(request);
    EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr("not supported by dispatch"));
    return FieldOf(status);
  };
  EXPECT_EQ(refusal([](v1::Instance& site) {
              v1::Shipment& shipment = *site.add_shipments();
              shipment.set_delivery_customer(1);
              shipment.add_amount(1);
              for (v1::Customer& customer : *site.mutable_customers()) customer.clear_demand();
            }),
            "shipments[0]");
  EXPECT_EQ(refusal([](v1::Instance& site) { site.mutable_customers(1)->set_prize(3); }),
            "customers[1].prize");
  EXPECT_EQ(refusal([](v1::Instance& site) { site.mutable_vehicles(0)->set_max_reloads(1); }),
            "vehicles[0].max_reloads");
}

TEST_F(DispatchServiceTest, DecidesBeforeTheDeadlineOfTheCall) {
  Context context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
  const grpc::Status status = dispatch_->Decide(&context, ALongRequest(), &response_);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.budget().seconds(), 600);
}

TEST_F(DispatchServiceTest, EndsADecisionThatTheCallerCancels) {
  Context context;
  EXPECT_EQ(DecideUntil(context, [&] { context.TryCancel(); }), grpc::CANCELLED);
  // The only thread is free again.
  grpc::Status status;
  do {
    status = Decide(ARequest());
  } while (status.error_code() == grpc::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(DispatchServiceTest, EndsADecisionAtShutdown) {
  Context context;
  EXPECT_EQ(DecideUntil(context, [this] { Stop(); }), grpc::UNAVAILABLE);
}

}  // namespace
}  // namespace vrp::test
