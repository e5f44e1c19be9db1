#include "core/train/data/sample_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr std::string_view kHeader = "VRPSET01";
constexpr std::string_view kFooter = "VRPSETEN";
constexpr uint32_t kShuffleDraw = 48;  // substream of CounterRandom

absl::Status Failed(std::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, Concat(what, " ", path));
}

std::string TemporaryOf(const std::string& path) { return path + ".part"; }

template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SampleSetWriter>> SampleSetWriter::Create(const std::string& path) {
  std::FILE* file = std::fopen(TemporaryOf(path).c_str(), "wb");
  if (file == nullptr) return Failed("create", TemporaryOf(path));
  std::unique_ptr<SampleSetWriter> writer(new SampleSetWriter(path, file));
  VRP_RETURN_IF_ERROR(writer->Append(kHeader));
  return writer;
}

SampleSetWriter::SampleSetWriter(std::string path, std::FILE* file)
    : path_(std::move(path)), file_(file), offsets_{kHeader.size()} {}

SampleSetWriter::~SampleSetWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(TemporaryOf(path_).c_str());
}

absl::Status SampleSetWriter::Append(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return absl::OkStatus();
  return Failed("write", TemporaryOf(path_));
}

absl::Status SampleSetWriter::Add(const Sample& sample) {
  const std::string bytes = WriteSample(sample);
  offsets_.push_back(offsets_.back() + bytes.size());
  return Append(bytes);
}

absl::Status SampleSetWriter::Finish() {
  const uint64_t count = offsets_.size() - 1;
  VRP_RETURN_IF_ERROR(Append(BytesOf(std::span<const uint64_t>(offsets_))));
  VRP_RETURN_IF_ERROR(Append(BytesOf(std::span<const uint64_t>(&count, 1))));
  VRP_RETURN_IF_ERROR(Append(kFooter));
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) {
    return Failed("fsync", TemporaryOf(path_));
  }
  std::fclose(std::exchange(file_, nullptr));
  if (std::rename(TemporaryOf(path_).c_str(), path_.c_str()) == 0) return absl::OkStatus();
  return Failed("rename", TemporaryOf(path_));
}

// A hold on a buffer's piece while its records are read.
class SampleSet::Lease {
 public:
  Lease(SampleSet* set, Buffer* buffer) : set_(set), buffer_(buffer) {}
  ~Lease() {
    const absl::MutexLock lock(&set_->mu_);
    --buffer_->users;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::string_view bytes() const { return buffer_->bytes; }

 private:
  SampleSet* const set_;
  Buffer* const buffer_;
};

SampleSet::SampleSet(std::string path, int file) : path_(std::move(path)), file_(file) {}
SampleSet::~SampleSet() { close(file_); }

absl::StatusOr<std::unique_ptr<SampleSet>> SampleSet::Open(const std::string& path,
                                                           int64_t memory_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return absl::NotFoundError(Concat(path, ": not found"));
  if (file < 0) return Failed("open", path);
  std::unique_ptr<SampleSet> set(new SampleSet(path, file));
  VRP_RETURN_IF_ERROR(set->ReadIndex());
  set->DivideIntoPieces(memory_bytes);
  return set;
}

absl::Status SampleSet::ReadAt(uint64_t offset, std::span<char> target) const {
  while (!target.empty()) {
    const ssize_t got = pread(file_, target.data(), target.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("read", path_);
    if (got == 0) return absl::DataLossError(Concat(path_, ": truncated"));
    target = target.subspan(static_cast<size_t>(got));
    offset += static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

absl::Status SampleSet::ReadIndex() {
  const absl::Status malformed =
      absl::DataLossError(Concat(path_, ": not a complete set of samples"));
  struct stat info {};
  if (fstat(file_, &info) != 0) return Failed("stat", path_);
  const auto size = static_cast<uint64_t>(info.st_size);
  constexpr uint64_t kFooterBytes = sizeof(uint64_t) + kFooter.size();
  if (size < kHeader.size() + sizeof(uint64_t) + kFooterBytes) return malformed;
  char foot[kFooterBytes];
  VRP_RETURN_IF_ERROR(ReadAt(size - kFooterBytes, foot));
  uint64_t count = 0;
  std::memcpy(&count, foot, sizeof(count));
  const uint64_t max_count = (size - kHeader.size() - kFooterBytes) / sizeof(uint64_t);
  if (std::string_view(foot, kFooterBytes).substr(sizeof(count)) != kFooter || count == 0 ||
      count >= max_count || count > std::numeric_limits<int32_t>::max()) {
    return malformed;
  }
  offsets_.resize(count + 1);
  const uint64_t end = size - kFooterBytes - offsets_.size() * sizeof(uint64_t);
  VRP_RETURN_IF_ERROR(
      ReadAt(end, {reinterpret_cast<char*>(offsets_.data()), offsets_.size() * sizeof(uint64_t)}));
  const bool valid = offsets_.front() == kHeader.size() && offsets_.back() == end &&
                     std::is_sorted(offsets_.begin(), offsets_.end());
  return valid ? absl::OkStatus() : malformed;
}

void SampleSet::DivideIntoPieces(int64_t memory_bytes) {
  const auto memory = static_cast<uint64_t>(memory_bytes);
  const uint64_t total = offsets_.back() - offsets_.front();
  const uint64_t piece_limit = total <= memory ? total : memory / 2;
  first_records_ = {0};
  for (int32_t record = 0; record < size(); ++record) {
    const auto first = static_cast<size_t>(first_records_.back());
    const uint64_t bytes = offsets_[static_cast<size_t>(record) + 1] - offsets_[first];
    if (bytes > piece_limit && record > first_records_.back()) first_records_.push_back(record);
  }
  first_records_.push_back(static_cast<int32_t>(size()));
}

int64_t SampleSet::PieceOf(int32_t record) const {
  return std::upper_bound(first_records_.begin(), first_records_.end(), record) -
         first_records_.begin() - 1;
}

std::vector<int32_t> SampleSet::ShuffledOrder(uint64_t seed, int64_t epoch) const {
  CounterRandom random(seed, static_cast<uint64_t>(epoch), kShuffleDraw);
  std::vector<size_t> pieces(first_records_.size() - 1);
  std::iota(pieces.begin(), pieces.end(), size_t{0});
  random.Shuffle(std::span(pieces));
  std::vector<int32_t> order(static_cast<size_t>(size()));
  size_t at = 0;
  for (const size_t piece : pieces) {
    const auto count = static_cast<size_t>(first_records_[piece + 1] - first_records_[piece]);
    const std::span<int32_t> part = std::span(order).subspan(at, count);
    std::iota(part.begin(), part.end(), first_records_[piece]);
    random.Shuffle(part);
    at += count;
  }
  return order;
}

absl::Status SampleSet::Load(int64_t piece, std::string& bytes) const {
  const auto first = static_cast<size_t>(first_records_[static_cast<size_t>(piece)]);
  const auto last = static_cast<size_t>(first_records_[static_cast<size_t>(piece) + 1]);
  bytes.resize(offsets_[last] - offsets_[first]);
  return ReadAt(offsets_[first], bytes);
}

void SampleSet::ReadAhead(int64_t piece) const {
  const auto first = static_cast<size_t>(first_records_[static_cast<size_t>(piece)]);
  const auto last = static_cast<size_t>(first_records_[static_cast<size_t>(piece) + 1]);
  // This is only a hint. The system then reads the piece into its cache.
  (void)posix_fadvise(file_, static_cast<off_t>(offsets_[first]),
                      static_cast<off_t>(offsets_[last] - offsets_[first]), POSIX_FADV_WILLNEED);
}

SampleSet::Buffer* SampleSet::FindUsableBuffer(int64_t piece) {
  Buffer* oldest = nullptr;
  for (Buffer& buffer : buffers_) {
    if (buffer.piece == piece) return buffer.loading ? nullptr : &buffer;
    if (buffer.users > 0 || buffer.loading) continue;
    if (oldest == nullptr || buffer.last_use < oldest->last_use) oldest = &buffer;
  }
  return oldest;
}

absl::StatusOr<SampleSet::Buffer*> SampleSet::Acquire(int64_t piece) {
  Buffer* buffer = nullptr;
  {
    const absl::MutexLock lock(&mu_);
    const auto usable = [this, piece, &buffer]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      buffer = FindUsableBuffer(piece);
      return buffer != nullptr;
    };
    mu_.Await(absl::Condition(&usable));
    buffer->last_use = ++clock_;
    ++buffer->users;
    if (buffer->piece == piece) return buffer;
    buffer->piece = piece;
    buffer->loading = true;
  }
  const absl::Status status = Load(piece, buffer->bytes);
  const absl::MutexLock lock(&mu_);
  buffer->loading = false;
  bytes_read_ += static_cast<int64_t>(buffer->bytes.size());
  int64_t buffered = 0;
  for (const Buffer& each : buffers_) {
    if (!each.loading) buffered += static_cast<int64_t>(each.bytes.size());
  }
  max_buffered_ = std::max(max_buffered_, buffered);
  if (status.ok()) return buffer;
  --buffer->users;
  buffer->piece = -1;
  return status;
}

absl::StatusOr<std::vector<Sample>> SampleSet::Read(std::span<const int32_t> records) {
  std::vector<Sample> samples;
  samples.reserve(records.size());
  // A thread never holds two buffers at once, so that threads cannot deadlock.
  for (size_t at = 0; at < records.size();) {
    const int64_t piece = PieceOf(records[at]);
    VRP_ASSIGN_OR_RETURN(Buffer* const buffer, Acquire(piece));
    const Lease lease(this, buffer);
    const auto first = static_cast<size_t>(first_records_[static_cast<size_t>(piece)]);
    for (; at < records.size() && PieceOf(records[at]) == piece; ++at) {
      const auto record = static_cast<size_t>(records[at]);
      absl::StatusOr<Sample> sample = ParseSample(lease.bytes().substr(
          offsets_[record] - offsets_[first], offsets_[record + 1] - offsets_[record]));
      if (!sample.ok()) {
        return absl::DataLossError(
            Concat(path_, ": sample ", record, ": ", FromAbsl(sample.status().message()),
                   "; delete the file, so that the next run makes it again"));
      }
      samples.push_back(*std::move(sample));
    }
  }
  return samples;
}

int64_t SampleSet::bytes_read() const {
  const absl::MutexLock lock(&mu_);
  return bytes_read_;
}
int64_t SampleSet::max_buffered() const {
  const absl::MutexLock lock(&mu_);
  return max_buffered_;
}

}  // namespace vrp
