// Matrices on disk, by the hash of their content.
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
#include "core/problem/formats/matrices.h"

namespace vrp {

struct StoredMatrices {
  std::string name;  // `matrices/{id}`
  int32_t size = 0;
  bool durations = false;
  int64_t bytes = 0;
  absl::Time created;
};

// One upload: the file's content, as it grows. Not thread-safe.
class MatrixUpload {
 public:
  // kInvalidArgument: `size: got 1, wanted 2 to 5000`.
  static absl::StatusOr<MatrixUpload> Begin(int32_t size, bool durations);

  // What the content takes in memory, in bytes, once so many values more have come: grows with what
  // came, not with what was announced.
  int64_t RoomFor(size_t count) const;
  // Distances row by row, then durations. kInvalidArgument: `values[7]: ...`.
  absl::Status Add(const double* values, size_t count);
  // kInvalidArgument unless all values came.
  absl::Status CheckComplete() const;
  const std::string& content() const { return content_; }

 private:
  MatrixUpload(int32_t size, bool durations);

  size_t wanted_ = 0;  // values
  size_t count_ = 0;
  std::string content_;
};

// A file a pair of matrices, written whole or not at all; those used last stay in memory.
// Thread-safe; blocks on the disk.
class MatrixStore final : public MatrixSource {
 public:
  struct Options {
    std::string directory;
    int64_t cache_bytes = int64_t{1} << 30;
    int32_t max_count = 1000;
    // Asked before so many bytes are written; its error refuses them. Null: all have room.
    std::function<absl::Status(int64_t bytes)> check_room = nullptr;
  };
  // Makes the folder where it is absent, and removes what an upload left that did not end.
  static absl::StatusOr<std::unique_ptr<MatrixStore>> Create(Options options);

  // Durable when it returns; the same content is kept once. kInvalidArgument as of CheckComplete;
  // kResourceExhausted: too many, no room for them, or the disk is full.
  absl::StatusOr<StoredMatrices> Put(const MatrixUpload& upload);
  // kInvalidArgument for no such form of a name; kNotFound; kDataLoss where the file's content is
  // not that of its name.
  absl::StatusOr<std::shared_ptr<const Matrices>> Find(std::string_view name) const override;
  // By name.
  std::vector<StoredMatrices> List() const;
  // Durable when it returns.
  absl::Status Delete(std::string_view name);

 private:
  using Cached = std::pair<std::string, std::shared_ptr<const Matrices>>;

  explicit MatrixStore(Options options) : options_(std::move(options)) {}

  std::string PathOf(std::string_view id) const;
  absl::StatusOr<StoredMatrices> About(const std::string& id) const;
  void Keep(const std::string& id, std::shared_ptr<const Matrices> matrices) const;
  void Drop(const std::string& id) const;

  const Options options_;
  mutable absl::Mutex mutex_;
  mutable std::list<Cached> cache_ ABSL_GUARDED_BY(mutex_);  // the one used last first
};

}  // namespace vrp
