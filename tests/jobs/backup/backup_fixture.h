// Provides a fixture for backups of a job manager's state and for manually built archives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/jobs/backup/backup_index.h"
#include "core/jobs/backup/backup_stream.h"
#include "core/jobs/backup/restore.h"
#include "core/jobs/backup/ustar.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp::test {

// Returns a backup of the given files, with their checksums, and then of `unlisted` without one. An
// empty path means no such file.
inline std::string MakeArchive(std::vector<std::pair<std::string, std::string>> files,
                               std::pair<std::string, std::string> unlisted = {}) {
  std::string sums;
  for (const auto& [path, content] : files) {
    sums += Concat(Sha256Hex(content), "  ", path, "\n");
  }
  if (!unlisted.first.empty()) files.push_back(std::move(unlisted));
  files.emplace_back(kBackupSumsFile, sums);
  std::string archive;
  for (const auto& [path, content] : files) {
    const TarEntry entry{.path = path, .size = static_cast<int64_t>(content.size())};
    archive += *WriteTarHeader(entry);
    archive += content;
    archive.append(TarPadding(entry.size), '\0');
  }
  archive.append(2 * kTarBlockBytes, '\0');
  return archive;
}

class BackupFixture : public JobManagerFixture {
 protected:
  const std::string restored_ = folder_.File("restored");

  // Returns a backup of the open manager's state.
  std::string MakeBackup() {
    BackupSources sources{.book = book_.get(),
                          .models_directory = folder_.File("models"),
                          .program = "vrpd of this test",
                          .clock = &clock_};
    absl::StatusOr<std::unique_ptr<BackupStream>> stream = BackupStream::Open(sources);
    EXPECT_TRUE(stream.ok()) << stream.status();
    std::string archive;
    while (stream.ok()) {
      absl::StatusOr<std::string> piece = (*stream)->Next();
      EXPECT_TRUE(piece.ok()) << piece.status();
      if (!piece.ok() || piece->empty()) break;
      EXPECT_LE(piece->size(), BackupStream::kPieceBytes);
      archive += *piece;
    }
    if (stream.ok()) {
      EXPECT_EQ(static_cast<int64_t>(archive.size()), (*stream)->total_bytes());
    }
    return archive;
  }
  absl::StatusOr<RestoreReport> Restore(const std::string& archive) {
    const std::string file = folder_.File("backup.tar");
    EXPECT_TRUE(AtomicWriteFile(file, archive).ok());
    return RestoreBackup({.archive = file, .directory = restored_, .clock = &clock_});
  }
  // Opens the manager on the state folder, and keeps its book for backups.
  void OpenWithBook() {
    JobManager::Options options = ManagerOptions();
    book_ = options.book;
    jobs_ = *JobManager::Create(std::move(options));
  }
  // Opens the manager on the restored folder.
  void OpenRestored() {
    jobs_.reset();
    registry_ = *Registry::Create(
        {.directory = restored_ + "/models",
         .loader = [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
           return std::make_unique<FakePolicy>();
         }});
    book_ = *JobBook::Open(restored_, &clock_);
    jobs_ = *JobManager::Create(
        {.book = book_, .trainer = trainer_.get(), .registry = registry_.get(), .clock = &clock_});
  }
  std::vector<std::string> RemainingFiles() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(restored_, error)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  std::shared_ptr<JobBook> book_;
};

}  // namespace vrp::test
