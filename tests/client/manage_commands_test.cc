// Tests `models alias`, `unalias`, `load`, `unload` and `delete`, and `server backup`.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

// SHA-256 of "0123456789", computed by sha256sum.
constexpr char kDigest[] = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882";

TEST(ModelsAliasCommand, SetsAndMovesAnAlias) {
  FakeHandlers handlers;
  handlers.set_alias = [](const v1::SetModelAliasRequest& request, const FakeCall&) {
    v1::SetModelAliasResponse response;
    response.set_model(absl::StrCat(request.name(), "=", request.version()));
    if (request.version() > 1) response.set_previous_model("models/net/versions/1");
    return absl::StatusOr<v1::SetModelAliasResponse>(response);
  };
  FakeServer server(handlers);
  const auto json = RunJson(server, {"models", "alias", "net@production", "2"}).OutJson().at(0);
  EXPECT_EQ(json["name"], "models/net/aliases/production");
  EXPECT_EQ(json["model"], "models/net/aliases/production=2");
  EXPECT_EQ(json["previous_model"], "models/net/versions/1");
  const CommandResult result =
      RunCommand({"models", "alias", "models/net/aliases/blue", "1", "--remote", server.address()});
  EXPECT_EQ(result.out, "models/net/aliases/blue: models/net/aliases/blue=1\n");
  for (const auto& wrong : std::vector<std::vector<std::string>>{
           {"net", "2"}, {"net@2", "2"}, {"net@blue", "0"}, {"net@blue", "x"}, {"net@blue"}}) {
    std::vector<std::string> words = {"models", "alias"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(RunJson(server, words).code, 2) << wrong.front();
  }
}

TEST(ModelsManageCommands, SendResourceNames) {
  FakeHandlers handlers;
  std::string deleted;
  handlers.delete_alias = [&](const v1::DeleteModelAliasRequest& request, const FakeCall&) {
    deleted = request.name();
    return absl::StatusOr<v1::DeleteModelAliasResponse>(v1::DeleteModelAliasResponse());
  };
  handlers.delete_version = [](const v1::DeleteModelVersionRequest&,
                               const FakeCall&) -> absl::StatusOr<v1::DeleteModelVersionResponse> {
    return absl::FailedPreconditionError("the alias blue names it");
  };
  handlers.load_model = [](const v1::LoadModelRequest& request, const FakeCall&) {
    v1::Model model;
    model.set_name(request.name());
    model.set_loaded(true);
    model.set_live(true);
    model.add_aliases("blue");
    return absl::StatusOr<v1::Model>(model);
  };
  handlers.unload_model = [](const v1::UnloadModelRequest& request, const FakeCall&) {
    v1::UnloadModelResponse response;
    if (request.name() == "models/net") response.add_unloaded_models("models/net/versions/4");
    return absl::StatusOr<v1::UnloadModelResponse>(response);
  };
  FakeServer server(handlers);
  EXPECT_EQ(RunJson(server, {"models", "unalias", "net@blue"}).code, 0);
  EXPECT_EQ(deleted, "models/net/aliases/blue");
  const auto loaded = RunJson(server, {"models", "load", "net@blue"}).OutJson().at(0);
  EXPECT_EQ(loaded["name"], "models/net/aliases/blue");
  EXPECT_EQ(loaded["loaded"], true);
  EXPECT_EQ(loaded["live"], true);
  EXPECT_EQ(loaded["aliases"][0], "blue");
  const auto unloaded = RunJson(server, {"models", "unload", "net"}).OutJson().at(0);
  EXPECT_EQ(unloaded["unloaded"][0], "models/net/versions/4");
  EXPECT_THAT(RunCommand({"models", "unload", "other", "--remote", server.address()}).out,
              HasSubstr("models/other: was not loaded"));
  const CommandResult refused = RunJson(server, {"models", "delete", "net@4"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("the alias blue names it"));
  EXPECT_EQ(RunJson(server, {"models", "delete", "net"}).code, 2);
}

// Returns handlers that send ten bytes in two chunks and then a summary with `sha256`. If
// `complete` is false, they fail after the first chunk.
FakeHandlers BackupHandlers(std::string sha256, bool complete = true) {
  FakeHandlers handlers;
  handlers.backup = [sha256, complete](
                        const v1::BackupServerRequest&,
                        absl::FunctionRef<bool(const v1::BackupServerResponse&)> write) {
    v1::BackupServerResponse message;
    message.set_total_bytes(10);
    message.set_data("01234");
    write(message);
    if (!complete) return absl::UnavailableError("gone");
    message.set_data("56789");
    write(message);
    message.clear_data();
    message.mutable_summary()->set_sha256(sha256);
    message.mutable_summary()->set_model_count(3);
    write(message);
    return absl::OkStatus();
  };
  return handlers;
}

TEST(ServerBackupCommand, WritesTheArchiveAndPrintsItsDigest) {
  FakeServer server(BackupHandlers(kDigest));
  const std::string path = TestPath("whole.tar");
  const auto json = RunJson(server, {"server", "backup", path}).OutJson().at(0);
  EXPECT_EQ(json["bytes"], 10);
  EXPECT_EQ(json["sha256"], kDigest);
  EXPECT_EQ(json["models"], 3);
  EXPECT_EQ(ReadTestFile(path), "0123456789");
  EXPECT_THAT(RunCommand({"server", "backup", path, "--remote", server.address()}).out,
              HasSubstr(absl::StrCat("vrpd --restore ", path, " --state-dir")));
}

TEST(ServerBackupCommand, LeavesNoFileIfDataIsMissingOrCorrupt) {
  const std::string path = TestPath("none.tar");
  {
    FakeServer server(BackupHandlers(std::string(64, '0')));
    const CommandResult result = RunJson(server, {"server", "backup", path});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("the received data has SHA-256 84d8"));
  }
  {
    FakeServer server(BackupHandlers(kDigest, /*complete=*/false));
    EXPECT_NE(RunJson(server, {"server", "backup", path}).code, 0);
  }
  EXPECT_EQ(ReadTestFile(path), "<missing>");
}

}  // namespace
}  // namespace vrp::client
