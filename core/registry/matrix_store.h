// Matrices on disk, named by the hash of their content.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/problem/instance/matrix_source.h"

namespace vrp {

// Description of the matrices in one file.
struct StoredMatrices {
  std::string name;        // `matrices/{id}`
  int32_t size = 0;        // rows of each matrix
  bool durations = false;  // whether there are durations, in addition to distances
  int64_t bytes = 0;       // size of the file
  absl::Time created;
};

// One upload: the content of a file, received in parts. Not thread-safe.
class MatrixUpload {
 public:
  // Begins an upload. Returns kInvalidArgument such as `size: got 1, wanted 2 to 5000`.
  static absl::StatusOr<MatrixUpload> Begin(int32_t size, bool durations);

  // Returns the memory in bytes that the content needs after `count` more values. This grows with
  // the values that arrived, up to the announced size.
  int64_t BytesWith(size_t count) const;
  // Appends values: distances row by row, then durations. Returns kInvalidArgument such as
  // `values[7]: ...`.
  absl::Status Add(const double* values, size_t count);
  // Checks that all values arrived. Returns kInvalidArgument otherwise.
  absl::Status CheckComplete() const;
  const std::string& content() const { return content_; }

 private:
  MatrixUpload(int32_t size, bool durations);

  size_t wanted_ = 0;  // number of values that the sizes require
  size_t count_ = 0;   // number of values that arrived
  std::string content_;
};

// A store with one file per matrix of distances, with its durations if there are any. It writes
// files completely or not at all, and caches the most recently used matrices. Thread-safe; blocks
// on the disk.
class MatrixStore final : public MatrixSource {
 public:
  struct Options {
    std::string directory;
    int64_t cache_bytes = int64_t{1} << 30;  // maximum memory of the cache
    int32_t max_count = 1000;                // maximum number of stored files
    // Called before `bytes` are written. An error refuses the bytes. Optional.
    std::function<absl::Status(int64_t bytes)> check_space = nullptr;
  };
  // Creates the folder if it is absent. Removes unfinished uploads and all other files whose name
  // is not an id.
  static absl::StatusOr<std::unique_ptr<MatrixStore>> Create(Options options);

  // Stores an upload durably. Stores the same content only once. Returns kInvalidArgument as
  // CheckComplete does. Returns kResourceExhausted if there are too many matrices, or the disk or
  // the quota is full.
  absl::StatusOr<StoredMatrices> Put(const MatrixUpload& upload);
  // Returns matrices by name. Returns kInvalidArgument if `name` is not of the form
  // `matrices/{id}`, and kNotFound if there are no such matrices. Returns kDataLoss if the file's
  // content does not match its name or is malformed. Returns the code of ReadFile if the file
  // cannot be read.
  absl::StatusOr<std::shared_ptr<const Matrices>> Find(std::string_view name) const override;
  // Returns all readable matrices, sorted by name.
  std::vector<StoredMatrices> List() const;
  // Removes matrices durably. Returns kInvalidArgument or kNotFound as Find does, or kUnavailable
  // if the file cannot be removed.
  absl::Status Delete(std::string_view name);

 private:
  using Cached = std::pair<std::string, std::shared_ptr<const Matrices>>;

  explicit MatrixStore(Options options) : options_(std::move(options)) {}

  std::string PathOf(std::string_view id) const;
  absl::StatusOr<StoredMatrices> Describe(const std::string& id) const;
  void Cache(const std::string& id, std::shared_ptr<const Matrices> matrices) const;
  void RemoveFromCache(const std::string& id) const;

  const Options options_;
  mutable absl::Mutex mutex_;
  mutable std::list<Cached> cache_ ABSL_GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace vrp
