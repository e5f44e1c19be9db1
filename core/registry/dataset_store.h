// Datasets on disk: training data that users have uploaded, by the names that they gave.
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

inline constexpr int64_t kMaxDatasetBytes = int64_t{1} << 30;

struct StoredDataset {
  std::string name;  // `datasets/{name}`
  DatasetSummary summary;
  int64_t bytes = 0;   // of the content
  std::string sha256;  // of the content
  absl::Time created;

  bool operator==(const StoredDataset&) const = default;
};

class DatasetStore;

// One upload: content that is written as it arrives, under a temporary name. The destructor
// removes what is not finished. One thread.
class DatasetUpload {
 public:
  ~DatasetUpload();
  DatasetUpload(const DatasetUpload&) = delete;
  DatasetUpload& operator=(const DatasetUpload&) = delete;

  // kInvalidArgument: more than kMaxDatasetBytes; kResourceExhausted: the disk is full, or no room.
  absl::Status Add(std::string_view piece);
  // Gives the content its name. Durable when it returns; the same content under the same name is
  // kept once. kAlreadyExists: the name is taken by other content. Call once, last.
  absl::StatusOr<StoredDataset> Finish(const DatasetSummary& summary);

 private:
  friend class DatasetStore;
  DatasetUpload(DatasetStore& store, std::string name, std::string folder, OpenFile file);

  DatasetStore& store_;
  const std::string name_;
  const std::string folder_;  // staged
  OpenFile file_;
  Sha256 digest_;
  int64_t bytes_ = 0;
};

// A folder for each dataset, moved to its name once it is whole. Thread-safe; blocks on the disk.
class DatasetStore {
 public:
  struct Options {
    std::string directory;
    int32_t max_count = 1000;
    // Asked before so many bytes are written, and now and then whether those that were have room;
    // its error refuses them. Null: all have room.
    std::function<absl::Status(int64_t bytes)> check_room = nullptr;
  };
  // Makes the folder where it is absent, and removes what an upload left that did not end.
  static absl::StatusOr<std::unique_ptr<DatasetStore>> Create(Options options);

  // `name` without its prefix; `bytes`: of the whole content, 0 where that is not known. The store
  // outlives the upload. kInvalidArgument: a wrong name, or too many bytes; kAlreadyExists: the
  // name is taken by content of another size; kResourceExhausted: too many, or no room.
  absl::StatusOr<std::unique_ptr<DatasetUpload>> Begin(const std::string& name, int64_t bytes);

  // Here and below `name` is `datasets/{name}`. kInvalidArgument for no such form of a name;
  // kNotFound; kDataLoss: its files are damaged.
  absl::StatusOr<StoredDataset> Get(std::string_view name) const;
  // By name, without those that are damaged.
  std::vector<StoredDataset> List() const;
  // The path of the content, which was read and is what was uploaded. Errors as Get's.
  absl::StatusOr<std::string> ContentPath(std::string_view name) const;
  // Durable when it returns.
  absl::Status Delete(std::string_view name);

 private:
  friend class DatasetUpload;

  DatasetStore(Options options, std::unique_ptr<StagingArea> staging)
      : options_(std::move(options)), staging_(std::move(staging)) {}

  absl::Status CheckRoom(int64_t bytes) const;
  std::string FolderOf(std::string_view id) const;
  absl::StatusOr<StoredDataset> Read(const std::string& id) const;
  absl::Status CheckContent(const StoredDataset& dataset) const;
  absl::Status Remove(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<StoredDataset> Keep(const std::string& folder, const StoredDataset& dataset);

  const Options options_;
  const std::unique_ptr<StagingArea> staging_;
  absl::Mutex mutex_;  // held by who changes which names there are
};

}  // namespace vrp
