// Instances with good plans on disk: what supervised training reads, larger than memory if need be.
//
// A set is the file "VRPSET01", the records, their offsets and "VRPSETEN". It is written under a
// temporary name and renamed when it is whole. Records carry a checksum.
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

struct Sample {
  InstanceData data;  // without name and ids
  Plan plan;
  double cost = 0;  // of the plan
};

std::string WriteSample(const Sample& sample);
// kDataLoss for bytes that WriteSample did not write.
absl::StatusOr<Sample> ParseSample(std::string_view bytes);

// One thread.
class SampleSetWriter {
 public:
  static absl::StatusOr<std::unique_ptr<SampleSetWriter>> Create(const std::string& path);
  // Removes what was not finished.
  ~SampleSetWriter();
  SampleSetWriter(const SampleSetWriter&) = delete;
  SampleSetWriter& operator=(const SampleSetWriter&) = delete;

  absl::Status Add(const Sample& sample);
  // Durable under its name when it returns.
  absl::Status Finish();

 private:
  SampleSetWriter(std::string path, std::FILE* file);
  absl::Status Put(std::string_view bytes);

  const std::string path_;
  std::FILE* file_;
  std::vector<uint64_t> offsets_;
};

// A set that is read in pieces through two buffers which together hold at most `memory_bytes`
// (or two records): one is worked on while the system reads ahead for the next. A set that fits is
// one piece and stays in memory. Thread-safe.
class SampleSet {
 public:
  static absl::StatusOr<std::unique_ptr<SampleSet>> Open(const std::string& path,
                                                         int64_t memory_bytes);
  ~SampleSet();
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t pieces() const { return static_cast<int64_t>(first_records_.size()) - 1; }

  // All records in an order of their own for each (seed, epoch): the pieces in a random order, and
  // so the records within each.
  std::vector<int32_t> ShuffledOrder(uint64_t seed, int64_t epoch) const;
  // The samples of `records`, in that order. Waits for the disk, and for a buffer where other
  // threads work on other pieces.
  absl::StatusOr<std::vector<Sample>> Read(std::span<const int32_t> records);

  // `record` will be wanted soon: the system may read ahead. Does not block.
  void Expect(int32_t record) const { ReadAhead(PieceOf(record)); }
  // Whether both lie in the same piece.
  bool Together(int32_t a, int32_t b) const { return PieceOf(a) == PieceOf(b); }

  int64_t bytes_read() const;     // from the file, so far
  int64_t most_buffered() const;  // bytes in both buffers, at most so far

 private:
  struct Buffer {
    int64_t piece = -1;
    int users = 0;
    bool loading = false;
    uint64_t last_use = 0;
    std::string bytes;
  };
  // A buffer in use, until it is given back.
  class Lease;

  SampleSet(std::string path, int file);
  absl::Status ReadIndex();
  void Divide(int64_t memory_bytes);
  int64_t PieceOf(int32_t record) const;
  absl::StatusOr<Buffer*> Acquire(int64_t piece);
  Buffer* Usable(int64_t piece) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Load(int64_t piece, std::string& bytes) const;
  void ReadAhead(int64_t piece) const;
  absl::Status ReadAt(uint64_t offset, std::span<char> target) const;

  const std::string path_;
  const int file_;
  std::vector<uint64_t> offsets_;       // [size + 1], in the file
  std::vector<int32_t> first_records_;  // [pieces + 1]

  mutable absl::Mutex mu_;
  Buffer buffers_[2] ABSL_GUARDED_BY(mu_);  // bytes: whoever loads or uses the buffer
  uint64_t clock_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t bytes_read_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t most_buffered_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace vrp
