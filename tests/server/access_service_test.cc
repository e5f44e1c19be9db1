// Tests tokens and limits of a running daemon.
#include <sys/stat.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/access/rpc_roles.h"
#include "server/access/token_file.h"
#include "server/support/logging.h"
#include "tests/server/all_methods.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
#include "vrp/v1/dataset_service.grpc.pb.h"
#include "vrp/v1/options.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

TEST(RpcOptions, DefineRoleAndWorkClassOfEveryRpc) {
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    const v1::RpcOptions& options = method->options().GetExtension(v1::rpc);
    EXPECT_NE(options.role(), v1::ROLE_UNSPECIFIED)
        << method->full_name() << ": state option (rpc) = {role: ...} in the proto";
    EXPECT_NE(options.work(), v1::WORK_CLASS_UNSPECIFIED)
        << method->full_name() << ": state option (rpc) = {work: ...} in the proto";
    if (method->client_streaming()) {
      EXPECT_EQ(options.max_request_bytes(), 0) << method->full_name();
    }
    EXPECT_TRUE(RequiredRole(PathOf(*method)).has_value()) << method->full_name();
  }
}

TEST(RpcOptions, DefineTheRequiredRole) {
  EXPECT_EQ(RequiredRole("/vrp.v1.SystemService/GetServerInfo"), Role::kRead);
  EXPECT_EQ(RequiredRole("/vrp.v1.SolverService/Solve"), Role::kSolve);
  EXPECT_EQ(RequiredRole("/vrp.v1.ModelService/ImportModel"), Role::kTrain);
  EXPECT_EQ(RequiredRole("/vrp.v1.SystemService/SetLogLevel"), Role::kAdmin);
}

class AccessTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.tokens = folder_.File("tokens");
    std::string lines;
    for (const Role role : {Role::kRead, Role::kSolve, Role::kTrain, Role::kAdmin}) {
      lines += TokenLine(role, RoleName(role)) + "\n";
    }
    ASSERT_TRUE(AtomicWriteFile(vrpd_.tokens, lines).ok());
    ASSERT_EQ(chmod(vrpd_.tokens.c_str(), 0600), 0);
    Start();
  }

  // Returns the status of a call with an empty message. Sends no token if `token` is empty.
  grpc::Status Call(const std::string& method, std::string_view token) {
    Context context;
    if (!token.empty()) context.AddMetadata("authorization", Concat("Bearer ", token));
    return CallByPath(channel_, context, method, {""});
  }
};

TEST_F(AccessTest, RefusesEveryRpcWithoutATokenOrWithTooLowARole) {
  std::vector<std::string> methods = {
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"};
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    methods.push_back(PathOf(*method));
  }
  for (const std::string& method : methods) {
    const Role role = RequiredRole(method).value();
    const grpc::Status none = Call(method, "");
    EXPECT_EQ(none.error_code(), grpc::StatusCode::UNAUTHENTICATED) << method;
    EXPECT_THAT(none.error_message(), HasSubstr(Concat("the role ", RoleName(role)))) << method;
    EXPECT_EQ(Call(method, "wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED) << method;
    if (role == Role::kRead) continue;
    const Role below = static_cast<Role>(static_cast<int>(role) - 1);
    EXPECT_EQ(Call(method, RoleName(below)).error_code(), grpc::StatusCode::PERMISSION_DENIED)
        << method;
  }
}

TEST_F(AccessTest, AcceptsATokenWithTheRole) {
  EXPECT_TRUE(Call("/vrp.v1.SystemService/GetServerInfo", "read").ok());
  EXPECT_TRUE(Call("/vrp.v1.ModelService/ListModels", "admin").ok());
  EXPECT_EQ(Call("/vrp.v1.SolverService/Solve", "solve").error_code(),
            grpc::StatusCode::INVALID_ARGUMENT)
      << "the token is accepted, but the request is empty";
  EXPECT_EQ(Call("/vrp.v1.SolverService/Explode", "admin").error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(AccessTest, CountsRefusalsByReasonAndLogsNoToken) {
  vrpd_.metrics_listen = "127.0.0.1:0";
  Start();
  testing::internal::CaptureStderr();
  StartLogging({});
  for (int i = 0; i < 3; ++i) Call("/vrp.v1.SystemService/GetServerInfo", "");
  for (int i = 0; i < 2; ++i) Call("/vrp.v1.SystemService/GetServerInfo", "vrp_guessed");
  Call("/vrp.v1.SolverService/Solve", "read");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("call refused"));
  EXPECT_THAT(log, HasSubstr("rpc=/vrp.v1.SystemService/GetServerInfo"));
  EXPECT_THAT(log, testing::Not(HasSubstr("vrp_guessed")));
  const std::string page =
      HttpGet(daemon_->metrics_address(), "/metrics", {.head = "Authorization: Bearer read\r\n"})
          .body;
  const std::string family = "vrp_refused_callers_total{code=";
  EXPECT_THAT(page, HasSubstr(family + "\"UNAUTHENTICATED\",reason=\"no_token\"} 3"));
  EXPECT_THAT(page, HasSubstr(family + "\"UNAUTHENTICATED\",reason=\"unknown_token\"} 2"));
  EXPECT_THAT(page, HasSubstr(family + "\"PERMISSION_DENIED\",reason=\"role\"} 1"));
}

TEST_F(AccessTest, AllowsHealthChecksWithoutAToken) {
  Context context;
  grpc::health::v1::HealthCheckResponse response;
  EXPECT_TRUE(grpc::health::v1::Health::NewStub(channel_)->Check(&context, {}, &response).ok());
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
}

TEST_F(AccessTest, ReloadsTokensWhileServing) {
  ASSERT_TRUE(AtomicWriteFile(vrpd_.tokens, TokenLine(Role::kAdmin, "fresh")).ok());
  ASSERT_EQ(chmod(vrpd_.tokens.c_str(), 0600), 0);
  EXPECT_EQ(Call("/vrp.v1.SystemService/GetServerInfo", "fresh").error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  daemon_->Reload();
  EXPECT_TRUE(Call("/vrp.v1.SystemService/GetServerInfo", "fresh").ok());
  EXPECT_EQ(Call("/vrp.v1.SystemService/GetServerInfo", "admin").error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

class LimitsTest : public DaemonTest {
 protected:
  grpc::Status Solve(const v1::SolveRequest& request) {
    Context context;
    v1::SolveResponse response;
    return v1::SolverService::NewStub(channel_)->Solve(&context, request, &response);
  }
  grpc::Status Generate(const v1::GenerateInstancesRequest& request) {
    Context context;
    v1::GenerateInstancesResponse message;
    const auto stream = v1::DatasetService::NewStub(channel_)->GenerateInstances(&context, request);
    while (stream->Read(&message)) {
    }
    return stream->Finish();
  }
  v1::Limits ReportedLimits() {
    Context context;
    v1::ServerInfo info;
    EXPECT_TRUE(v1::SystemService::NewStub(channel_)->GetServerInfo(&context, {}, &info).ok());
    return info.limits();
  }
};

TEST_F(LimitsTest, ReportsAndEnforcesLimits) {
  vrpd_.max_message_mib = 1;
  vrpd_.max_nodes = 4;
  vrpd_.max_budget_s = 2;
  vrpd_.max_solve_job_budget_s = 5;
  Start();
  const v1::Limits limits = ReportedLimits();
  EXPECT_EQ(limits.max_message_bytes(), 1 << 20);
  EXPECT_EQ(limits.max_nodes(), 4);
  EXPECT_EQ(limits.max_matrix_nodes(), 4);
  EXPECT_EQ(limits.max_budget_ms(), 2000);
  EXPECT_EQ(limits.max_solve_job_budget_ms(), 5000);
  EXPECT_EQ(limits.max_open_streams(), 1000);
  EXPECT_EQ(limits.max_connections(), 1000);
  EXPECT_EQ(limits.max_request_memory_bytes(), int64_t{1024} << 20);

  v1::GenerateInstancesRequest generate;
  generate.set_problem_type(v1::PROBLEM_TYPE_CVRP);
  generate.set_instance_count(1);
  generate.set_customer_count(4);
  const grpc::Status generated = Generate(generate);
  EXPECT_EQ(FieldOf(generated), "customer_count");
  EXPECT_THAT(generated.error_message(), HasSubstr("got 5 nodes, wanted at most 4"));
  generate.set_customer_count(3);
  EXPECT_TRUE(Generate(generate).ok());
  generate.set_problem_type(v1::PROBLEM_TYPE_TSP);
  generate.set_customer_count(4);
  EXPECT_TRUE(Generate(generate).ok());

  v1::SolveRequest large;
  *large.mutable_instance() = ACvrpMessage(4);
  const grpc::Status nodes = Solve(large);
  EXPECT_EQ(FieldOf(nodes), "instance.customers");
  EXPECT_THAT(nodes.error_message(), HasSubstr("got 5 nodes, wanted at most 4"));

  v1::SolveRequest slow;
  *slow.mutable_instance() = ACvrpMessage(3);
  slow.mutable_budget()->set_seconds(3);
  EXPECT_THAT(Solve(slow).error_message(), HasSubstr("budget: got 3s, wanted 1ms to 2s"));
  Context context;
  v1::CreateSolveJobRequest job;
  *job.mutable_solve() = slow;
  job.mutable_solve()->mutable_budget()->set_seconds(6);
  v1::SolveJob created;
  EXPECT_THAT(
      v1::SolverService::NewStub(channel_)->CreateSolveJob(&context, job, &created).error_message(),
      HasSubstr("budget: got 6s, wanted 1ms to 5s"));

  v1::SolveRequest heavy;
  heavy.mutable_file()->set_content(std::string(2 << 20, ' '));
  const grpc::Status message = Solve(heavy);
  EXPECT_EQ(message.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(message.error_message(), HasSubstr("1048576"));
}

TEST_F(LimitsTest, BoundsTheTotalNumberOfStreams) {
  vrpd_.max_open_streams = 2;
  Start();
  const auto stub = v1::SolverService::NewStub(channel_);
  Context first, second, third;
  const auto one = stub->BatchSolve(&first);
  const auto two = stub->BatchSolve(&second);
  // Both streams are open once the daemon has responded on each.
  for (const auto& stream : {one.get(), two.get()}) {
    v1::BatchSolveResponse response;
    ASSERT_TRUE(stream->Write(v1::BatchSolveRequest()));
    ASSERT_TRUE(stream->Read(&response));
  }
  const auto refused = stub->BatchSolve(&third);
  refused->WritesDone();
  v1::BatchSolveResponse response;
  EXPECT_FALSE(refused->Read(&response));
  const grpc::Status status = refused->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("2 streams are open"));
  for (const auto& stream : {one.get(), two.get()}) {
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
  }
}

}  // namespace
}  // namespace vrp::test
