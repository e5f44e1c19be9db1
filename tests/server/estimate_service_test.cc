// Tests EstimateService of a running daemon.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "tests/registry/estimate_model_files.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/estimate_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EstimateServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    Start();
    estimates_ = v1::EstimateService::NewStub(channel_);
    const std::string directory = folder_.path() + "/models/estimate-mixed/1";
    ASSERT_TRUE(EnsureDirectory(directory).ok());
    ASSERT_TRUE(WriteEstimateModel(directory).ok());
  }

  static v1::EstimateCostsRequest ARequest() {
    v1::EstimateCostsRequest request;
    *request.add_inputs()->mutable_instance() = ACvrpMessage();
    return request;
  }
  grpc::Status Estimate(const v1::EstimateCostsRequest& request) {
    Context context;
    response_.Clear();
    return estimates_->EstimateCosts(&context, request, &response_);
  }
  grpc::Status Refusal(const std::function<void(v1::EstimateCostsRequest&)>& change) {
    v1::EstimateCostsRequest request = ARequest();
    change(request);
    const grpc::Status status = Estimate(request);
    EXPECT_EQ(response_.estimates_size(), 0);
    return status;
  }
  std::string FieldOfError(const std::function<void(v1::EstimateCostsRequest&)>& change) {
    const grpc::Status status = Refusal(change);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return FieldOf(status);
  }

  // Whether a call of EstimateCosts is in flight.
  bool Estimates() {
    Context context;
    v1::ServerStats stats;
    v1::SystemService::NewStub(channel_)->GetServerStats(&context, {}, &stats);
    return std::any_of(stats.rpcs().begin(), stats.rpcs().end(), [](const v1::RpcStats& rpc) {
      return rpc.rpc() == "vrp.v1.EstimateService/EstimateCosts" && rpc.in_flight() > 0;
    });
  }

  std::unique_ptr<v1::EstimateService::Stub> estimates_;
  v1::EstimateCostsResponse response_;
};

TEST_F(EstimateServiceTest, EstimatesInstancesInTheirOrder) {
  v1::EstimateCostsRequest request = ARequest();
  for (const int customers : {5, 40}) {
    *request.add_inputs()->mutable_instance() = ACvrpMessage(customers);
  }
  const grpc::Status status = Estimate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response_.estimates_size(), 3);
  EXPECT_EQ(response_.estimates(0).customers(), 3);
  EXPECT_NEAR(response_.estimates(0).cost(), 6 * std::exp(-0.1), 1e-4);
  EXPECT_LT(response_.estimates(0).cost_low(), response_.estimates(0).cost());
  EXPECT_GT(response_.estimates(0).cost_high(), response_.estimates(0).cost());
  EXPECT_EQ(response_.estimates(0).routes_high(), 1);
  EXPECT_EQ(response_.estimates(0).outside_size(), 0);
  EXPECT_NEAR(response_.estimates(1).cost(), 10 * std::exp(-0.1), 1e-4);
  EXPECT_THAT(response_.estimates(2).outside(), ElementsAre(v1::ESTIMATE_OUTSIDE_SIZE));
  EXPECT_EQ(response_.model(), "models/estimate-mixed/versions/1");
  EXPECT_EQ(response_.coverage(), 0.9);
  EXPECT_TRUE(response_.has_time());
}

TEST_F(EstimateServiceTest, EstimatesManySubsets) {
  v1::EstimateCostsRequest request = ARequest();
  for (int i = 0; i < 500; ++i) {
    v1::CustomerSubset& subset = *request.add_subsets();
    subset.add_customers("1");
    if (i % 2 == 1) subset.add_customers("3");
  }
  const grpc::Status status = Estimate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response_.estimates_size(), 500);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(response_.estimates(i).customers(), 1 + i % 2);
    EXPECT_NEAR(response_.estimates(i).cost(), (i % 2 == 1 ? 6 : 2) * std::exp(-0.1), 1e-4);
  }
}

TEST_F(EstimateServiceTest, ComparesSubsetsThatDifferByACustomer) {
  const std::string directory = folder_.path() + "/models/adds/1";
  ASSERT_TRUE(EnsureDirectory(directory).ok());
  ASSERT_TRUE(WriteEstimateModel(directory, 1).ok());
  v1::EstimateCostsRequest request = ARequest();
  request.set_model("models/adds");
  for (const auto& ids : std::vector<std::vector<std::string>>{{"3", "1"}, {"1"}, {"2", "3"}}) {
    v1::CustomerSubset& subset = *request.add_subsets();
    for (const std::string& id : ids) subset.add_customers(id);
  }
  const grpc::Status status = Estimate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_NEAR(response_.estimates(1).cost(), 2 * std::exp(-0.1), 1e-4);
  // The cost of the first customer alone, and what the other one adds: as much as its quick plan.
  EXPECT_NEAR(response_.estimates(0).cost(), 2 * std::exp(-0.1) + 2, 1e-4);
  EXPECT_LT(response_.estimates(0).cost_low(), response_.estimates(0).cost());
  EXPECT_NEAR(response_.estimates(2).cost(), 6 * std::exp(-0.1), 1e-4);
}

TEST_F(EstimateServiceTest, ReadsFiles) {
  v1::EstimateCostsRequest request;
  request.add_inputs()->mutable_file()->set_content(ReadFile("tests/data/E-n22-k4.vrp").value());
  const grpc::Status status = Estimate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(response_.estimates(0).cost(), 300);
  EXPECT_LT(response_.estimates(0).cost(), 400);
}

TEST_F(EstimateServiceTest, NamesTheFieldOfAWrongRequest) {
  EXPECT_EQ(FieldOfError([](auto& r) { r.clear_inputs(); }), "inputs");
  EXPECT_EQ(FieldOfError([](auto& r) { r.add_inputs(); }), "inputs[1]");
  EXPECT_EQ(FieldOfError([](auto& r) {
              *r.add_inputs() = r.inputs(0);
              r.add_subsets()->add_customers("1");
            }),
            "inputs");
  EXPECT_EQ(FieldOfError([](auto& r) { r.add_subsets(); }), "subsets[0]");
  EXPECT_EQ(FieldOfError([](auto& r) {
              r.add_subsets()->add_customers("1");
              r.add_subsets()->add_customers("nowhere");
            }),
            "subsets[1].customers[0]");
  EXPECT_EQ(FieldOfError([](auto& r) {
              v1::CustomerSubset& subset = *r.add_subsets();
              for (int i = 0; i < 2; ++i) subset.add_customers("2");
            }),
            "subsets[0]");
  EXPECT_EQ(FieldOfError([](auto& r) {
              r.mutable_inputs(0)->mutable_instance()->mutable_customers(1)->set_demand(0, -1);
            }),
            "inputs[0].instance.customers[1].demand");
  EXPECT_EQ(
      FieldOfError([](auto& r) { r.mutable_inputs(0)->mutable_instance()->clear_customers(); }),
      "inputs[0].instance.customers");
  EXPECT_EQ(FieldOfError([](auto& r) { r.set_model("estimate"); }), "model");
}

TEST_F(EstimateServiceTest, RefusesCustomersThatCannotBeServed) {
  const grpc::Status status = Refusal([](auto& r) {
    r.mutable_inputs(0)->mutable_instance()->mutable_customers(2)->set_demand(0, 11);
  });
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("11 exceeds capacity 10"));
}

TEST_F(EstimateServiceTest, RefusesFeaturesThatEstimatesDoNotKnow) {
  const grpc::Status open = Refusal([](auto& r) {
    r.mutable_inputs(0)->mutable_instance()->mutable_vehicles(0)->set_open_end(true);
  });
  EXPECT_EQ(open.error_code(), grpc::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(open), "inputs[0].instance.vehicles[0].open_end");
  const grpc::Status matrix =
      Refusal([](auto& r) { *r.mutable_inputs(0)->mutable_instance() = AMatrixMessage(); });
  EXPECT_EQ(matrix.error_code(), grpc::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(matrix), "inputs[0].instance.distance_matrix");
}

TEST_F(EstimateServiceTest, RefusesModelsThatDoNotEstimate) {
  AddModel("routes");
  AddDispatchModel("waves");
  const auto refusal = [this](const std::string& model) {
    return Refusal([&](auto& r) { r.set_model(model); });
  };
  EXPECT_EQ(refusal("models/none").error_code(), grpc::NOT_FOUND);
  for (const char* const model : {"routes", "waves"}) {
    const grpc::Status status = refusal(Concat("models/", model));
    EXPECT_EQ(status.error_code(), grpc::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(), HasSubstr("wanted one that estimates costs"));
  }
}

TEST_F(EstimateServiceTest, DoesNotSolveWithAnEstimateModel) {
  v1::SolveRequest request;
  *request.mutable_instance() = ACvrpMessage();
  request.set_model("models/estimate-mixed");
  request.set_strategy(v1::STRATEGY_GREEDY);
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*v1::SolverService::NewStub(channel_), request, response);
  EXPECT_EQ(status.error_code(), grpc::FAILED_PRECONDITION) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("an estimate model"));
}

TEST_F(EstimateServiceTest, EndsAtShutdown) {
  v1::EstimateCostsRequest request;
  *request.add_inputs()->mutable_instance() = ACvrpMessage(900);
  v1::CustomerSubset subset;
  for (int c = 0; c < 900; ++c) {
    subset.add_customers(Concat("c", c));
    request.mutable_inputs(0)->mutable_instance()->mutable_customers(c)->set_id(Concat("c", c));
  }
  for (int s = 0; s < 3'000; ++s) *request.add_subsets() = subset;  // minutes of work
  grpc::Status status;
  std::thread call([&] { status = Estimate(request); });
  while (!Estimates()) continue;
  Stop();
  call.join();
  EXPECT_EQ(status.error_code(), grpc::UNAVAILABLE) << status.error_message();
}

}  // namespace
}  // namespace vrp::test
