#include "core/jobs/state_marker.h"

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/jobs/forget_jobs.h"
#include "core/jobs/job_book.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A fixture with a folder in which a daemon has stored a job.
class LostDatabaseTest : public ::testing::Test {
 protected:
  LostDatabaseTest() { Submit(*OpenBook(state_)); }

  std::shared_ptr<JobBook> OpenBook(const std::string& state) {
    auto book = JobBook::Open(state, &clock_);
    EXPECT_TRUE(book.ok()) << book.status();
    return *std::move(book);
  }
  absl::Status Refusal() { return JobBook::Open(state_, &clock_).status(); }
  static void Submit(JobBook& book) {
    EXPECT_TRUE(book.store().Submit(test::ASpec(), "", 100).ok());
  }
  static size_t CountJobs(const JobBook& book) {
    return book.List(JobKind::kTraining, {})->jobs.size();
  }
  std::string PathTo(std::string_view name) const { return Concat(state_, "/", name); }
  void TruncateDatabase() { fs::resize_file(PathTo("jobs.db"), 0); }
  void ExpectLost(std::string_view reason) {
    const absl::Status status = Refusal();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith(Concat(PathTo("jobs.db"), ": ", reason)),
                      HasSubstr(Concat("vrpd --forget-jobs --state-dir ", state_))));
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  const std::string state_ = folder_.File("state");
};

TEST_F(LostDatabaseTest, ReopensAnExistingDatabaseWithItsJobs) {
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 1u);
}

TEST_F(LostDatabaseTest, RefusesAnEmptiedDatabase) {
  TruncateDatabase();
  ExpectLost("is empty, although jobs were stored here (state.json exists)");
  EXPECT_EQ(fs::file_size(PathTo("jobs.db")), 0u) << "the file must not change";
}

TEST_F(LostDatabaseTest, RefusesARemovedDatabase) {
  fs::remove(PathTo("jobs.db"));
  ExpectLost("is missing");
  EXPECT_FALSE(fs::exists(PathTo("jobs.db")));
}

TEST_F(LostDatabaseTest, RefusesADatabaseWithoutTables) {
  fs::remove(PathTo("jobs.db"));
  ASSERT_TRUE(Database::Open(PathTo("jobs.db")).ok());
  ExpectLost("has no tables");
}

// An older vrpd, which wrote no marker, left this folder.
TEST_F(LostDatabaseTest, DetectsTheLossFromJobFoldersIfTheMarkerIsMissing) {
  fs::remove(PathTo("state.json"));
  fs::create_directory(PathTo("jobs/a1"));
  TruncateDatabase();
  ExpectLost("is empty, although jobs were stored here (jobs/a1 exists)");
}

// The folder is in the state after a crash during the first start.
TEST_F(LostDatabaseTest, CreatesADatabaseIfThereIsNoTraceOfJobs) {
  fs::remove(PathTo("state.json"));
  TruncateDatabase();
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 0u);
}

TEST_F(LostDatabaseTest, RemovesAPartialMarkerAtTheNextStart) {
  std::ofstream(PathTo("state.json.a1b2.tmp")) << "{";
  std::ofstream(PathTo("state.json.mine")) << "{";
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 1u);
  EXPECT_FALSE(fs::exists(PathTo("state.json.a1b2.tmp")));
  EXPECT_TRUE(fs::exists(PathTo("state.json.mine")));
}

TEST_F(LostDatabaseTest, AcceptsARestoredCopy) {
  fs::copy_file(PathTo("jobs.db"), folder_.File("copy.db"));
  TruncateDatabase();
  fs::copy_file(folder_.File("copy.db"), PathTo("jobs.db"), fs::copy_options::overwrite_existing);
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 1u);
}

TEST_F(LostDatabaseTest, RefusesADatabaseOfAnotherFolderUntilTheMarkerIsRemoved) {
  Submit(*OpenBook(folder_.File("other")));
  fs::copy_file(folder_.File("other/jobs.db"), PathTo("jobs.db"),
                fs::copy_options::overwrite_existing);
  const absl::Status status = Refusal();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("jobs.db: belongs to state folder"));
  fs::remove(PathTo("state.json"));
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 1u);
}

TEST_F(LostDatabaseTest, GivesAnOlderDatabaseTheIdOfTheMarker) {
  fs::copy_file(test::DataPath("state/jobs_v2.db"), PathTo("jobs.db"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 5u);
  EXPECT_EQ(CountJobs(*OpenBook(state_)), 5u);
}

TEST_F(LostDatabaseTest, RewritesADamagedMarker) {
  const std::string intact = *ReadFile(PathTo("state.json"));
  for (const char* damaged : {"", "{\"schema_vers", "[1]", "{\"schema_version\": \"x\"}", "{}",
                              "{\"schema_version\": 1, \"id\": 3}"}) {
    ASSERT_TRUE(AtomicWriteFile(PathTo("state.json"), damaged).ok());
    EXPECT_EQ(CountJobs(*OpenBook(state_)), 1u) << damaged;
    EXPECT_EQ(*ReadFile(PathTo("state.json")), intact) << "the marker must have the database's id";
  }
}

TEST_F(LostDatabaseTest, RefusesAMarkerOfANewerSchema) {
  ASSERT_TRUE(AtomicWriteFile(PathTo("state.json"), "{\"schema_version\": 9}").ok());
  EXPECT_THAT(std::string(Refusal().message()),
              HasSubstr("state.json: got schema version 9, wanted 1: a newer vrpd wrote it"));
}

TEST_F(LostDatabaseTest, MovesForgottenJobsAsideAndStartsEmpty) {
  fs::create_directories(PathTo("jobs/a1/checkpoint"));
  fs::create_directories(PathTo("models/tiny"));
  TruncateDatabase();
  const absl::StatusOr<std::string> target = ForgetJobs(state_, clock_);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(*target, StartsWith(PathTo("forgotten-")));
  EXPECT_TRUE(fs::exists(*target + "/jobs/a1/checkpoint"));
  EXPECT_TRUE(fs::exists(*target + "/jobs.db"));
  EXPECT_TRUE(fs::exists(PathTo("models/tiny")));
  const std::shared_ptr<JobBook> book = OpenBook(state_);
  EXPECT_EQ(CountJobs(*book), 0u);
  EXPECT_TRUE(absl::IsFailedPrecondition(ForgetJobs(state_, clock_).status()))
      << "a daemon uses the folder";
}

TEST_F(LostDatabaseTest, RefusesToForgetJobsOfAMissingFolder) {
  EXPECT_TRUE(absl::IsNotFound(ForgetJobs(folder_.File("absent"), clock_).status()));
  EXPECT_FALSE(fs::exists(folder_.File("absent")));
}

}  // namespace
}  // namespace vrp
