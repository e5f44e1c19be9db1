// Tests the check of arguments, the folders that tools may read, and the estimates of the
// remaining time.
#include <filesystem>

#include "client/mcp/estimates.h"
#include "client/mcp/folders.h"
#include "client/mcp/schema.h"
#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json ASchema() {
  return ArgumentsSchema(
      {{"seconds", NumberProperty("", 0.5, 60)},
       {"count", WholeNumberProperty("", 1, 10)},
       {"word", EnumProperty("", {"red", "blue"})},
       {"on", FlagProperty("")},
       {"labels", {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}},
       {"texts", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
      {"word"});
}

TEST(McpSchema, AcceptsValidArguments) {
  EXPECT_THAT(SchemaFaults(ASchema(), {{"word", "red"},
                                       {"seconds", 60},
                                       {"count", 2.0},
                                       {"on", true},
                                       {"labels", {{"team", "north"}}},
                                       {"texts", {"a", "b"}}}),
              IsEmpty());
}

TEST(McpSchema, NamesEveryFault) {
  EXPECT_THAT(SchemaFaults(ASchema(), {{"seconds", 500},
                                       {"count", 1.5},
                                       {"on", "yes"},
                                       {"labels", {{"team", 1}}},
                                       {"texts", {"a", 2}},
                                       {"speed", 1}}),
              ElementsAre("seconds: got 500, wanted at most 60",
                          "count: got 1.5, wanted a value of type integer",
                          "on: got \"yes\", wanted a value of type boolean",
                          "labels.team: got 1, wanted a value of type string",
                          "texts[1]: got 2, wanted a value of type string",
                          "speed: unknown argument, wanted seconds, count, word, on, labels, texts",
                          "word: missing"));
  EXPECT_THAT(SchemaFaults(ASchema(), {{"word", "green"}, {"seconds", 0}}),
              ElementsAre("word: got \"green\", wanted one of red, blue",
                          "seconds: got 0, wanted at least 0.5"));
  EXPECT_THAT(SchemaFaults(ASchema(), Json::array()),
              ElementsAre("arguments: got [], wanted a value of type object"));
}

class McpFolders : public testing::Test {
 protected:
  McpFolders() {
    std::filesystem::create_directories(TestPath("inside/deeper"));
    std::filesystem::create_directories(TestPath("inside2"));
  }
  const std::string inside_ = TestPath("inside");
};

TEST_F(McpFolders, ReadsFilesInsideTheFolders) {
  WriteTestFile("inside/deeper/city.vrp", "text");
  const absl::StatusOr<Folders> folders = Folders::Create({inside_});
  ASSERT_TRUE(folders.ok());
  EXPECT_EQ(*folders->Read(inside_ + "/deeper/../deeper/city.vrp"), "text");
}

TEST_F(McpFolders, RefusesPathsThatLeadOutside) {
  const std::string outside = WriteTestFile("inside2/secret.vrp", "secret");
  std::filesystem::create_symlink(outside, TestPath("inside/link.vrp"));
  const absl::StatusOr<Folders> folders = Folders::Create({inside_});
  ASSERT_TRUE(folders.ok());
  for (const std::string& path :
       {outside, inside_ + "/../inside2/secret.vrp", inside_ + "/link.vrp", inside_,
        inside_ + "/../inside2/missing.vrp", std::string("secret.vrp"), std::string("-"),
        std::string()}) {
    const absl::Status status = folders->Read(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << path;
    EXPECT_THAT(std::string(status.message()), HasSubstr(inside_)) << path;
  }
  std::filesystem::remove(TestPath("inside/link.vrp"));
}

TEST_F(McpFolders, RefusesFoldersAndMissingFiles) {
  const absl::StatusOr<Folders> folders = Folders::Create({inside_});
  ASSERT_TRUE(folders.ok());
  for (const std::string& path : {inside_ + "/deeper", inside_ + "/missing.vrp"}) {
    const absl::Status status = folders->Read(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
  EXPECT_THAT(std::string(Folders::Create({inside_ + "/none"}).status().message()),
              HasSubstr("--allow-folder"));
}

TEST(McpEstimates, MultiplyThePaceByTheRemainingEpochs) {
  v1::TrainingJob job;
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_progress() = AProgress(20);  // step 20 of 100, in 10 epochs
  job.mutable_progress()->clear_seconds_per_epoch();
  job.mutable_progress()->clear_seconds_per_step();
  EXPECT_FALSE(RemainingSeconds(job).has_value());
  job.mutable_progress()->set_seconds_per_step(2);
  EXPECT_DOUBLE_EQ(*RemainingSeconds(job), 160);
  job.mutable_progress()->set_seconds_per_epoch(30);
  EXPECT_DOUBLE_EQ(*RemainingSeconds(job), 240);
  job.mutable_spec()->set_epoch_limit(5);
  EXPECT_DOUBLE_EQ(*RemainingSeconds(job), 90);
  *job.mutable_spec()->mutable_time_limit() = ToProtoDuration(absl::Seconds(100));
  *job.mutable_run_time() = ToProtoDuration(absl::Seconds(60));
  EXPECT_DOUBLE_EQ(*RemainingSeconds(job), 40);
  job.set_state(v1::JOB_STATE_PAUSED);
  EXPECT_FALSE(RemainingSeconds(job).has_value());
}

TEST(McpEstimates, SubtractASolveJobsSearchTimeFromItsBudget) {
  v1::SolveJob job;
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_budget() = ToProtoDuration(absl::Seconds(60));
  *job.mutable_progress()->mutable_search_time() = ToProtoDuration(absl::Seconds(15));
  EXPECT_DOUBLE_EQ(*RemainingSeconds(job), 45);
  job.set_state(v1::JOB_STATE_QUEUED);
  EXPECT_FALSE(RemainingSeconds(job).has_value());
}

}  // namespace
}  // namespace vrp::client::mcp
