#include "core/registry/dataset_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "core/base/file.h"
#include "core/base/open_file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/base/write_all.h"
#include "core/registry/dataset_file.h"
#include "core/registry/publish.h"
#include "core/train/config/data_files.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatasetStaging = ".staging";
// Also the name of request logs and histories: the kind is not known before the content arrives.
constexpr char kContentFile[] = "instances.jsonl";
constexpr char kDescriptionFile[] = "dataset.json";
// Number of bytes between two calls of Options::check_space. Calls are rare, because each one may
// walk the whole state folder.
constexpr int64_t kBytesBetweenSpaceChecks = int64_t{64} << 20;
constexpr char kTryAgain[] = "cannot be read now; try again";

absl::StatusOr<std::string> DatasetId(std::string_view name) {
  if (IsDataset(name)) return std::string(name.substr(kDatasetPrefix.size()));
  return absl::InvalidArgumentError(
      Concat("got ", Quoted(name), ", wanted ", kDatasetPrefix,
             " and 1 to 64 letters, digits, '-' and '_', beginning with a letter or digit"));
}

std::string DatasetName(std::string_view id) { return Concat(kDatasetPrefix, id); }

absl::Status DatasetNotFound(std::string_view name) {
  return absl::NotFoundError(Concat("got ", Quoted(name), ", which this daemon does not have"));
}

absl::Status NameTaken(const StoredDataset& existing) {
  const DatasetSummary& summary = existing.summary;
  std::string content = Concat(summary.instances, " instances");
  if (summary.kind == DatasetKind::kRequestLog) content = Concat(summary.requests, " requests");
  if (summary.kind == DatasetKind::kRouteHistory) content = Concat(summary.routes, " routes");
  return absl::AlreadyExistsError(Concat(
      "header.name: ", existing.name, " has other content already (", content, ", ", existing.bytes,
      " bytes); choose another name, or delete it: vrpctl ", "datasets delete ", existing.name));
}

// Returns `status`, or for kResourceExhausted (a full disk, a quota, too many open files) an error
// that names `what` but not its path.
absl::Status FullDiskOr(const absl::Status& status, std::string_view what) {
  if (status.ok() || !absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(
      Concat(what,
             ": cannot be written: the disk is full, or a quota or limit of vrpd's user is "
             "reached; free some space or raise the limit, then upload again"));
}

// Returns the digest of a file. Returns kNotFound if the file does not exist, and kUnavailable if
// the file cannot be read now.
absl::StatusOr<std::string> ContentDigest(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) {
    return errno == ENOENT ? absl::NotFoundError("is absent") : absl::UnavailableError(kTryAgain);
  }
  Sha256 digest;
  std::string piece(size_t{1} << 20, '\0');
  while (true) {
    const ssize_t got = read(file.descriptor(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::UnavailableError(kTryAgain);
    if (got == 0) return digest.TakeHex();
    digest.Add(std::string_view(piece).substr(0, static_cast<size_t>(got)));
  }
}

}  // namespace

std::string_view DatasetKindName(DatasetKind kind) {
  if (kind == DatasetKind::kRouteHistory) return "a route history";
  return kind == DatasetKind::kRequestLog ? "a request log" : "instances";
}

absl::Status CheckDatasetKind(const StoredDataset& dataset, DatasetKind wanted) {
  const DatasetKind kind = dataset.summary.kind;
  if (kind == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("got ", dataset.name, ", which is ",
                                           DatasetKindName(kind), ", wanted ",
                                           DatasetKindName(wanted)));
}

DatasetUpload::DatasetUpload(DatasetStore& store, std::string name, std::string folder,
                             OpenFile file)
    : store_(store), name_(std::move(name)), folder_(std::move(folder)), file_(std::move(file)) {}

DatasetUpload::~DatasetUpload() { store_.staging_->Remove(folder_); }

absl::Status DatasetUpload::Add(std::string_view piece) {
  const int64_t before = bytes_;
  bytes_ += static_cast<int64_t>(piece.size());
  if (bytes_ > kMaxDatasetBytes) {
    return absl::InvalidArgumentError(Concat("chunk: got more than ", kMaxDatasetBytes,
                                             " bytes in total, the limit of a dataset"));
  }
  digest_.Add(piece);
  VRP_RETURN_IF_ERROR(FullDiskOr(WriteAll(file_.descriptor(), piece, name_), name_));
  if (before / kBytesBetweenSpaceChecks == bytes_ / kBytesBetweenSpaceChecks) {
    return absl::OkStatus();
  }
  return store_.CheckSpace(0);
}

absl::StatusOr<StoredDataset> DatasetUpload::Finish(const DatasetSummary& summary) {
  VRP_RETURN_IF_ERROR(store_.CheckSpace(0));
  if (fsync(file_.descriptor()) != 0) {
    return FullDiskOr(absl::ErrnoToStatus(errno, Concat("fsync ", name_)), name_);
  }
  const StoredDataset dataset{.name = name_,
                              .summary = summary,
                              .bytes = bytes_,
                              .sha256 = digest_.TakeHex(),
                              .created = absl::Now()};
  VRP_RETURN_IF_ERROR(FullDiskOr(
      AtomicWriteFile(Concat(folder_, "/", kDescriptionFile), WriteDatasetFile(dataset)), name_));
  return store_.Publish(folder_, dataset);
}

absl::StatusOr<std::unique_ptr<DatasetStore>> DatasetStore::Create(Options options) {
  VRP_RETURN_IF_ERROR(EnsureDirectory(options.directory));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<StagingArea> staging,
                       StagingArea::Create(Concat(options.directory, "/", kDatasetStaging)));
  return std::unique_ptr<DatasetStore>(new DatasetStore(std::move(options), std::move(staging)));
}

absl::Status DatasetStore::CheckSpace(int64_t bytes) const {
  return options_.check_space == nullptr ? absl::OkStatus() : options_.check_space(bytes);
}

std::string DatasetStore::FolderOf(std::string_view id) const {
  return Concat(options_.directory, "/", id);
}

absl::StatusOr<std::unique_ptr<DatasetUpload>> DatasetStore::Begin(const std::string& name,
                                                                   int64_t bytes) {
  if (const absl::Status fits = CheckDatasetName(name); !fits.ok()) {
    return absl::InvalidArgumentError(Concat("header.name: ", FromAbsl(fits.message())));
  }
  if (bytes < 0 || bytes > kMaxDatasetBytes) {
    return absl::InvalidArgumentError(
        Concat("header.size_bytes: got ", bytes, ", wanted 0 (unknown) to ", kMaxDatasetBytes));
  }
  const absl::StatusOr<StoredDataset> existing = Read(name);
  if (existing.ok() && bytes > 0 && existing->bytes != bytes) return NameTaken(*existing);
  const auto count = static_cast<int64_t>(List().size());
  if (!existing.ok() && count >= options_.max_count) {
    return absl::ResourceExhaustedError(Concat("datasets: ", count, " are stored, the limit is ",
                                               options_.max_count,
                                               "; delete some: vrpctl datasets delete NAME"));
  }
  VRP_RETURN_IF_ERROR(CheckSpace(bytes));
  VRP_ASSIGN_OR_RETURN(std::string folder, staging_->Add());
  const std::string path = Concat(folder, "/", kContentFile);
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.descriptor() < 0) {
    const absl::Status failed = absl::ErrnoToStatus(errno, Concat("create ", DatasetName(name)));
    staging_->Remove(folder);
    return failed;
  }
  return std::unique_ptr<DatasetUpload>(
      new DatasetUpload(*this, DatasetName(name), std::move(folder), std::move(file)));
}

absl::StatusOr<StoredDataset> DatasetStore::Publish(const std::string& folder,
                                                    const StoredDataset& dataset) {
  VRP_RETURN_IF_ERROR(FullDiskOr(SyncTree(folder), dataset.name));
  VRP_ASSIGN_OR_RETURN(const std::string id, DatasetId(dataset.name));
  absl::MutexLock lock(&mutex_);
  absl::Status moved = MoveFolder(folder, FolderOf(id));
  if (absl::IsAlreadyExists(moved)) {
    const absl::StatusOr<StoredDataset> existing = Read(id);
    if (existing.ok() && existing->sha256 != dataset.sha256) return NameTaken(*existing);
    const absl::Status content = existing.ok() ? CheckContent(*existing) : existing.status();
    if (content.ok()) return existing;
    if (!absl::IsDataLoss(content)) return content;
    // Removes the damaged dataset, so that the upload replaces it.
    VRP_RETURN_IF_ERROR(Remove(id));
    moved = MoveFolder(folder, FolderOf(id));
  }
  VRP_RETURN_IF_ERROR(FullDiskOr(moved, dataset.name));
  staging_->Release(folder);
  return dataset;
}

absl::StatusOr<StoredDataset> DatasetStore::Read(const std::string& id) const {
  std::error_code error;
  if (!fs::is_directory(FolderOf(id), error)) return DatasetNotFound(DatasetName(id));
  // Errors must not reveal the path to callers.
  const absl::StatusOr<std::string> text = ReadFile(Concat(FolderOf(id), "/", kDescriptionFile));
  if (!text.ok() && !absl::IsNotFound(text.status())) {
    return absl::UnavailableError(Concat(DatasetName(id), ": its description ", kTryAgain));
  }
  return ParseDatasetFile(text.ok() ? *text : "", DatasetName(id));
}

absl::StatusOr<StoredDataset> DatasetStore::Get(std::string_view name) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, DatasetId(name));
  return Read(id);
}

std::vector<StoredDataset> DatasetStore::List() const {
  std::vector<StoredDataset> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.directory, error)) {
    const std::string id = entry.path().filename().string();
    if (!CheckDatasetName(id).ok()) continue;
    absl::StatusOr<StoredDataset> dataset = Read(id);
    if (dataset.ok()) all.push_back(*std::move(dataset));
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return all;
}

absl::Status DatasetStore::CheckContent(const StoredDataset& dataset) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, DatasetId(dataset.name));
  const absl::StatusOr<std::string> digest = ContentDigest(Concat(FolderOf(id), "/", kContentFile));
  if (digest.ok() && *digest == dataset.sha256) return absl::OkStatus();
  if (absl::IsUnavailable(digest.status())) {
    return absl::UnavailableError(Concat(dataset.name, ": its content ", kTryAgain));
  }
  return absl::DataLossError(
      Concat(dataset.name, ": its content is damaged: it ",
             digest.ok() ? Concat("has SHA-256 ", *digest) : FromAbsl(digest.status().message()),
             ", wanted SHA-256 ", dataset.sha256, "; upload it again"));
}

absl::StatusOr<std::string> DatasetStore::ContentPath(std::string_view name) const {
  VRP_ASSIGN_OR_RETURN(const StoredDataset dataset, Get(name));
  VRP_RETURN_IF_ERROR(CheckContent(dataset));
  VRP_ASSIGN_OR_RETURN(const std::string id, DatasetId(name));
  return Concat(FolderOf(id), "/", kContentFile);
}

// Removes a dataset's folder. Renames the folder first, so that after a crash the folder is
// complete or gone.
absl::Status DatasetStore::Remove(const std::string& id) {
  VRP_ASSIGN_OR_RETURN(const std::string trash, staging_->Add());
  const absl::Cleanup removed = [&] { staging_->Remove(trash); };
  VRP_RETURN_IF_ERROR(MoveFolder(FolderOf(id), Concat(trash, "/", id)));
  return SyncPath(options_.directory);
}

absl::Status DatasetStore::Delete(std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const std::string id, DatasetId(name));
  absl::MutexLock lock(&mutex_);
  std::error_code error;
  if (!fs::is_directory(FolderOf(id), error)) return DatasetNotFound(name);
  return Remove(id);
}

}  // namespace vrp
