#include "core/train/run/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public testing::Test {
 protected:
  void Write(int64_t step) {
    const Checkpoint checkpoint{.step = step,
                                .config_sha256 = "ab",
                                .scalars = {{"average", 0.1 * static_cast<double>(step)}},
                                .state = std::string(1000, static_cast<char>('a' + step % 26))};
    const absl::Status status = WriteCheckpoint(folder_, checkpoint);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string FilePath(int64_t step, const std::string& file) const {
    return folder_ + "/step-" + std::to_string(step) + "/" + file;
  }
  int64_t Newest() const {
    const auto checkpoint = ReadNewestCheckpoint(folder_);
    return checkpoint.ok() ? checkpoint->step : -1;
  }

  const test::TempFolder temporary_;
  const std::string folder_ = temporary_.path();
};

TEST_F(CheckpointTest, ReadsTheNewestCheckpoint) {
  Write(5);
  Write(20);
  const auto checkpoint = ReadNewestCheckpoint(folder_);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  EXPECT_EQ(checkpoint->step, 20);
  EXPECT_EQ(checkpoint->config_sha256, "ab");
  EXPECT_EQ(checkpoint->scalars.at("average"), 2.0);
  EXPECT_EQ(checkpoint->state, std::string(1000, 'u'));
}

TEST_F(CheckpointTest, KeepsTheTwoNewestCheckpoints) {
  for (const int64_t step : {1, 2, 3, 10}) Write(step);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"step-10", "step-3"}));
}

std::vector<int64_t> StepsIn(const std::string& folder) {
  std::vector<int64_t> steps;
  for (const auto& entry : fs::directory_iterator(folder)) {
    steps.push_back(std::stoll(entry.path().filename().string().substr(5)));
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

TEST_F(CheckpointTest, KeepsTheLastCheckpointAndThoseOfTheBestValidations) {
  const std::vector<std::pair<int64_t, double>> costs = {{1, 5.0}, {2, 3.0}, {3, 4.0},
                                                         {4, 9.0}, {5, 8.0}, {6, 7.0}};
  for (const auto& [step, cost] : costs) {
    EXPECT_EQ(IsAmongBest(folder_, cost, 2), step <= 3) << step;
    ASSERT_TRUE(WriteCheckpoint(folder_,
                                {.step = step,
                                 .config_sha256 = "ab",
                                 .scalars = {},
                                 .state = "x",
                                 .validation_cost = cost},
                                {.last = 1, .best = 2})
                    .ok());
  }
  EXPECT_EQ(StepsIn(folder_), (std::vector<int64_t>{2, 3, 6}));
  EXPECT_EQ(Newest(), 6);
  EXPECT_FALSE(IsAmongBest(folder_, 1, 0));
  EXPECT_FALSE(IsAmongBest(folder_, std::nan(""), 2));
}

TEST_F(CheckpointTest, ListsCheckpointsBeforeTheNewestValidOneAsSuperseded) {
  for (const int64_t step : {4, 5}) Write(step);
  EXPECT_EQ(SupersededCheckpoints(folder_), std::vector<std::string>{folder_ + "/step-4"});
  fs::remove(FilePath(5, "checkpoint.json"));
  EXPECT_TRUE(SupersededCheckpoints(folder_).empty()) << "step 4 is the last valid checkpoint";
}

TEST_F(CheckpointTest, ReplacesACheckpointOfTheSameStep) {
  Write(3);
  Write(3);
  EXPECT_EQ(Newest(), 3);
}

TEST_F(CheckpointTest, IsNotFoundInAnEmptyOrMissingFolder) {
  EXPECT_EQ(ReadNewestCheckpoint(folder_).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadNewestCheckpoint(folder_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CheckpointTest, SkipsATruncatedStateOfAnyLength) {
  Write(1);
  for (const uintmax_t length : {0u, 1u, 500u, 999u}) {
    Write(2);
    fs::resize_file(FilePath(2, "state.safetensors"), length);
    EXPECT_EQ(Newest(), 1) << length;
  }
}

TEST_F(CheckpointTest, SkipsAMissingOrTruncatedIndex) {
  Write(1);
  Write(2);
  const auto length = fs::file_size(FilePath(2, "checkpoint.json"));
  for (uintmax_t shorter = length - 2; shorter > 0; shorter -= std::min<uintmax_t>(shorter, 7)) {
    fs::resize_file(FilePath(2, "checkpoint.json"), shorter);
    EXPECT_EQ(Newest(), 1) << shorter;
  }
  fs::remove(FilePath(2, "checkpoint.json"));
  EXPECT_EQ(Newest(), 1);
}

TEST_F(CheckpointTest, SkipsAStateWithAFlippedByte) {
  Write(1);
  Write(2);
  std::fstream(FilePath(2, "state.safetensors"), std::ios::in | std::ios::out).put('Z');
  EXPECT_EQ(Newest(), 1);
}

TEST_F(CheckpointTest, RemovesIncompleteCheckpointsOfACrash) {
  Write(1);
  fs::create_directories(folder_ + "/tmp-9");
  fs::create_directories(folder_ + "/step-x");
  fs::create_directories(folder_ + "/step-8");
  EXPECT_EQ(Newest(), 1);
  Write(2);
  EXPECT_FALSE(fs::exists(folder_ + "/tmp-9"));
}

TEST_F(CheckpointTest, RefusesANewerSchemaInsteadOfSkippingIt) {
  Write(1);
  Write(2);
  EXPECT_TRUE(AtomicWriteFile(FilePath(2, "checkpoint.json"), R"({"schema_version": 2})").ok());
  const auto checkpoint = ReadNewestCheckpoint(folder_);
  EXPECT_EQ(checkpoint.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(checkpoint.status().message()).find("got 2, wanted at most 1"),
            std::string::npos);
  EXPECT_NE(std::string(checkpoint.status().message()).find("continue with that program"),
            std::string::npos);
}

}  // namespace
}  // namespace vrp
