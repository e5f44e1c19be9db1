// Provokes every status code of Solve, StreamSolve and BatchSolve that the proto documents.
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/base/stop_status.h"
#include "gmock/gmock.h"
#include "server/access/token_file.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

// More customers than in the instances with which the daemon tests a model when loading it.
constexpr int kCustomers = 12;

// A policy that is slow, or returns wrong plans, for instances of at least kCustomers customers.
class FaultyPolicy final : public Policy {
 public:
  explicit FaultyPolicy(bool slow) : slow_(slow) {}
  const PolicyInfo& info() const override { return nearest_neighbour_.info(); }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    if (batch.front().num_customers() < kCustomers)
      return nearest_neighbour_.Decode(batch, options);
    if (!slow_) return std::vector<DecodedPlan>(batch.size(), DecodedPlan{.plan = {{0, {1, 1}}}});
    while (!options.stop.ShouldStop()) absl::SleepFor(absl::Milliseconds(1));
    return StopStatus(options.stop.Check());
  }

 private:
  NearestNeighbourPolicy nearest_neighbour_;
  const bool slow_;
};

enum class Rpc { kSolve, kStreamSolve, kBatchSolve };
constexpr Rpc kRpcs[] = {Rpc::kSolve, Rpc::kStreamSolve, Rpc::kBatchSolve};

std::string NameOf(Rpc rpc) {
  return rpc == Rpc::kSolve ? "Solve" : rpc == Rpc::kStreamSolve ? "StreamSolve" : "BatchSolve";
}

class StatusCodesTest : public DaemonTest {
 public:
  // Returns a request that runs as long as its caller waits.
  static v1::SolveRequest ALongRequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(kCustomers);
    request.mutable_budget()->set_seconds(600);
    return request;
  }
  static v1::SolveRequest AGreedyRequest(const std::string& model) {
    v1::SolveRequest request = ALongRequest();
    request.set_model("models/" + model);
    request.set_strategy(v1::STRATEGY_GREEDY);
    return request;
  }

  // Returns the code of the call, or of the only request of a batch.
  grpc::StatusCode Call(Rpc rpc, const v1::SolveRequest& request, grpc::ClientContext& context) {
    const auto solver = v1::SolverService::NewStub(channel_);
    if (rpc == Rpc::kSolve) {
      v1::SolveResponse response;
      return solver->Solve(&context, request, &response).error_code();
    }
    if (rpc == Rpc::kStreamSolve) {
      const auto stream = solver->StreamSolve(&context, request);
      for (v1::StreamSolveResponse message; stream->Read(&message);) continue;
      return stream->Finish().error_code();
    }
    const auto batch = solver->BatchSolve(&context);
    v1::BatchSolveRequest one;
    *one.mutable_solve() = request;
    v1::BatchSolveResponse response;
    batch->Write(one);
    batch->WritesDone();
    const bool answered = batch->Read(&response);
    const grpc::Status status = batch->Finish();
    if (!status.ok() || !answered) return status.error_code();
    return static_cast<grpc::StatusCode>(response.error().code());
  }
  grpc::StatusCode Call(Rpc rpc, const v1::SolveRequest& request) {
    Context context;
    return Call(rpc, request, context);
  }
  grpc::StatusCode CallWithToken(Rpc rpc, const std::string& token) {
    Context context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return Call(rpc, ALongRequest(), context);
  }

  void StartWithModels() {
    loader_ = [](const std::string& folder, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
      return std::make_unique<FaultyPolicy>(absl::StrContains(folder, "/slow/"));
    };
    AddModel("slow");
    AddModel("wrong");
    Start();
  }
  void StartWithTokens() {
    vrpd_.tokens = folder_.File("tokens");
    ASSERT_TRUE(AtomicWriteFile(vrpd_.tokens, TokenLine(Role::kRead, "read") + "\n").ok());
    ASSERT_EQ(chmod(vrpd_.tokens.c_str(), 0600), 0);
    Start();
  }
  void StartWithDamagedModel() {
    StartWithModels();
    ASSERT_TRUE(
        AtomicWriteFile(Concat(folder_.path(), "/models/wrong/1/", kWeightsFile), "others").ok());
  }
  void StartWithSmallMessages() {
    vrpd_.max_message_mib = 1;
    Start();
  }
  using DaemonTest::Start;
  using DaemonTest::Stop;
};

struct CodeCase {
  std::string code;
  grpc::StatusCode number;
  std::function<grpc::StatusCode(StatusCodesTest&, Rpc)> provoke;
};

grpc::StatusCode AskForTooManyThreads(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  v1::SolveRequest request = StatusCodesTest::ALongRequest();
  request.set_threads(1'000'000);
  return test.Call(rpc, request);
}

grpc::StatusCode SetAnUnknownField(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  v1::SolveRequest request = StatusCodesTest::ALongRequest();
  AddUnknownField(*request.mutable_instance());
  return test.Call(rpc, request);
}

grpc::StatusCode NameNoModel(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  v1::SolveRequest request = StatusCodesTest::ALongRequest();
  request.set_strategy(v1::STRATEGY_GREEDY);
  return test.Call(rpc, request);
}

grpc::StatusCode NameAnAbsentModel(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  return test.Call(rpc, StatusCodesTest::AGreedyRequest("absent"));
}

grpc::StatusCode SendALargeMessage(StatusCodesTest& test, Rpc rpc) {
  test.StartWithSmallMessages();
  v1::SolveRequest request;
  request.mutable_file()->set_content(std::string(2 << 20, 'x'));
  return test.Call(rpc, request);
}

grpc::StatusCode SetAShortDeadline(StatusCodesTest& test, Rpc rpc) {
  test.StartWithModels();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  v1::SolveRequest request = StatusCodesTest::AGreedyRequest("slow");
  request.set_network_only(true);  // without this, search would find a plan in time
  return test.Call(rpc, request, context);
}

grpc::StatusCode CancelTheCall(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  Context context;
  std::thread canceller([&] {
    absl::SleepFor(absl::Milliseconds(100));
    context.TryCancel();
  });
  const grpc::StatusCode code = test.Call(rpc, StatusCodesTest::ALongRequest(), context);
  canceller.join();
  return code;
}

grpc::StatusCode SendNoToken(StatusCodesTest& test, Rpc rpc) {
  test.StartWithTokens();
  return test.CallWithToken(rpc, "");
}

grpc::StatusCode SendATokenThatMayOnlyRead(StatusCodesTest& test, Rpc rpc) {
  test.StartWithTokens();
  return test.CallWithToken(rpc, "read");
}

grpc::StatusCode NameADamagedModel(StatusCodesTest& test, Rpc rpc) {
  test.StartWithDamagedModel();
  return test.Call(rpc, StatusCodesTest::AGreedyRequest("wrong"));
}

grpc::StatusCode CallAStoppedDaemon(StatusCodesTest& test, Rpc rpc) {
  test.Start();
  test.Stop();
  return test.Call(rpc, StatusCodesTest::ALongRequest());
}

grpc::StatusCode GetAWrongPlan(StatusCodesTest& test, Rpc rpc) {
  test.StartWithModels();
  return test.Call(rpc, StatusCodesTest::AGreedyRequest("wrong"));
}

const std::vector<CodeCase>& AllCodeCases() {
  static const auto* const all = new std::vector<CodeCase>{
      {"INVALID_ARGUMENT", grpc::INVALID_ARGUMENT, AskForTooManyThreads},
      {"UNIMPLEMENTED", grpc::UNIMPLEMENTED, SetAnUnknownField},
      {"NOT_FOUND", grpc::NOT_FOUND, NameAnAbsentModel},
      {"FAILED_PRECONDITION", grpc::FAILED_PRECONDITION, NameNoModel},
      {"RESOURCE_EXHAUSTED", grpc::RESOURCE_EXHAUSTED, SendALargeMessage},
      {"DEADLINE_EXCEEDED", grpc::DEADLINE_EXCEEDED, SetAShortDeadline},
      {"CANCELLED", grpc::CANCELLED, CancelTheCall},
      {"UNAUTHENTICATED", grpc::UNAUTHENTICATED, SendNoToken},
      {"PERMISSION_DENIED", grpc::PERMISSION_DENIED, SendATokenThatMayOnlyRead},
      {"DATA_LOSS", grpc::DATA_LOSS, NameADamagedModel},
      {"UNAVAILABLE", grpc::UNAVAILABLE, CallAStoppedDaemon},
      {"INTERNAL", grpc::INTERNAL, GetAWrongPlan}};
  return *all;
}

// Returns the comment right before `rpc NAME(` in the proto.
std::string CommentOf(Rpc rpc) {
  const char* root = std::getenv("VRP_SOURCE_DIR");
  std::ifstream file(Concat(root == nullptr ? "." : root, "/proto/vrp/v1/solver_service.proto"));
  EXPECT_TRUE(file.is_open());
  std::string comment;
  for (std::string line; std::getline(file, line);) {
    if (absl::StrContains(line, Concat("rpc ", NameOf(rpc), "("))) return comment;
    if (absl::StartsWith(line, "  //")) {
      comment += line.substr(4) + "\n";
    } else {
      comment.clear();
    }
  }
  ADD_FAILURE() << "solver_service.proto: got no rpc " << NameOf(rpc);
  return "";
}

// Returns the codes that the comment of `rpc` documents, as in `CODE: remedy` or
// `CODE, CODE: remedy`. They include those of Solve, to which the other comments refer.
std::set<std::string> DocumentedCodes(Rpc rpc) {
  const std::string comment = CommentOf(rpc);
  std::set<std::string> codes;
  if (rpc != Rpc::kSolve) {
    EXPECT_TRUE(std::regex_search(comment, std::regex("Errors.*as for Solve")));
    codes = DocumentedCodes(Rpc::kSolve);
  }
  const std::regex entry("^ ([A-Z_]+(?:, [A-Z_]+)*): \\S");
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, entry)) continue;
    for (const absl::string_view code : absl::StrSplit(match[1].str(), ", ")) {
      codes.emplace(code);
    }
  }
  return codes;
}

class EachStatusCodeTest : public StatusCodesTest,
                           public testing::WithParamInterface<std::tuple<CodeCase, Rpc>> {};

TEST_P(EachStatusCodeTest, ReturnsTheDocumentedCode) {
  const auto& [provoked, rpc] = GetParam();
  EXPECT_EQ(provoked.provoke(*this, rpc), provoked.number);
  EXPECT_THAT(DocumentedCodes(rpc), testing::Contains(provoked.code));
}

INSTANTIATE_TEST_SUITE_P(All, EachStatusCodeTest,
                         testing::Combine(testing::ValuesIn(AllCodeCases()),
                                          testing::ValuesIn(kRpcs)),
                         [](const auto& test) {
                           return NameOf(std::get<1>(test.param)) + "_" +
                                  std::get<0>(test.param).code;
                         });

TEST(StatusCodeCases, CoverAllDocumentedCodes) {
  std::set<std::string> provoked;
  for (const CodeCase& each : AllCodeCases()) provoked.insert(each.code);
  for (const Rpc rpc : kRpcs) EXPECT_EQ(DocumentedCodes(rpc), provoked) << NameOf(rpc);
}

}  // namespace
}  // namespace vrp::test
