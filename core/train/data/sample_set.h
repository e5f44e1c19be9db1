// Labelled instances on disk for supervised training. A set may be larger than the memory.
//
// A set is a file with "VRPSET01", the records, their offsets, their number and "VRPSETEN". It is
// written under a temporary name and renamed when it is complete. Records carry a checksum.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

// An instance with its label.
struct Sample {
  InstanceData data;  // without name and ids
  Plan plan;
  double cost = 0;  // cost of the plan
};

// Returns `sample` as bytes: its plan and cost, the fields of its data that
// core/problem/instance/field_list.h marks as sampled, and the feature columns.
std::string WriteSample(const Sample& sample);
// Parses the bytes of WriteSample. Returns kDataLoss for any other bytes.
absl::StatusOr<Sample> ParseSample(std::string_view bytes);

// A writer of one set. Not thread-safe.
class SampleSetWriter {
 public:
  // Begins the set `path` in a temporary file beside it. Returns the errors of the disk,
  // such as kResourceExhausted for a full one.
  static absl::StatusOr<std::unique_ptr<SampleSetWriter>> Create(const std::string& path);
  // Removes the temporary file if Finish was not called.
  ~SampleSetWriter();
  SampleSetWriter(const SampleSetWriter&) = delete;
  SampleSetWriter& operator=(const SampleSetWriter&) = delete;

  absl::Status Add(const Sample& sample);
  // Completes the set and gives it its name. The content is durable, but a crash soon afterwards
  // may undo the renaming.
  absl::Status Finish();

 private:
  SampleSetWriter(std::string path, std::FILE* file);
  absl::Status Append(std::string_view bytes);

  const std::string path_;
  std::FILE* file_;
  std::vector<uint64_t> offsets_;
};

// A set that is read in pieces. Two buffers together hold at most `memory_bytes` (or two larger
// records): one is in use while the system reads ahead for the other. A set that fits is one piece
// and stays in memory. Thread-safe.
class SampleSet {
 public:
  // Opens the set at `path`. Returns kNotFound if there is none, and kDataLoss if it is incomplete.
  static absl::StatusOr<std::unique_ptr<SampleSet>> Open(const std::string& path,
                                                         int64_t memory_bytes);
  ~SampleSet();
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t pieces() const { return static_cast<int64_t>(first_records_.size()) - 1; }

  // Returns all records in a random order for each (seed, epoch): the pieces are shuffled, and the
  // records within each piece.
  std::vector<int32_t> ShuffledOrder(uint64_t seed, int64_t epoch) const;
  // Returns the samples of `records`, in that order. Waits for the disk, and for a buffer if other
  // threads use other pieces. Returns kDataLoss if a record is damaged, and the errors of the disk.
  absl::StatusOr<std::vector<Sample>> Read(std::span<const int32_t> records);

  // Hints that `record` will be read soon, so that the system may read ahead. Does not block.
  void Prefetch(int32_t record) const { ReadAhead(PieceOf(record)); }
  // Whether both records are in the same piece.
  bool InSamePiece(int32_t a, int32_t b) const { return PieceOf(a) == PieceOf(b); }

  int64_t bytes_read() const;    // bytes read from the file so far
  int64_t max_buffered() const;  // largest number of bytes in both buffers so far

 private:
  struct Buffer {
    int64_t piece = -1;
    int users = 0;
    bool loading = false;  // whether a thread reads `piece` into `bytes`
    uint64_t last_use = 0;
    std::string bytes;
  };
  // A buffer in use. Its destructor returns the buffer.
  class Lease;

  SampleSet(std::string path, int file);
  absl::Status ReadIndex();
  void DivideIntoPieces(int64_t memory_bytes);
  int64_t PieceOf(int32_t record) const;
  absl::StatusOr<Buffer*> Acquire(int64_t piece);
  Buffer* FindUsableBuffer(int64_t piece) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Load(int64_t piece, std::string& bytes) const;
  void ReadAhead(int64_t piece) const;
  absl::Status ReadAt(uint64_t offset, std::span<char> target) const;

  const std::string path_;
  const int file_;
  std::vector<uint64_t> offsets_;       // [size + 1], offsets in the file
  std::vector<int32_t> first_records_;  // [pieces + 1]

  mutable absl::Mutex mu_;
  // `bytes` belongs to the thread that loads or uses the buffer.
  Buffer buffers_[2] ABSL_GUARDED_BY(mu_);
  uint64_t clock_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t bytes_read_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t max_buffered_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace vrp
