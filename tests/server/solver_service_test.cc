#include <set>
#include <string>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "tests/server/solve_calls.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

class SolverServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    AddModel("net", 1);
    AddModel("net", 2);
    AddModel("other", 1);
    Start();
    solver_ = v1::SolverService::NewStub(channel_);
  }

  static v1::SolveRequest ARequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(8);
    request.mutable_budget()->set_nanos(20'000'000);
    return request;
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    return SolveOnce(*solver_, request, response_);
  }

  std::unique_ptr<v1::SolverService::Stub> solver_;
  v1::SolveResponse response_;
};

TEST_F(SolverServiceTest, SolvesBySearchWithoutAModel) {
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->set_reference_cost(10);
  request.set_render_solution_file(true);
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response_.feasible());
  EXPECT_EQ(response_.name(), "test");
  EXPECT_DOUBLE_EQ(response_.solution().cost(), 16);
  EXPECT_DOUBLE_EQ(response_.gap(), 0.6);
  EXPECT_EQ(response_.strategy(), v1::STRATEGY_SEARCH);
  EXPECT_EQ(response_.model(), "");
  EXPECT_EQ(response_.seed(), 1u);
  EXPECT_EQ(response_.metric(), v1::METRIC_EXACT);
  EXPECT_EQ(response_.budget().nanos(), 20'000'000);
  EXPECT_TRUE(response_.times().has_total());
  ASSERT_EQ(response_.solution().routes_size(), 1);
  const v1::Route& route = response_.solution().routes(0);
  EXPECT_EQ(route.stops(0).node(), 0);
  EXPECT_EQ(route.stops(route.stops_size() - 1).node(), 0);
  EXPECT_EQ(route.load(0), 8);
  EXPECT_THAT(response_.solution_file(), testing::StartsWith("Route #1:"));
}

TEST_F(SolverServiceTest, SolvesWithTheNewestVersionOfAModel) {
  v1::SolveRequest request = ARequest();
  request.set_model("models/net");
  request.set_strategy(v1::STRATEGY_GREEDY);
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.model(), "models/net/versions/2");
  EXPECT_EQ(response_.strategy(), v1::STRATEGY_GREEDY);
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_FINISHED);
  EXPECT_TRUE(response_.feasible());
}

TEST_F(SolverServiceTest, NamesTheFieldOfAnInvalidRequest) {
  v1::SolveRequest request = ARequest();
  request.set_model("models/nothing");
  EXPECT_EQ(Solve(request).error_code(), grpc::NOT_FOUND);
  request.set_model("models/net/versions/9");
  EXPECT_EQ(Solve(request).error_code(), grpc::NOT_FOUND);
  request.set_model("nothing");
  EXPECT_EQ(FieldOf(Solve(request)), "model");
  request = ARequest();
  request.set_strategy(v1::STRATEGY_GREEDY);
  EXPECT_EQ(Solve(request).error_code(), grpc::FAILED_PRECONDITION);
  request.clear_input();
  request.set_strategy(v1::STRATEGY_AUTO);
  EXPECT_EQ(FieldOf(Solve(request)), "instance");
  const auto field_of = [&](auto change) {
    v1::SolveRequest changed = ARequest();
    change(changed);
    const grpc::Status status = Solve(changed);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
    return FieldOf(status);
  };
  EXPECT_EQ(field_of([](auto& r) { r.set_threads(-1); }), "threads");
  EXPECT_EQ(field_of([](auto& r) { r.set_threads(3); }), "threads");
  EXPECT_EQ(field_of([](auto& r) { r.set_width(10'001); }), "width");
  EXPECT_EQ(field_of([](auto& r) { r.set_strategy(static_cast<v1::Strategy>(99)); }), "strategy");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_budget()->set_nanos(1); }), "budget");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_budget()->set_seconds(3601); }), "budget");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_budget()->set_nanos(-1); }), "budget");
  v1::SolveRequest unsupported = ARequest();
  AddUnknownField(*unsupported.mutable_instance()->mutable_vehicles(0));
  const grpc::Status status = Solve(unsupported);
  EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(status), "vehicles[0]");
}

TEST_F(SolverServiceTest, StartsFromAGivenPlanAndKeepsFrozenStops) {
  v1::SolveRequest request = ARequest();
  request.mutable_instance()->mutable_vehicles(0)->set_capacity(0, 4);
  v1::Route& route = *request.mutable_initial_solution()->add_routes();
  for (const int32_t node : {8, 1}) route.add_stops()->set_node(node);
  route.set_frozen_stops(2);
  const auto expect_kept = [](const v1::SolveResponse& response) {
    EXPECT_TRUE(response.feasible());
    EXPECT_EQ(response.initial_solution().kept_customers(), 2);
    EXPECT_EQ(response.initial_solution().missing_customers(), 6);
    EXPECT_EQ(response.initial_solution().frozen_stops(), 2);
    int kept = 0;
    for (const v1::Route& answered : response.solution().routes()) {
      if (answered.frozen_stops() == 0) continue;
      ++kept;
      EXPECT_EQ(answered.stops(1).node(), 8);
      EXPECT_EQ(answered.stops(2).node(), 1);
    }
    EXPECT_EQ(kept, 1);
  };
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  expect_kept(response_);

  expect_kept(SolveInAStream(*solver_, request));
  expect_kept(SolveInABatch(*solver_, request));

  v1::CheckSolutionRequest check;
  *check.mutable_instance() = request.instance();
  *check.mutable_initial_solution() = request.initial_solution();
  *check.mutable_solution() = response_.solution();
  v1::CheckSolutionResponse checked;
  Context check_context;
  ASSERT_TRUE(solver_->CheckSolution(&check_context, check, &checked).ok());
  EXPECT_TRUE(checked.feasible());
  for (v1::Route& changed : *check.mutable_solution()->mutable_routes()) {
    if (changed.frozen_stops() > 0) changed.mutable_stops()->SwapElements(1, 2);
  }
  check.mutable_solution()->clear_cost();  // the cost of the plan changed
  Context changed_context;
  ASSERT_TRUE(solver_->CheckSolution(&changed_context, check, &checked).ok());
  ASSERT_EQ(checked.violations_size(), 1);
  EXPECT_EQ(checked.violations(0).kind(), "frozen_stops");

  request.set_strategy(v1::STRATEGY_MULTI_START);
  request.set_model("models/net");
  EXPECT_EQ(FieldOf(Solve(request)), "initial_solution");
  request.set_strategy(v1::STRATEGY_SEARCH);
  route.mutable_stops(0)->set_id("nobody");
  EXPECT_EQ(FieldOf(Solve(request)), "initial_solution.routes[0].stops[0].id");
}

TEST_F(SolverServiceTest, EndsAtAnEarlierDeadline) {
  v1::SolveRequest request = ARequest();
  *request.mutable_instance() = ACvrpMessage(200);
  request.mutable_budget()->set_seconds(3000);
  grpc::Status status;
  // The daemon has 20 ms for the response. Repeats the call while a busy machine takes longer.
  const auto end = TestDeadline();
  do {
    grpc::ClientContext context;
    const auto now = std::chrono::system_clock::now();
    context.set_deadline(now + std::chrono::milliseconds(500));
    status = solver_->Solve(&context, request, &response_);
    if (now > end) break;
  } while (status.error_code() == grpc::DEADLINE_EXCEEDED ||
           status.error_code() == grpc::RESOURCE_EXHAUSTED);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_DEADLINE);
}

TEST_F(SolverServiceTest, StopsACancelledSolveAndTakesTheNextRequest) {
  v1::SolveRequest endless = ARequest();
  *endless.mutable_instance() = ACvrpMessage(200);
  endless.mutable_budget()->set_seconds(3000);
  // Each cancelled call must free its solve thread. Otherwise the last request would wait for 50
  // minutes.
  for (int i = 0; i < 2; ++i) {
    Context context;
    grpc::CompletionQueue queue;
    auto call = solver_->AsyncSolve(&context, endless, &queue);
    grpc::Status status;
    v1::SolveResponse response;
    call->Finish(&response, &status, nullptr);
    context.TryCancel();
    context.TryCancel();
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(status.error_code(), grpc::CANCELLED);
  }
  const grpc::Status status = SolveWhenFree(*solver_, ARequest());
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(SolverServiceTest, ChecksAPlanAndReportsItsViolations) {
  v1::CheckSolutionRequest request;
  *request.mutable_instance() = ACvrpMessage(3);
  v1::Route& route = *request.mutable_solution()->add_routes();
  for (const int node : {0, 1, 2, 2, 99}) route.add_stops()->set_node(node);
  request.mutable_solution()->set_cost(5);
  Context context;
  v1::CheckSolutionResponse response;
  ASSERT_TRUE(solver_->CheckSolution(&context, request, &response).ok());
  EXPECT_FALSE(response.feasible());
  std::set<std::string> kinds;
  for (const v1::Violation& violation : response.violations()) kinds.insert(violation.kind());
  EXPECT_TRUE(kinds.count("duplicate_customer") && kinds.count("unknown_node") &&
              kinds.count("missing_customer"));
  EXPECT_FALSE(response.has_solution()) << "a node number is out of range";

  request.mutable_solution_file()->set_content("Route #1: 1 2 3\nCost 6\n");
  Context again;
  ASSERT_TRUE(solver_->CheckSolution(&again, request, &response).ok());
  EXPECT_TRUE(response.feasible());
  EXPECT_EQ(response.cost(), 6);
  EXPECT_EQ(response.solution().routes(0).stops_size(), 5);

  request.mutable_solution_file()->set_content("Route #1: 1 two 3\n");
  Context third;
  const grpc::Status status = solver_->CheckSolution(&third, request, &response);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "solution_file.content");
}

TEST_F(SolverServiceTest, ReturnsAllErrorsOfAnInstance) {
  v1::ValidateInstanceRequest request;
  *request.mutable_instance() = ACvrpMessage(3);
  const auto validate = [&] {
    Context context;
    v1::ValidateInstanceResponse response;
    EXPECT_TRUE(solver_->ValidateInstance(&context, request, &response).ok());
    return response;
  };
  EXPECT_TRUE(validate().valid());
  EXPECT_EQ(validate().customer_count(), 3);
  EXPECT_EQ(validate().problem_type(), v1::PROBLEM_TYPE_CVRP);
  request.mutable_instance()->mutable_customers(0)->set_demand(0, 42);
  request.mutable_instance()->mutable_customers(1)->set_service_time(-1);
  AddUnknownField(*request.mutable_instance()->mutable_customers(2));
  EXPECT_FALSE(validate().valid());
  EXPECT_THAT(validate().errors(),
              testing::ElementsAre(testing::StartsWith("customers[1].service_time: got -1"),
                                   "customers[0].demand: 42 exceeds vehicle capacity 10"));
  EXPECT_THAT(validate().unsupported_features(),
              testing::ElementsAre(testing::StartsWith("customers[2]: ")));
  request.mutable_file()->set_name("a.vrp");
  request.mutable_file()->set_content("DIMENSION : many\n");
  EXPECT_THAT(validate().errors(), testing::ElementsAre(testing::StartsWith("a.vrp:1")));
  request.mutable_file()->set_content(R"({"kind": "cvrp", "coords": [[0, 0], [1, 0]],
                                          "demands": [0, 9], "capacity": 8})");
  EXPECT_THAT(validate().errors(),
              testing::ElementsAre("a.vrp: customers[0].demand: 9 exceeds vehicle capacity 8"));
}

TEST_F(SolverServiceTest, ListsModelsInPages) {
  const auto models = v1::ModelService::NewStub(channel_);
  v1::ListModelsRequest request;
  request.set_page_size(1);
  std::vector<std::string> names;
  do {
    Context context;
    v1::ListModelsResponse response;
    ASSERT_TRUE(models->ListModels(&context, request, &response).ok());
    ASSERT_EQ(response.models_size(), 1);
    names.push_back(response.models(0).name());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(names, testing::ElementsAre("models/net/versions/2", "models/net/versions/1",
                                          "models/other/versions/1"));
  for (const char* token : {"x", "!!!", "bW9kZWxzL25ldA"}) {
    Context context;
    v1::ListModelsResponse response;
    request.set_page_token(token);
    EXPECT_EQ(FieldOf(models->ListModels(&context, request, &response)), "page_token");
  }
}

TEST_F(SolverServiceTest, GeneratesTheSameInstancesEachTime) {
  const auto datasets = v1::DatasetService::NewStub(channel_);
  v1::GenerateInstancesRequest request;
  request.set_problem_type(v1::PROBLEM_TYPE_CVRP);
  request.set_customer_count(20);
  request.set_instance_count(300);
  request.set_seed(5);
  const auto read = [&] {
    Context context;
    std::vector<std::string> lines;
    v1::GenerateInstancesResponse response;
    const auto stream = datasets->GenerateInstances(&context, request);
    while (stream->Read(&response)) lines.push_back(response.file().content());
    EXPECT_TRUE(stream->Finish().ok());
    return lines;
  };
  const auto first = read();
  EXPECT_EQ(first.size(), 300u);
  EXPECT_EQ(first, read());
  request.set_instance_count(0);
  Context context;
  EXPECT_EQ(FieldOf(datasets->GenerateInstances(&context, request)->Finish()), "instance_count");
}

TEST_F(SolverServiceTest, ReturnsVersionDevicesAndLimits) {
  Context context;
  v1::ServerInfo info;
  ASSERT_TRUE(v1::SystemService::NewStub(channel_)->GetServerInfo(&context, {}, &info).ok());
  EXPECT_FALSE(info.version().empty());
  EXPECT_FALSE(info.git_commit().empty());
  EXPECT_EQ(info.threads(), 2);
  EXPECT_EQ(info.default_device(), "cpu");
  EXPECT_GE(info.devices_size(), 1);
  EXPECT_EQ(info.limits().max_message_bytes(), 64 << 20);
  EXPECT_EQ(info.limits().max_budget_ms(), 3'600'000);
  std::vector<const google::protobuf::FieldDescriptor*> limits;
  info.limits().GetReflection()->ListFields(info.limits(), &limits);
  EXPECT_EQ(std::ssize(limits), v1::Limits::descriptor()->field_count());
}

}  // namespace
}  // namespace vrp::test
