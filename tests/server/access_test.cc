// Tests access control without gRPC.
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/access/access_control.h"
#include "server/access/rpc_roles.h"
#include "server/access/tls_files.h"
#include "tests/testing/paths.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kSolve[] = "/vrp.v1.SolverService/Solve";
constexpr char kTrain[] = "/vrp.v1.TrainingService/CreateTrainingJob";
constexpr char kSecret[] = "vrp_secret";

// Links the protos, whose options state the roles.
[[maybe_unused]] const google::protobuf::Descriptor* const kLinked[] = {
    v1::SolveRequest::descriptor(), v1::CheckSolutionRequest::descriptor(),
    v1::CreateTrainingJobRequest::descriptor(), v1::ListModelsRequest::descriptor()};

class TokensTest : public testing::Test {
 protected:
  void Write(const std::string& text, mode_t mode = 0600) {
    ASSERT_TRUE(AtomicWriteFile(path_, text).ok());
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }
  absl::Status CreateError() { return AccessControl::Create(path_).status(); }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("tokens");
};

TEST_F(TokensTest, GrantsTheRoleAndLowerOnes) {
  Write(TokenLine(Role::kSolve, kSecret) + " the planner's\n");
  const auto access = AccessControl::Create(path_);
  ASSERT_TRUE(access.ok()) << access.status();
  const std::string header = Concat("Bearer ", kSecret);
  EXPECT_TRUE((*access)->Check(kSolve, header).status.ok());
  EXPECT_TRUE((*access)->Check("/vrp.v1.ModelService/ListModels", header).status.ok());
  EXPECT_TRUE((*access)->Check(kSolve, Concat("bearer ", kSecret)).status.ok());
  const AccessVerdict refusal = (*access)->Check(kTrain, header);
  EXPECT_EQ(refusal.reason, "role");
  const absl::Status& train = refusal.status;
  EXPECT_EQ(train.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(train.message(), Concat("the token's role is solve, and ", kTrain,
                                    " requires a token with the role train or a higher one"));
}

TEST_F(TokensTest, NamesTheRequiredRoleAndHidesTheTokenInRefusals) {
  Write(TokenLine(Role::kAdmin, kSecret));
  const auto access = AccessControl::Create(path_);
  ASSERT_TRUE(access.ok()) << access.status();
  for (const std::optional<std::string_view>& header : std::vector<std::optional<std::string_view>>{
           std::nullopt, "", "Bearer", "Bearer ", "Bearer vrp_secreT", "Bearer vrp_secret ",
           "Basic vrp_secret", "vrp_secret", std::string_view("Bearer vrp_secret\0", 18)}) {
    const absl::Status refused = (*access)->Check(kSolve, header).status;
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated) << header.value_or("none");
    EXPECT_THAT(std::string(refused.message()), HasSubstr("the role solve or a higher one"));
    EXPECT_THAT(std::string(refused.message()), Not(HasSubstr("vrp_secre")));
  }
}

TEST_F(TokensTest, ReturnsTheReasonOfARefusal) {
  Write(TokenLine(Role::kRead, kSecret));
  const auto access = AccessControl::Create(path_);
  ASSERT_TRUE(access.ok()) << access.status();
  const std::string header = Concat("Bearer ", kSecret);
  EXPECT_EQ((*access)->Check(kSolve, std::nullopt).reason, "no_token");
  EXPECT_EQ((*access)->Check(kSolve, "Basic abc").reason, "no_bearer");
  EXPECT_EQ((*access)->Check(kSolve, "Bearer abc").reason, "unknown_token");
  EXPECT_EQ((*access)->Check(kSolve, header).reason, "role");
  EXPECT_EQ((*access)->Check("/vrp.v1.ModelService/ListModels", header).reason, "ok");
}

TEST_F(TokensTest, GrantsTheHighestRoleOfARepeatedDigest) {
  Write(TokenLine(Role::kRead, kSecret) + "\n" + TokenLine(Role::kTrain, kSecret));
  const auto access = AccessControl::Create(path_);
  EXPECT_TRUE((*access)->Check(kTrain, Concat("Bearer ", kSecret)).status.ok());
}

TEST_F(TokensTest, KeepsTokensIfAReloadFails) {
  Write(TokenLine(Role::kAdmin, kSecret));
  const auto access = AccessControl::Create(path_);
  Write("nonsense");
  EXPECT_FALSE((*access)->Reload().ok());
  EXPECT_TRUE((*access)->Check(kSolve, Concat("Bearer ", kSecret)).status.ok());
  Write(TokenLine(Role::kAdmin, "another"));
  EXPECT_TRUE((*access)->Reload().ok());
  EXPECT_FALSE((*access)->Check(kSolve, Concat("Bearer ", kSecret)).status.ok());
  EXPECT_TRUE((*access)->Check(kSolve, "Bearer another").status.ok());
}

TEST_F(TokensTest, RefusesAFileThatOtherUsersCanAccess) {
  for (const mode_t mode : {0604, 0602, 0644, 0666}) {
    Write(TokenLine(Role::kAdmin, kSecret), mode);
    EXPECT_EQ(CreateError().code(), absl::StatusCode::kPermissionDenied) << mode;
    EXPECT_THAT(std::string(CreateError().message()), HasSubstr("chmod o-rwx " + path_));
  }
  Write(TokenLine(Role::kAdmin, kSecret), 0640);
  EXPECT_TRUE(CreateError().ok());
}

TEST_F(TokensTest, ReportsInvalidLinesWithoutTheirContent) {
  Write(Concat("# roles\n\nroot ", Sha256Hex("a"), "\nsolve ", kSecret, "\nread\n"));
  const std::string message(CreateError().message());
  EXPECT_THAT(message, HasSubstr(path_ + ":3: wanted read, solve, train or admin"));
  EXPECT_THAT(message, HasSubstr(path_ + ":4: wanted the token's SHA-256"));
  EXPECT_THAT(message, HasSubstr(path_ + ":5: wanted the token's SHA-256"));
  EXPECT_THAT(message, Not(HasSubstr(kSecret)));
  Write("# nobody\n");
  EXPECT_THAT(std::string(CreateError().message()), HasSubstr("has no token"));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_EQ(CreateError().code(), absl::StatusCode::kNotFound);
}

TEST(RpcRoles, RequiresAdminForUnknownRpcs) {
  EXPECT_EQ(RequiredRole("/vrp.v1.SolverService/Explode"), Role::kAdmin);
  EXPECT_EQ(RequiredRole(""), Role::kAdmin);
  EXPECT_EQ(RequiredRole("/grpc.health.v1.Health/Check"), std::nullopt);
}

TEST(TlsFiles, NamesAFileThatIsNotPem) {
  test::TempFolder folder;
  const std::string path = folder.File("text.pem");
  ASSERT_TRUE(AtomicWriteFile(path, "no certificate").ok());
  const auto text = ReadTlsFiles({.certificate = path, .key = path, .client_ca = ""}, absl::Now());
  EXPECT_THAT(std::string(text.status().message()),
              HasSubstr(path + ": holds no certificate in PEM form"));
  const auto absent =
      ReadTlsFiles({.certificate = "/nowhere.pem", .key = path, .client_ca = ""}, absl::Now());
  EXPECT_EQ(absent.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(absent.status().message()), HasSubstr("/nowhere.pem"));
}

}  // namespace
}  // namespace vrp
