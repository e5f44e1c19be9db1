#include "core/jobs/job_store.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/jobs/schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobStoreTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<JobStore>> Open() { return JobStore::Open(path_, &clock_); }

  test::TempFolder folder_;
  const std::string path_ = folder_.File("jobs.db");
  test::ManualClock clock_;
};

TEST_F(JobStoreTest, CallsTheListenerOncePerRequest) {
  const std::unique_ptr<JobStore> store = *Open();
  std::vector<std::string> heard;
  store->SetListener([&heard](const Job& job, bool) { heard.push_back(job.id); });
  const std::string id = store->Submit(test::ASpec(), "r1", 10)->id;
  EXPECT_EQ(store->Submit(test::ASpec(), "r1", 10)->id, id);
  EXPECT_THAT(heard, ElementsAre(id));
}

TEST_F(JobStoreTest, ReadsBackTheStoredJob) {
  const JobSpec spec{.config_name = "a.yaml",
                     .config_yaml = "name: ä\n",
                     .overrides = {"training.epochs=3", "quote\"=1"},
                     .device = "cuda:1",
                     .priority = -3,
                     .labels = {{"team", "ä"}},
                     .time_limit = absl::Hours(2),
                     .epoch_limit = 9};
  const Job submitted = *(*Open())->Submit(spec, "r1", 10);
  clock_.Advance(absl::Seconds(5));
  ASSERT_EQ((*(*Open())->StartNext(JobKind::kTraining))->id, submitted.id);
  const PublishedWeights published{
      .epoch = 2, .step = 6, .reason = PublishReason::kLastWeights, .validation_cost = 0.1};
  ASSERT_TRUE((*Open())
                  ->Update(submitted.id, Durability::kFull,
                           [&published](JobChange& change) {
                             change.RecordProgress({.step = 7, .loss = 0.25});
                             change.RecordCheckpoint(7);
                             change.RequestStop("asked to end");
                             change.RecordModel("models/a/versions/1", TrainingEnd::kTimeLimit,
                                                published);
                             return change.Fail(absl::DataLossError("weights\xff"));
                           })
                  .ok());
  const JobRecord record = *(*Open())->Find(JobKind::kTraining, submitted.id);
  const Job& job = record.job;
  EXPECT_EQ(job.spec, spec);
  EXPECT_EQ(job.request_id, "r1");
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.attempt, 1);
  EXPECT_EQ(job.created, submitted.created);
  EXPECT_EQ(job.started, submitted.created + absl::Seconds(5));
  EXPECT_EQ(job.ended, job.started);
  EXPECT_EQ(job.progress->step, 7);
  EXPECT_EQ(job.progress->loss, 0.25);
  EXPECT_EQ(job.error, absl::DataLossError("weights\\xff"));
  EXPECT_EQ(job.model, "models/a/versions/1");
  EXPECT_EQ(job.end, TrainingEnd::kTimeLimit);
  EXPECT_EQ(job.published, published);
  EXPECT_TRUE(job.stop_requested);
  EXPECT_EQ(job.last_sequence, 7);
  EXPECT_EQ(record.checkpoint_step, 7);
  const std::vector<JobEvent> events =
      *(*Open())->ReadEvents(job.id, {.first = 1, .last = 99, .limit = 99});
  EXPECT_THAT(test::Describe(events),
              ElementsAre("QUEUED", "PREPARING", "progress 7", "checkpoint 7", "log",
                          "model models/a/versions/1", "FAILED"));
  EXPECT_EQ(events[0].attempt, 0);
  EXPECT_EQ(events[1].attempt, 1);
  EXPECT_EQ(events[5].published, published);
  EXPECT_EQ(events[6].text, "weights\\xff");
}

TEST_F(JobStoreTest, RollsBackAFailedChange) {
  const auto store = *Open();
  const std::string id = store->Submit(test::ASpec(), "", 10)->id;
  EXPECT_TRUE(absl::IsAborted(store
                                  ->Update(id, Durability::kFull,
                                           [](JobChange& change) {
                                             change.RecordLog("gone");
                                             return absl::AbortedError("no");
                                           })
                                  .status()));
  EXPECT_EQ(store->Find(JobKind::kTraining, id)->job.last_sequence, 1);
  EXPECT_EQ(store->ReadEvents(id, {.first = 1, .last = 9, .limit = 9})->size(), 1u);
}

TEST_F(JobStoreTest, StoresAStepOncePerAttempt) {
  const auto store = *Open();
  store->Submit(test::ASpec(), "", 10).IgnoreError();
  const std::string id = (*store->StartNext(JobKind::kTraining))->id;
  const auto progress = [&] {
    return store
        ->Update(id, Durability::kNormal,
                 [](JobChange& change) {
                   change.RecordProgress({.step = 4});
                   return absl::OkStatus();
                 })
        .status();
  };
  EXPECT_TRUE(progress().ok());
  EXPECT_TRUE(absl::IsAlreadyExists(progress()));
  EXPECT_EQ(store->Find(JobKind::kTraining, id)->job.last_sequence, 3);
  const auto requeue = [](JobChange& change) { return change.MoveTo(JobState::kQueued); };
  ASSERT_TRUE(store->Update(id, Durability::kFull, requeue).ok());
  ASSERT_TRUE((*store->StartNext(JobKind::kTraining)).has_value());
  EXPECT_TRUE(progress().ok()) << "a new attempt may repeat the step";
}

TEST_F(JobStoreTest, RefusesChangesToAnEndedJob) {
  const auto store = *Open();
  const std::string id = store->Submit(test::ASpec(), "", 10)->id;
  ASSERT_TRUE(store
                  ->Update(id, Durability::kFull,
                           [](JobChange& change) { return change.MoveTo(JobState::kCancelled); })
                  .ok());
  const auto log = [](JobChange& change) {
    change.RecordLog("late");
    return absl::OkStatus();
  };
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Update(id, Durability::kNormal, log).status()));
}

TEST_F(JobStoreTest, KeepsEachLogGapFreeUnderConcurrentWriters) {
  const auto store = *Open();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(store->Submit(test::ASpec(), "", 10)->id);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(store
                        ->Update(ids[i % 3], Durability::kNormal,
                                 [](JobChange& change) {
                                   change.RecordLog("line");
                                   return absl::OkStatus();
                                 })
                        .ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& id : ids) {
    const std::vector<JobEvent> events =
        *store->ReadEvents(id, {.first = 1, .last = 999, .limit = 999});
    EXPECT_EQ(events.size(), 41u);
    test::ExpectConsistentLog(events);
  }
}

TEST_F(JobStoreTest, CallsTheListenerAfterTheCommit) {
  const auto store = *Open();
  std::vector<int64_t> sequences;
  store->SetListener([&](const Job& job, bool) {
    sequences.push_back(job.last_sequence);
    EXPECT_EQ(store->Find(JobKind::kTraining, job.id)->job.last_sequence, job.last_sequence);
  });
  store->Submit(test::ASpec(), "", 10).IgnoreError();
  store->StartNext(JobKind::kTraining).IgnoreError();
  store->StartNext(JobKind::kTraining).IgnoreError();  // no job is queued
  EXPECT_THAT(sequences, ElementsAre(1, 2));
}

TEST_F(JobStoreTest, ReportsStateChangesToTheListener) {
  const auto store = *Open();
  std::vector<bool> state_changes;
  store->SetListener([&](const Job&, bool changed) { state_changes.push_back(changed); });
  const std::string id = store->Submit(test::ASpec(), "", 10)->id;
  store->StartNext(JobKind::kTraining).IgnoreError();
  store
      ->Update(id, Durability::kFull,
               [](JobChange& change) {
                 change.RecordLog("goes on");
                 return absl::OkStatus();
               })
      .IgnoreError();
  store
      ->Update(id, Durability::kFull,
               [](JobChange& change) { return change.MoveTo(JobState::kRunning); })
      .IgnoreError();
  EXPECT_THAT(state_changes, ElementsAre(true, true, false, true));
}

TEST_F(JobStoreTest, CreatesAFileThatOnlyItsOwnerCanRead) {
  const auto store = *Open();
  for (const std::string suffix : {"", "-wal"}) {
    struct stat info {};
    ASSERT_EQ(stat((path_ + suffix).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600) << suffix;
  }
}

TEST_F(JobStoreTest, RefusesANewerSchemaAndLeavesItUnchanged) {
  { ASSERT_TRUE(Open().ok()); }
  {
    const auto database = *Database::Open(path_);
    ASSERT_TRUE(
        database->Execute("UPDATE meta SET value = '77' WHERE key = 'schema_version'").ok());
  }
  const absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(Concat(path_, ": got schema version 77, wanted 8 or older")));
}

TEST_F(JobStoreTest, RefusesADatabaseOfAnotherProgram) {
  {
    const auto database = *Database::Open(path_);
    ASSERT_TRUE(database->Execute("CREATE TABLE bookmarks (url TEXT)").ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(Open().status())) << Open().status();
  const auto database = *Database::Open(path_);
  EXPECT_TRUE(database->Execute("SELECT * FROM bookmarks").ok());
  EXPECT_FALSE(database->Execute("SELECT * FROM jobs").ok()) << "a refused open must add no tables";
}

TEST_F(JobStoreTest, MigratesAnOlderSchemaStepByStep) {
  const std::string_view steps[] = {"CREATE TABLE a (x)",
                                    "CREATE TABLE b (x); INSERT INTO b SELECT x FROM a"};
  const auto database = *Database::Open(path_);
  ASSERT_TRUE(Migrate(*database, std::span(steps).first(1)).ok());
  ASSERT_TRUE(database->Execute("INSERT INTO a VALUES (42)").ok());
  ASSERT_TRUE(Migrate(*database, steps).ok());
  ASSERT_TRUE(Migrate(*database, steps).ok()) << "a repeated migration must change nothing";
  Query query = *database->Prepare("SELECT x, count(*) FROM b");
  ASSERT_TRUE(*query.Next());
  EXPECT_EQ(query.Integer(0), 42);
  EXPECT_EQ(query.Integer(1), 1);
}

TEST_F(JobStoreTest, MigratesJobsOfSchema1ToTrainingJobs) {
  {
    const auto database = *Database::Open(path_);
    ASSERT_TRUE(Migrate(*database, JobSchemaMigrations().first(1)).ok());
    ASSERT_TRUE(
        database
            ->Execute("INSERT INTO jobs VALUES (7, 'old', 'r1', 'a.yaml', 'name: a', "
                      "'[\"x=1\"]', 'cpu', 'QUEUED', 1, 0, 5, 1000, 2000, NULL, "
                      "'{\"step\":5}', 0, '', '', 1);"
                      "INSERT INTO events VALUES (7, 1, 1, 3000, 'progress', 'RUNNING', '', "
                      "5, '{\"step\":5}')")
            .ok());
  }
  const auto store = *Open();
  const Job job = store->Find(JobKind::kTraining, "old")->job;
  EXPECT_EQ(job.spec.overrides, std::vector<std::string>{"x=1"});
  EXPECT_EQ(job.progress->step, 5);
  const std::vector<JobEvent> events =
      *store->ReadEvents("old", {.first = 1, .last = 1, .limit = 1});
  EXPECT_EQ(events.at(0).progress->step, 5);
  EXPECT_TRUE(absl::IsNotFound(store->Find(JobKind::kSolve, "old").status()));
  EXPECT_EQ(*store->StartNext(JobKind::kSolve), std::nullopt);
  EXPECT_EQ((*store->StartNext(JobKind::kTraining))->id, "old");
}

TEST_F(JobStoreTest, ReadsBackTheStoredSolveJob) {
  const std::string bytes("a\0b\xff", 4);  // serialised messages are not text
  const Job submitted = *(*Open())->Submit(
      SolveSpec{.request = bytes, .summary = bytes, .budget = absl::Hours(3)}, "r1", 10);
  const SolveProgress progress = {.search_time = absl::Nanoseconds(1'500'000'007),
                                  .improvements = 2,
                                  .cost = 0.1 + 0.2,
                                  .routes = 4,
                                  .unserved = 1};
  ASSERT_TRUE((*Open())
                  ->Update(submitted.id, Durability::kFull,
                           [&](JobChange& change) {
                             change.RecordPlan(progress, bytes + "plan");
                             change.RecordAnswer(progress, bytes + "answer");
                             change.SetSearchTime(absl::Seconds(2), absl::Seconds(2));
                             return absl::OkStatus();
                           })
                  .ok());
  const auto store = *Open();
  const Job job = store->Find(JobKind::kSolve, submitted.id)->job;
  EXPECT_EQ(job.solve.summary, bytes);
  EXPECT_EQ(job.solve.budget, absl::Hours(3));
  EXPECT_EQ(job.solve.progress.cost, progress.cost);
  EXPECT_EQ(job.solve.progress.search_time, absl::Seconds(2));
  EXPECT_EQ(*store->ReadContent(job.id, SolveContent::kRequest), bytes);
  EXPECT_EQ(*store->ReadContent(job.id, SolveContent::kPlan), bytes + "plan");
  EXPECT_EQ(*store->ReadContent(job.id, SolveContent::kAnswer), bytes + "answer");
  const std::vector<JobEvent> events =
      *store->ReadEvents(job.id, {.first = 2, .last = 3, .limit = 9});
  EXPECT_EQ(events.at(0).type, EventType::kImprovement);
  EXPECT_EQ(events.at(0).solve, progress);
  EXPECT_EQ(events.at(1).type, EventType::kAnswer);
}

TEST_F(JobStoreTest, KeepsTheOlderSchemaIfAMigrationFails) {
  const std::string_view steps[] = {"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (y)"};
  const auto database = *Database::Open(path_);
  EXPECT_FALSE(Migrate(*database, steps).ok());
  EXPECT_FALSE(database->Execute("SELECT * FROM b").ok());
  Query query = *database->Prepare("SELECT value FROM meta");
  ASSERT_TRUE(*query.Next());
  EXPECT_EQ(query.Text(0), "1");
}

// Writes `bytes` over the file's content at `offset`.
void Overwrite(const std::string& path, int64_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file << bytes;
}

TEST_F(JobStoreTest, RefusesADamagedFileAndNamesTheRemedy) {
  {
    const auto store = *Open();
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(store->Submit(test::ASpec(), "", 100).ok());
  }
  const std::string intact = *ReadFile(path_);
  struct Damage {
    const char* label;
    std::function<void()> act;
  };
  const std::vector<Damage> damages = {
      {"header", [&] { Overwrite(path_, 0, "this is no database"); }},
      {"pages", [&] { Overwrite(path_, 4096, std::string(intact.size() - 4096, '\x5a')); }},
      {"truncation", [&] { fs::resize_file(path_, intact.size() / 2 / 4096 * 4096); }},
  };
  for (const Damage& damage : damages) {
    fs::remove(path_ + "-wal");
    fs::remove(path_ + "-shm");
    ASSERT_TRUE(AtomicWriteFile(path_, intact).ok());
    damage.act();
    const absl::Status status = Open().status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << damage.label << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    EXPECT_THAT(std::string(status.message()), HasSubstr("restore a copy of it"));
  }
}

TEST_F(JobStoreTest, NamesTheFileAndTheColumnOfUnreadableProgress) {
  const Job training = *(*Open())->Submit(test::ASpec(), "r1", 10);
  const Job solve = *(*Open())->Submit(SolveSpec{.budget = absl::Hours(3)}, "r2", 10);
  const auto expect_named = [&](const std::string& column, const absl::Status& status) {
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_ + ": " + column + ": got \"{\""));
  };
  for (const char* column : {"progress", "best", "published"}) {
    ASSERT_TRUE(
        (*Database::Open(path_))->Execute(Concat("UPDATE jobs SET ", column, " = '{'")).ok());
    expect_named(Concat("jobs.", column),
                 (*Open())->Find(JobKind::kTraining, training.id).status());
    ASSERT_TRUE(
        (*Database::Open(path_))->Execute(Concat("UPDATE jobs SET ", column, " = NULL")).ok());
  }
  ASSERT_TRUE((*Database::Open(path_))->Execute("UPDATE solve_jobs SET progress = '{'").ok());
  expect_named("solve_jobs.progress", (*Open())->Find(JobKind::kSolve, solve.id).status());
  ASSERT_TRUE((*Database::Open(path_))
                  ->Execute("UPDATE events SET type = 'progress', progress = '{'")
                  .ok());
  expect_named("events.progress",
               (*Open())->ReadEvents(training.id, {.first = 1, .last = 1, .limit = 1}).status());
}

TEST_F(JobStoreTest, RefusesAFolderInPlaceOfTheFile) {
  fs::create_directories(path_);
  EXPECT_THAT(Open().status().ToString(), HasSubstr(path_));
}

TEST_F(JobStoreTest, ReportsAFullDiskAndKeepsEarlierData) {
  const auto store = *Open();
  const Job first = *store->Submit(test::ASpec(), "r1", 100);
  {
    const test::FullDisk full(fs::file_size(path_ + "-wal") + 100);
    const absl::Status status = store->Submit(test::ASpec(), "r2", 100).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    EXPECT_THAT(std::string(status.message()), HasSubstr("(File too large)"));
    EXPECT_EQ(store->Find(JobKind::kTraining, first.id)->job.spec, first.spec)
        << "reading must work";
  }
  EXPECT_EQ(store->List({.before = 100, .limit = 100})->size(), 1u);
  EXPECT_TRUE(store->Submit(test::ASpec(), "r2", 100).ok())
      << "writing must work once there is space";
}

}  // namespace
}  // namespace vrp
