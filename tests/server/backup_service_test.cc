// Tests BackupServer of a running daemon.
#include <filesystem>

#include "core/base/sha256.h"
#include "core/jobs/backup/restore.h"
#include "gmock/gmock.h"
#include "server/service/backup_source.h"
#include "tests/server/daemon_fixture.h"
#include "tests/testing/recorded_watch.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class BackupServiceTest : public DaemonTest {
 protected:
  grpc::Status Backup() {
    Context context;
    const auto stub = v1::SystemService::NewStub(channel_);
    const auto stream = stub->BackupServer(&context, v1::BackupServerRequest());
    archive_.clear();
    summary_.Clear();
    for (v1::BackupServerResponse message; stream->Read(&message);) {
      EXPECT_LE(message.data().size(), size_t{1} << 20);
      archive_ += message.data();
      total_ = message.total_bytes();
      if (message.has_summary()) summary_ = message.summary();
    }
    return stream->Finish();
  }

  std::string archive_;
  int64_t total_ = 0;
  v1::BackupSummary summary_;
};

TEST_F(BackupServiceTest, SendsAnArchiveInChunksAndItsDigestLast) {
  AddModel("net", 1);
  // The file is larger than a chunk.
  ASSERT_TRUE(EnsureDirectory(folder_.path() + "/state/labels").ok());
  ASSERT_TRUE(
      AtomicWriteFile(folder_.path() + "/state/labels/set", std::string(3 << 20, 'x')).ok());
  Start();
  const grpc::Status status = Backup();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(static_cast<int64_t>(archive_.size()), total_);
  EXPECT_EQ(summary_.sha256(), Sha256Hex(archive_));
  EXPECT_EQ(summary_.model_count(), 1);
  EXPECT_EQ(summary_.job_count(), 0);
  EXPECT_EQ(summary_.file_count(), 6);  // index, database, labels, card, weights, sums
  const std::string file = folder_.File("backup.tar");
  ASSERT_TRUE(AtomicWriteFile(file, archive_).ok());
  const auto report =
      RestoreBackup({.archive = file, .directory = folder_.File("restored"), .clock = &clock_});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->program, HasSubstr("vrpd "));
  EXPECT_EQ(report->files, summary_.file_count());
  EXPECT_TRUE(std::filesystem::exists(folder_.File("restored") + "/models/net/1/card.json"));
}

TEST_F(BackupServiceTest, LeavesNothingBehindWhenTheCallerCancels) {
  Start();
  {
    Context context;
    const auto stub = v1::SystemService::NewStub(channel_);
    const auto stream = stub->BackupServer(&context, v1::BackupServerRequest());
    v1::BackupServerResponse message;
    ASSERT_TRUE(stream->Read(&message));
    context.TryCancel();
    stream->Finish();
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() + "/state")) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("copy")));
  }
  EXPECT_TRUE(Backup().ok());
}

TEST(BackupSourceTest, ReportsEachChunkToTheWatch) {
  const TempFolder folder;
  const SystemClock clock;
  const auto book = *JobBook::Open(folder.File("state"), &clock);
  RecordedWatch watch;
  const auto source = OpenBackup({.book = book.get(),
                                  .models_directory = folder.File("models"),
                                  .program = "vrpd",
                                  .clock = &clock,
                                  .watch = watch.Function()});
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(watch.Take(), testing::ElementsAre("backup", "end of backup"));
  ASSERT_TRUE((*source)->Next().ok());
  EXPECT_THAT(watch.Take(), testing::ElementsAre("backup", "end of backup"));
}

}  // namespace
}  // namespace vrp::test
