// Tests the CRC, and how many files and records a job gets. tests/interop reads event files with
// TensorBoard.
#include "core/jobs/tensorboard_writer.h"

#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/jobs/job_recorder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

TEST(Crc32cTest, MatchesTheStandard) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
}

class TensorBoardTest : public ::testing::Test {
 protected:
  TensorBoardTest() {
    store_ = *JobStore::Open(folder_.File("jobs.db"), &clock_);
    EXPECT_TRUE(store_->Submit(test::ASpec(), "", 10).ok());
    id_ = (*store_->StartNext(JobKind::kTraining))->id;
    recorder_.emplace(JobRecorder::Options{.store = store_.get(),
                                           .clock = &clock_,
                                           .job_id = id_,
                                           .progress_interval = absl::Milliseconds(100)});
  }
  absl::StatusOr<std::unique_ptr<TensorBoardWriter>> Open(int32_t attempt = 1) {
    return TensorBoardWriter::Open(
        {.folder = folder_.File("curves"), .time = clock_.Now(), .attempt = attempt});
  }
  // Returns the number of records of the only file.
  int64_t CountRecords() const {
    std::string remaining =
        *ReadFile(fs::directory_iterator(folder_.File("curves"))->path().string());
    int64_t records = 0;
    for (; !remaining.empty(); ++records) {
      uint64_t length = 0;
      for (size_t i = 0; i < 8; ++i) {
        length |= uint64_t{static_cast<unsigned char>(remaining.at(i))} << (8 * i);
      }
      remaining.erase(0, 16 + length);
    }
    return records;
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::unique_ptr<JobStore> store_;
  std::string id_;
  std::optional<JobRecorder> recorder_;
};

TEST_F(TensorBoardTest, WritesAPointPerSecondAndPerEpoch) {
  recorder_->WriteTensorBoard(Open());
  EXPECT_EQ(CountRecords(), 1);  // the record with the version
  for (int64_t step = 1; step <= 8; ++step) {
    recorder_->OnProgress({.epochs = 1, .step = step, .steps = 100});
    clock_.Advance(absl::Milliseconds(500));
  }
  EXPECT_EQ(CountRecords(), 1 + 4);
  recorder_->OnProgress({.epochs = 1, .step = 9, .steps = 100, .end_of_epoch = true});
  recorder_->OnProgress({.epochs = 1, .step = 10, .steps = 100, .end_of_epoch = true});
  EXPECT_EQ(CountRecords(), 1 + 6);
}

TEST_F(TensorBoardTest, WritesAFilePerAttempt) {
  EXPECT_TRUE(Open(1).ok());
  EXPECT_TRUE(Open(2).ok());
  const fs::directory_iterator files(folder_.File("curves"));
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST_F(TensorBoardTest, ContinuesTheJobIfTheFolderCannotBeWritten) {
  ASSERT_TRUE(AtomicWriteFile(folder_.File("curves"), "a file").ok());
  recorder_->WriteTensorBoard(Open());
  recorder_->OnProgress({.epochs = 1, .step = 1, .steps = 100});
  EXPECT_THAT(test::Describe(*store_->ReadEvents(id_, {.first = 3, .last = 1000, .limit = 1000})),
              ::testing::ElementsAre("log", "progress 1"));
}

}  // namespace
}  // namespace vrp
