// Tests archives that are damaged, truncated, malicious or made by another program.
#include <cstring>

#include "core/jobs/backup/snapshot.h"
#include "core/jobs/backup/unpack.h"
#include "core/jobs/schema.h"
#include "gmock/gmock.h"
#include "tests/jobs/backup/backup_fixture.h"

namespace vrp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DamagedBackupTest : public BackupFixture {
 protected:
  void SetUp() override {
    OpenWithBook();
    AwaitEnd(*jobs_, Submit());
    archive_ = MakeBackup();
  }
  // Expects a refusal that leaves no files, and returns its status.
  absl::Status ExpectRefused(const std::string& archive) {
    const absl::Status status = Restore(archive).status();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(RemainingFiles(), IsEmpty());
    return status;
  }
  std::string MakeIndex() const {
    return WriteBackupIndex({.program = "vrpd 9.0", .created = clock_.Now()});
  }

  std::string archive_;
};

TEST_F(DamagedBackupTest, RefusesTruncatedArchives) {
  for (size_t bytes = 0; bytes < archive_.size(); bytes += bytes < 3000 ? 200 : 3011) {
    EXPECT_FALSE(ExpectRefused(archive_.substr(0, bytes)).ok()) << bytes;
  }
  EXPECT_TRUE(absl::IsDataLoss(ExpectRefused(archive_.substr(0, archive_.size() - 1))));
  const absl::Status status = ExpectRefused(archive_.substr(0, archive_.size() - kTarBlockBytes));
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("cut off"));
}

TEST_F(DamagedBackupTest, DetectsFlippedBits) {
  for (size_t at = 0; at < archive_.size(); at += at < 2000 ? 29 : 2003) {
    std::string damaged = archive_;
    damaged[at] ^= 1;
    EXPECT_FALSE(ExpectRefused(damaged).ok()) << "byte " << at;
  }
}

TEST_F(DamagedBackupTest, NamesTheDamagedFile) {
  std::string damaged = archive_;
  const size_t at = damaged.find("weights", damaged.find("/weights.safetensors") + 100);
  ASSERT_NE(at, std::string::npos);
  damaged[at] = 'W';
  EXPECT_THAT(std::string(ExpectRefused(damaged).message()),
              HasSubstr("models/tiny/1/weights.safetensors: its SHA-256 is"));
}

TEST_F(DamagedBackupTest, RefusesFilesThatTheChecksumsDoNotName) {
  const absl::Status status =
      ExpectRefused(MakeArchive({{"backup.json", MakeIndex()}, {"jobs/a", "x"}}, {"jobs/b", "y"}));
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("jobs/b: is not in SHA256SUMS"));
}

TEST_F(DamagedBackupTest, RefusesDataAfterTheEndExceptZeros) {
  EXPECT_TRUE(absl::IsDataLoss(ExpectRefused(archive_ + "x")));
  EXPECT_TRUE(Restore(archive_ + std::string(10'240, '\0')).ok());
}

TEST_F(DamagedBackupTest, RefusesPathsThatNoBackupContains) {
  for (const char* path :
       {"../jobs/x", "/etc/passwd", "jobs/../../x", "jobs//x", "jobs/./x", "jobs/", "lock", "x",
        ".restoring/x", "jobs.db/x", "tokens", "jobs/a\nb", "jobs.db-wal"}) {
    const absl::Status status =
        ExpectRefused(MakeArchive({{"backup.json", MakeIndex()}, {path, "x"}}));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << path << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("is not a path of a backup of vrpd"));
  }
  EXPECT_TRUE(CheckBackupPath("models/.aliases/a/b").ok());
}

TEST_F(DamagedBackupTest, RefusesLinksFoldersAndDevices) {
  for (const char type : {'1', '2', '3', '4', '5', '6', 'L', 'x', 'g'}) {
    std::string archive = MakeArchive({{"backup.json", MakeIndex()}, {"jobs/a", "x"}});
    char* header = archive.data() + 2 * kTarBlockBytes;
    ASSERT_STREQ(header, "jobs/a");
    header[156] = type;
    uint32_t sum = 0;
    std::memset(header + 148, ' ', 8);
    for (size_t i = 0; i < kTarBlockBytes; ++i) sum += static_cast<unsigned char>(header[i]);
    std::snprintf(header + 148, 8, "%06o", sum);
    const absl::Status status = ExpectRefused(archive);
    EXPECT_THAT(
        std::string(status.message()),
        HasSubstr(Concat("\"jobs/a\": got an entry of tar's type \"", std::string(1, type))));
  }
}

TEST_F(DamagedBackupTest, RefusesDuplicateMisplacedOrMissingFilesAndOtherFormats) {
  EXPECT_THAT(
      std::string(ExpectRefused(
                      MakeArchive({{"backup.json", MakeIndex()}, {"jobs/a", "x"}, {"jobs/a", "x"}}))
                      .message()),
      HasSubstr("jobs/a: occurs twice"));
  EXPECT_THAT(std::string(ExpectRefused(MakeArchive({{"jobs/a", "x"}})).message()),
              HasSubstr("in the wrong position"));
  EXPECT_THAT(std::string(ExpectRefused(MakeArchive({{"backup.json", MakeIndex()}})).message()),
              HasSubstr("jobs.db: is missing"));
  EXPECT_THAT(std::string(ExpectRefused("no archive at all").message()), HasSubstr("cut off"));
  EXPECT_THAT(std::string(ExpectRefused(std::string(4096, 'x')).message()),
              HasSubstr("not a tar archive"));
}

TEST_F(DamagedBackupTest, RefusesABackupOfANewerProgramAndNamesItsSchema) {
  for (const char* schema : {"card", "checkpoint", "database", "schema_version"}) {
    std::string index = MakeIndex();
    const std::string key = Concat("\"", schema, "\": ");
    const size_t at = index.find(key);
    ASSERT_NE(at, std::string::npos) << index;
    index.insert(at + key.size(), "99");
    const absl::Status status =
        ExpectRefused(MakeArchive({{"backup.json", index}, {"jobs/a", "x"}}));
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(Concat(schema, ": got schema version 99")));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the backup was written by vrpd 9.0; restore it with that program"));
  }
}

TEST_F(DamagedBackupTest, RefusesADatabaseOfANewerProgram) {
  const std::string path = folder_.File("newer.db");
  {
    const auto database = *Database::Open(path);
    std::vector<std::string_view> migrations(JobSchemaMigrations().begin(),
                                             JobSchemaMigrations().end());
    migrations.emplace_back("CREATE TABLE newer (a)");
    ASSERT_TRUE(Migrate(*database, migrations).ok());
  }
  const absl::Status status =
      ExpectRefused(MakeArchive({{"backup.json", MakeIndex()}, {"jobs.db", *ReadFile(path)}}));
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("got schema version"));
}

TEST_F(DamagedBackupTest, MigratesADatabaseOfAnOlderProgram) {
  const std::string path = folder_.File("older.db");
  {
    const auto database = *Database::Open(path);
    ASSERT_TRUE(Migrate(*database, JobSchemaMigrations().first(2)).ok());
  }
  ASSERT_TRUE(
      Restore(MakeArchive({{"backup.json", MakeIndex()}, {"jobs.db", *ReadFile(path)}})).ok());
  book_.reset();
  jobs_.reset();
  OpenRestored();
  EXPECT_TRUE(jobs_->List({})->jobs.empty());
}

}  // namespace
}  // namespace vrp::test
