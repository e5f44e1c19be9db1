#include "core/jobs/backup/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/sqlite.h"

namespace vrp {
namespace {

constexpr int kMaxDepth = 8;  // maximum nesting of folders in an entry
// Maximum number of attempts to read an entry that changes meanwhile.
constexpr int kMaxTries = 1000;

absl::Status UnreadableError(const std::string& path, int error) {
  return absl::UnavailableError(Concat(path, ": cannot be read: ", std::strerror(error)));
}

bool IsTemporary(std::string_view name) {
  return name.starts_with("tmp-") || name.ends_with(".tmp") || name == ".staging";
}

// Returns half of the limit of open files; the other half is for requests.
int64_t MaxFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return static_cast<int64_t>(limit.rlim_cur / 2);
}

// Returns the sorted names in an open folder, without temporary files. Takes ownership of the
// descriptor.
std::vector<std::string> ListNames(int folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(folder), closedir);
  if (stream == nullptr) {
    close(folder);
    return names;
  }
  rewinddir(stream.get());  // a descriptor made by dup shares its position
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !IsTemporary(name)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A collector that opens the files below folders for a snapshot.
class FileCollector {
 public:
  explicit FileCollector(StateSnapshot& snapshot) : snapshot_(snapshot), max_files_(MaxFiles()) {}

  // Adds all of `directory`, which may be absent, as `path` in the snapshot. Adds each entry
  // completely; retries an entry from its start if something in the entry is removed meanwhile.
  absl::Status AddFolder(const std::string& directory, std::string_view path) {
    const OpenFile folder(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.descriptor() < 0) {
      return errno == ENOENT ? absl::OkStatus() : UnreadableError(directory, errno);
    }
    for (const std::string& name : ListNames(dup(folder.descriptor()))) {
      VRP_RETURN_IF_ERROR(AddEntry(folder.descriptor(), name, Concat(path, "/", name)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddEntry(int folder, const std::string& name, const std::string& path) {
    const size_t before = snapshot_.files.size();
    const int64_t links_before = snapshot_.skipped_links;
    for (int tries = 0; tries < kMaxTries; ++tries) {
      const absl::Status status = Open(folder, name, path, 0);
      if (!absl::IsNotFound(status)) return status;
      while (snapshot_.files.size() > before) snapshot_.files.pop_back();
      snapshot_.skipped_links = links_before;
      if (faccessat(folder, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) return absl::OkStatus();
    }
    return absl::UnavailableError(Concat(path, ": changes too fast to be copied; try again"));
  }

  // Adds one entry. Returns kNotFound if the entry was removed or changed.
  absl::Status Open(int folder, const std::string& name, const std::string& path, int depth) {
    OpenFile file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.descriptor() < 0) {
      if (errno == ENOENT) return absl::NotFoundError(path);
      if (errno == ELOOP) return ++snapshot_.skipped_links, absl::OkStatus();
      return UnreadableError(path, errno);
    }
    struct stat status;
    if (fstat(file.descriptor(), &status) != 0) return UnreadableError(path, errno);
    if (S_ISDIR(status.st_mode)) return OpenFolder(file.descriptor(), path, depth);
    if (!S_ISREG(status.st_mode)) return absl::OkStatus();
    if (static_cast<int64_t>(snapshot_.files.size()) >= max_files_) {
      return absl::ResourceExhaustedError(Concat(
          "there are more than ", max_files_, " files, half of the daemon's limit of open files; ",
          "start vrpd with a higher limit (ulimit -n, LimitNOFILE)"));
    }
    snapshot_.files.push_back({.path = path,
                               .file = std::move(file),
                               .size = status.st_size,
                               .mode = status.st_mode & 0777,
                               .modified = absl::TimeFromTimespec(status.st_mtim)});
    return absl::OkStatus();
  }

  absl::Status OpenFolder(int folder, const std::string& path, int depth) {
    if (depth >= kMaxDepth) {
      return absl::UnavailableError(
          Concat(path, ": is nested too deeply, wanted at most ", kMaxDepth, " levels of folders"));
    }
    const std::vector<std::string> names = ListNames(dup(folder));
    for (const std::string& name : names) {
      VRP_RETURN_IF_ERROR(Open(folder, name, Concat(path, "/", name), depth + 1));
    }
    // A checkpoint is removed only after a newer one exists. If the names have not changed, the
    // newest checkpoint was complete all the time.
    return ListNames(dup(folder)) == names ? absl::OkStatus() : absl::NotFoundError(path);
  }

  StateSnapshot& snapshot_;
  const int64_t max_files_;
};

// Copies the database to a file and removes the file's name before returning.
absl::StatusOr<SnapshotFile> CopyDatabase(const StateFolder& folder) {
  const std::string path = folder.TemporaryCopyPath();
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                       Database::Open(folder.DatabasePath()));
  VRP_RETURN_IF_ERROR(database->CopyTo(path));
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int error = errno;
  unlink(path.c_str());
  struct stat status;
  if (file.descriptor() < 0) return UnreadableError(path, error);
  if (fstat(file.descriptor(), &status) != 0) return UnreadableError(path, errno);
  return SnapshotFile{.path = std::string(kBackupDatabase),
                      .file = std::move(file),
                      .size = status.st_size,
                      .modified = absl::TimeFromTimespec(status.st_mtim)};
}

bool IsModel(const SnapshotFile& file) {
  return file.path.starts_with(Concat(kBackupModels, "/")) && file.path.ends_with("/card.json");
}

}  // namespace

absl::StatusOr<StateSnapshot> TakeSnapshot(const BackupSources& sources) {
  const StateFolder& folder = sources.book->folder();
  StateSnapshot snapshot;
  FileCollector collector(snapshot);
  {
    absl::MutexLock lock(&folder.removals());
    VRP_ASSIGN_OR_RETURN(SnapshotFile database, CopyDatabase(folder));
    snapshot.files.push_back(std::move(database));
    VRP_ASSIGN_OR_RETURN(const std::vector<JobCount> counts, sources.book->store().Count());
    for (const JobCount& count : counts) snapshot.jobs += count.jobs;
    VRP_RETURN_IF_ERROR(collector.AddFolder(folder.JobsPath(), "jobs"));
  }
  VRP_RETURN_IF_ERROR(collector.AddFolder(folder.LabelsPath(), "labels"));
  VRP_RETURN_IF_ERROR(collector.AddFolder(folder.MatricesPath(), "matrices"));
  VRP_RETURN_IF_ERROR(collector.AddFolder(folder.DatasetsPath(), "datasets"));
  VRP_RETURN_IF_ERROR(collector.AddFolder(sources.models_directory, kBackupModels));
  VRP_RETURN_IF_ERROR(collector.AddFolder(folder.TensorBoardPath(), "tensorboard"));
  snapshot.models = std::count_if(snapshot.files.begin(), snapshot.files.end(), IsModel);
  return snapshot;
}

}  // namespace vrp
