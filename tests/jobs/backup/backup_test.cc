// Tests the contents of backups and their restoration.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/train/run/checkpoint.h"
#include "gmock/gmock.h"
#include "tests/jobs/backup/backup_fixture.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/recorded_watch.h"

namespace vrp::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class BackupTest : public BackupFixture {};

TEST_F(BackupTest, RequeuesARunningJobAndResumesFromItsCheckpoint) {
  OpenWithBook();
  const std::string ended = Submit();
  AwaitEnd(*jobs_, ended);
  const std::string running = SubmitHeld(5);
  const std::string waiting = Submit();
  const std::vector<JobEvent> before =
      ReadUntil(**jobs_->Watch(running, 1), [](const JobEvent& event) { return event.step == 3; });
  const std::string archive = MakeBackup();
  jobs_.reset();
  book_.reset();

  const absl::StatusOr<RestoreReport> report = Restore(archive);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->queued, 1);
  EXPECT_EQ(report->program, "vrpd of this test");
  EXPECT_EQ(report->created, clock_.Now());
  trainer_->Release();
  OpenRestored();
  EXPECT_EQ(jobs_->Get(ended)->model, "models/tiny/versions/1");
  const std::vector<JobEvent> events = ReadToEnd(*jobs_, running);
  ExpectConsistentLog(events);
  EXPECT_THAT(DescribeWithoutLogs(events), IsSupersetOf({"resumed 3", "SUCCEEDED"}));
  EXPECT_EQ(jobs_->Get(running)->attempt, 2);
  ASSERT_GE(events.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(events[i].sequence, before[i].sequence);
  EXPECT_EQ(AwaitEnd(*jobs_, waiting).state, JobState::kSucceeded);
  for (const JobEvent& event : events) EXPECT_THAT(event.text, Not(HasSubstr("crashed")));
}

TEST_F(BackupTest, ReportsEachFileOfARestoreToTheMonitor) {
  OpenWithBook();
  AwaitEnd(*jobs_, Submit());
  RecordedWatch watch;
  const std::string file = folder_.File("backup.tar");
  ASSERT_TRUE(AtomicWriteFile(file, MakeBackup()).ok());
  ASSERT_TRUE(
      RestoreBackup(
          {.archive = file, .directory = restored_, .clock = &clock_, .watch = watch.Function()})
          .ok());
  const std::vector<std::string> phases = watch.Take();
  EXPECT_THAT(phases,
              IsSupersetOf({"restore of jobs.db", "end of restore of jobs.db",
                            "restore of models/tiny/1/card.json", "end of restore of job database",
                            "restore of flush to the disk"}));
  EXPECT_EQ(phases.back(), "end of restore of flush to the disk");
}

TEST_F(BackupTest, LeavesNothingWhenARestoreIsStoppedAtAnyPoint) {
  OpenWithBook();
  AwaitEnd(*jobs_, Submit());
  const std::string file = folder_.File("backup.tar");
  ASSERT_TRUE(AtomicWriteFile(file, MakeBackup()).ok());
  int pieces = 0;
  int stop_at = 0;
  const auto restore = [&] {
    const auto cancel = std::make_shared<CancelFlag>();
    const auto watch = [&](std::string_view, std::string_view) -> std::shared_ptr<void> {
      if (++pieces == stop_at) cancel->Cancel();
      return nullptr;
    };
    return RestoreBackup({.archive = file,
                          .directory = restored_,
                          .clock = &clock_,
                          .watch = watch,
                          .stop = StopCondition(absl::InfiniteFuture(), cancel)})
        .status();
  };
  absl::Status status;
  do {
    pieces = 0;
    ++stop_at;
    status = restore();
    EXPECT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
    EXPECT_EQ(fs::exists(restored_), status.ok()) << "stopped at " << stop_at;
  } while (absl::IsCancelled(status));
  EXPECT_GT(pieces, 4);
  EXPECT_GT(stop_at, pieces) << "the restore ignored a stop at its last piece";
}

TEST_F(BackupTest, FinishesAJobWhoseModelIsInTheBackup) {
  OpenWithBook();
  const std::string id = SubmitHeld(5);
  // Simulates a publication between the copies of the database and of the models.
  const std::string staging = *registry_->StagingDirectory();
  ASSERT_TRUE(WriteFakeModel(staging, Concat("trainingJobs/", id)).ok());
  ASSERT_TRUE(registry_->Publish("tiny", staging).ok());
  const std::string archive = MakeBackup();
  jobs_.reset();
  book_.reset();
  EXPECT_EQ(Restore(archive)->queued, 0);
  OpenRestored();
  EXPECT_EQ(jobs_->Get(id)->state, JobState::kSucceeded);
  EXPECT_EQ(jobs_->Get(id)->model, "models/tiny/versions/1");
}

TEST_F(BackupTest, RestoresAllFilesIntoAFolderThatOnlyTheOwnerCanRead) {
  OpenWithBook();
  AwaitEnd(*jobs_, Submit());
  ASSERT_TRUE(registry_->SetAlias("tiny", "production", 1).ok());
  const std::string state = folder_.File("state");
  for (const char* file : {"matrices/abc", "labels/set", "tensorboard/x/events.1"}) {
    ASSERT_TRUE(EnsureDirectory(fs::path(state + "/" + file).parent_path().string()).ok());
    ASSERT_TRUE(AtomicWriteFile(state + "/" + file, file).ok());
  }
  ASSERT_TRUE(Restore(MakeBackup()).ok());
  for (const char* file : {"matrices/abc", "labels/set", "tensorboard/x/events.1"}) {
    EXPECT_EQ(*ReadFile(restored_ + "/" + file), file);
  }
  struct stat status;
  ASSERT_EQ(stat(restored_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((restored_ + "/jobs.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  book_.reset();
  OpenRestored();
  EXPECT_EQ(registry_->Resolve({.name = "tiny", .alias = "production"})->version, 1);
}

TEST_F(BackupTest, SkipsLocksTemporaryFilesAndLinks) {
  OpenWithBook();
  const std::string state = folder_.File("state");
  const std::string job = state + "/jobs/a";
  fs::create_directories(job + "/checkpoint/tmp-5");
  fs::create_directories(folder_.File("models") + "/.staging/x");
  for (const std::string& file : {job + "/checkpoint/tmp-5/state", job + "/checkpoint.json.ab.tmp",
                                  job + "/kept", folder_.File("models") + "/.staging/x/weights"}) {
    ASSERT_TRUE(AtomicWriteFile(file, "x").ok());
  }
  ASSERT_TRUE(AtomicWriteFile(folder_.File("secret"), "secret").ok());
  fs::create_symlink(folder_.File("secret"), job + "/link");
  const StateSnapshot snapshot = *TakeSnapshot({.book = book_.get(),
                                                .models_directory = folder_.File("models"),
                                                .program = "p",
                                                .clock = &clock_});
  std::vector<std::string> paths;
  for (const SnapshotFile& file : snapshot.files) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("jobs.db", "jobs/a/kept"));
  EXPECT_EQ(snapshot.skipped_links, 1);
  for (const auto& entry : fs::directory_iterator(state)) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("copy")))
        << "the copy of the database must be removed";
  }
}

TEST_F(BackupTest, ContainsACompleteCheckpointWhileNewOnesAreWritten) {
  OpenWithBook();
  const std::string checkpoints = book_->folder().CheckpointPath("a");
  ASSERT_TRUE(EnsureDirectory(checkpoints).ok());
  std::atomic<int64_t> written = 0;
  std::atomic<bool> done = false;
  std::thread trainer([&] {
    for (int64_t step = 1; !done; ++step) {
      ASSERT_TRUE(
          WriteCheckpoint(
              checkpoints,
              {.step = step, .config_sha256 = "ab", .scalars = {}, .state = std::string(5000, 'x')},
              {.last = 1})
              .ok());
      written = step;
    }
  });
  while (written < 1) std::this_thread::yield();
  for (int i = 0; i < 10; ++i) {
    const int64_t before = written;
    const std::string archive = MakeBackup();
    fs::remove_all(restored_);
    const absl::StatusOr<RestoreReport> report = Restore(archive);
    ASSERT_TRUE(report.ok()) << report.status();
    const absl::StatusOr<Checkpoint> newest =
        ReadNewestCheckpoint(restored_ + "/jobs/a/checkpoint");
    ASSERT_TRUE(newest.ok()) << newest.status();
    EXPECT_GE(newest->step, before);
  }
  done = true;
  trainer.join();
  EXPECT_GT(written, 10) << "no checkpoints were written during the backups";
}

TEST_F(BackupTest, RefusesANonEmptyFolderAndLeavesItUnchanged) {
  OpenWithBook();
  const std::string archive = MakeBackup();
  ASSERT_TRUE(EnsureDirectory(restored_).ok());
  ASSERT_TRUE(AtomicWriteFile(restored_ + "/.mine", "x").ok());
  const absl::Status status = Restore(archive).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("holds \".mine\", wanted a folder"));
  EXPECT_THAT(RemainingFiles(), ElementsAre(".mine"));
}

TEST_F(BackupTest, LeavesNothingBehindOnAFullDisk) {
  OpenWithBook();
  AwaitEnd(*jobs_, Submit());
  const std::string archive = MakeBackup();
  const std::string file = folder_.File("backup.tar");
  ASSERT_TRUE(AtomicWriteFile(file, archive).ok());
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{100}, rlim_t{5'000}, rlim_t{50'000}}) {
    absl::Status status;
    {
      const FullDisk full(bytes);
      status = RestoreBackup({.archive = file, .directory = restored_, .clock = &clock_}).status();
    }
    EXPECT_FALSE(status.ok()) << bytes;
    EXPECT_FALSE(fs::exists(restored_)) << bytes;
  }
  fs::create_directory(restored_);
  {
    const FullDisk full(5'000);
    EXPECT_FALSE(RestoreBackup({.archive = file, .directory = restored_, .clock = &clock_}).ok());
  }
  EXPECT_THAT(RemainingFiles(), IsEmpty());
  EXPECT_TRUE(Restore(archive).ok());
}

TEST_F(BackupTest, RefusesToStartOnAFolderWithAnUnfinishedRestore) {
  fs::create_directories(restored_ + "/.restoring");
  const absl::Status status = JobBook::Open(restored_, &clock_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("a restore into this folder is unfinished"));
}

TEST_F(BackupTest, RemovesCopiesLeftByACrashAtTheNextStart) {
  fs::create_directories(folder_.File("state"));
  const std::string copy = folder_.File("state") + "/jobs.copy.abc.tmp";
  ASSERT_TRUE(AtomicWriteFile(copy, "x").ok());
  Open();
  EXPECT_FALSE(fs::exists(copy));
}

}  // namespace
}  // namespace vrp::test
