// Uploaded datasets on disk, by the names that users gave them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/digest.h"
#include "core/base/open_file.h"
#include "core/registry/staging_area.h"
#include "core/train/data/dataset_summary.h"

namespace vrp {

inline constexpr int64_t kMaxDatasetBytes = int64_t{1} << 30;  // maximum size of the content

// The description of a dataset.
struct StoredDataset {
  std::string name;  // `datasets/{name}`
  DatasetSummary summary;
  int64_t bytes = 0;   // size of the content
  std::string sha256;  // digest of the content
  absl::Time created;

  bool operator==(const StoredDataset&) const = default;
};

// Returns "instances", "a request log" or "a route history".
std::string_view DatasetKindName(DatasetKind kind);
// Returns kInvalidArgument unless the dataset is of the kind: `got datasets/history, which is a
// request log, wanted instances`.
absl::Status CheckDatasetKind(const StoredDataset& dataset, DatasetKind wanted);

class DatasetStore;

// An upload, which writes content under a temporary name as the content arrives. The destructor
// removes an unfinished upload. Not thread-safe.
class DatasetUpload {
 public:
  ~DatasetUpload();
  DatasetUpload(const DatasetUpload&) = delete;
  DatasetUpload& operator=(const DatasetUpload&) = delete;

  // Appends content. Returns kInvalidArgument beyond kMaxDatasetBytes, and kResourceExhausted if
  // the disk or the quota is full.
  absl::Status Add(std::string_view piece);
  // Gives the content its name. The dataset is durable on return. Stores the same content under the
  // same name only once, and replaces a damaged dataset of that name. Returns kAlreadyExists if
  // other content has the name, and kResourceExhausted if the disk or the quota is full. Must be
  // called once, last.
  absl::StatusOr<StoredDataset> Finish(const DatasetSummary& summary);

 private:
  friend class DatasetStore;
  DatasetUpload(DatasetStore& store, std::string name, std::string folder, OpenFile file);

  DatasetStore& store_;
  const std::string name_;
  const std::string folder_;  // folder in the staging area
  OpenFile file_;
  Sha256 digest_;
  int64_t bytes_ = 0;
};

// A store with one folder per dataset. A folder gets its name once it is complete. Thread-safe;
// blocks on the disk.
class DatasetStore {
 public:
  struct Options {
    std::string directory;
    int32_t max_count = 1000;  // maximum number of datasets
    // Called with the announced size (0 if unknown) before an upload, and with 0 while it grows and
    // at its end. An error refuses the upload. Optional.
    std::function<absl::Status(int64_t bytes)> check_space = nullptr;
  };
  // Creates the folder if it is absent, and removes unfinished uploads.
  static absl::StatusOr<std::unique_ptr<DatasetStore>> Create(Options options);

  // Begins an upload. `name` has no prefix; `bytes` is the size of the whole content, 0 if unknown.
  // The store must outlive the upload. Returns kInvalidArgument for a malformed name or too many
  // bytes. Returns kAlreadyExists if content of another size has the name. Returns
  // kResourceExhausted if there are too many datasets or there is no space.
  absl::StatusOr<std::unique_ptr<DatasetUpload>> Begin(const std::string& name, int64_t bytes);

  // Returns a dataset. Here and below, `name` is `datasets/{name}`. Returns kInvalidArgument if
  // `name` does not have that form, kNotFound, or kDataLoss if the dataset's files are damaged.
  // Returns kUnavailable if the files cannot be read now. Returns kFailedPrecondition if a newer
  // program stored the dataset.
  absl::StatusOr<StoredDataset> Get(std::string_view name) const;
  // Returns all readable datasets, sorted by name.
  std::vector<StoredDataset> List() const;
  // Returns the path of the content after verifying its digest. Returns the same errors as Get.
  absl::StatusOr<std::string> ContentPath(std::string_view name) const;
  // Removes a dataset durably. Returns kInvalidArgument or kNotFound as Get does.
  absl::Status Delete(std::string_view name);

 private:
  friend class DatasetUpload;

  DatasetStore(Options options, std::unique_ptr<StagingArea> staging)
      : options_(std::move(options)), staging_(std::move(staging)) {}

  absl::Status CheckSpace(int64_t bytes) const;
  std::string FolderOf(std::string_view id) const;
  absl::StatusOr<StoredDataset> Read(const std::string& id) const;
  absl::Status CheckContent(const StoredDataset& dataset) const;
  absl::Status Remove(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<StoredDataset> Publish(const std::string& folder, const StoredDataset& dataset);

  const Options options_;
  const std::unique_ptr<StagingArea> staging_;
  absl::Mutex mutex_;  // held while names are added or removed
};

}  // namespace vrp
