#include "core/registry/matrix_store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/instance/instance_data.h"
#include "core/registry/publish.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// First bytes of a file. After them come the size and whether there are durations (both int32),
// then the values (doubles), in the byte order of the machine. The id is the first half of the
// content's SHA-256.
constexpr std::string_view kMagic = "vrp matrices 1\n\0";
constexpr size_t kMagicBytes = 16;
constexpr size_t kHeaderBytes = kMagicBytes + 2 * sizeof(int32_t);
constexpr size_t kIdLength = 32;
constexpr std::string_view kPrefix = "matrices/";
constexpr int64_t kMaxMatrixBytes = int64_t{kHeaderBytes} + int64_t{2} * kMaxMatrixNodes *
                                                                kMaxMatrixNodes *
                                                                int64_t{sizeof(double)};

struct Header {
  int32_t size = 0;
  int32_t durations = 0;
};

size_t ValueCount(const Header& header) {
  const size_t size = static_cast<size_t>(header.size);
  return size * size * (header.durations != 0 ? 2 : 1);
}

// `damage` completes "whose file is damaged: it ...". The error does not reveal the file's path.
absl::Status DamagedFileError(std::string_view name, std::string_view damage) {
  return absl::DataLossError(
      Concat("got ", Quoted(name), ", whose file is damaged: it ", damage, "; upload it again"));
}

absl::StatusOr<Header> HeaderOf(std::string_view name, std::string_view content) {
  Header header;
  const bool long_enough = content.size() >= kHeaderBytes;
  if (long_enough) std::memcpy(&header, content.data() + kMagicBytes, sizeof(header));
  if (!long_enough || content.substr(0, kMagic.size()) != kMagic || header.size < 2 ||
      header.size > kMaxMatrixNodes) {
    return DamagedFileError(name, "is not a file of matrices");
  }
  return header;
}

bool IsId(std::string_view text) {
  return text.size() == kIdLength && text.find_first_not_of("0123456789abcdef") == text.npos;
}

absl::StatusOr<std::string> IdOf(std::string_view name) {
  if (name.starts_with(kPrefix) && IsId(name.substr(kPrefix.size()))) {
    return std::string(name.substr(kPrefix.size()));
  }
  return absl::InvalidArgumentError(
      Concat("got ", Quoted(name), ", wanted matrices/ and ", kIdLength, " lower-case hex digits"));
}

std::string IdOfContent(std::string_view content) {
  return Sha256Hex(content).substr(0, kIdLength);
}

int64_t BytesOf(const Matrices& matrices) {
  return static_cast<int64_t>((matrices.distances.size() + matrices.durations.size()) *
                              sizeof(double));
}

absl::StatusOr<std::shared_ptr<const Matrices>> Decode(std::string_view name,
                                                       std::string_view content) {
  VRP_ASSIGN_OR_RETURN(const Header header, HeaderOf(name, content));
  const size_t wanted = kHeaderBytes + ValueCount(header) * sizeof(double);
  if (content.size() != wanted) {
    return DamagedFileError(
        name, Concat("has ", content.size(), " bytes, wanted ", wanted, " as its header says"));
  }
  auto matrices = std::make_shared<Matrices>();
  matrices->size = header.size;
  const size_t count = static_cast<size_t>(header.size) * static_cast<size_t>(header.size);
  const char* values = content.data() + kHeaderBytes;
  matrices->distances.resize(count);
  std::memcpy(matrices->distances.data(), values, count * sizeof(double));
  if (header.durations != 0) {
    matrices->durations.resize(count);
    std::memcpy(matrices->durations.data(), values + count * sizeof(double),
                count * sizeof(double));
  }
  return matrices;
}

}  // namespace

MatrixUpload::MatrixUpload(int32_t size, bool durations) {
  const Header header{size, durations ? 1 : 0};
  wanted_ = ValueCount(header);
  content_ = kMagic;
  content_.resize(kMagicBytes, '\0');
  content_.append(reinterpret_cast<const char*>(&header), sizeof(header));
}

absl::StatusOr<MatrixUpload> MatrixUpload::Begin(int32_t size, bool durations) {
  if (size < 2 || size > kMaxMatrixNodes) {
    return absl::InvalidArgumentError(
        Concat("size: got ", size, ", wanted 2 to ", kMaxMatrixNodes));
  }
  return MatrixUpload(size, durations);
}

int64_t MatrixUpload::BytesWith(size_t count) const {
  const size_t full_size = kHeaderBytes + wanted_ * sizeof(double);
  const size_t next = content_.size() + count * sizeof(double);
  const size_t reserved = next > content_.capacity() ? 2 * next : content_.capacity();
  return static_cast<int64_t>(std::min(full_size, reserved));
}

absl::Status MatrixUpload::Add(const double* values, size_t count) {
  if (count > wanted_ - count_) {
    return absl::InvalidArgumentError(
        Concat("values: got ", count_ + count, ", wanted ", wanted_, " as the header says"));
  }
  for (size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i]) && values[i] >= 0 && values[i] <= kMaxMagnitude) continue;
    return absl::InvalidArgumentError(Concat("values[", count_ + i, "]: got ",
                                             FormatNumber(values[i]), ", wanted 0 to ",
                                             FormatNumber(kMaxMagnitude)));
  }
  const auto bytes = static_cast<size_t>(BytesWith(count));
  if (bytes > content_.capacity()) content_.reserve(bytes);
  content_.append(reinterpret_cast<const char*>(values), count * sizeof(double));
  count_ += count;
  return absl::OkStatus();
}

absl::Status MatrixUpload::CheckComplete() const {
  if (count_ == wanted_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("values: got ", count_, ", wanted ", wanted_, " as the header says"));
}

absl::StatusOr<std::unique_ptr<MatrixStore>> MatrixStore::Create(Options options) {
  VRP_RETURN_IF_ERROR(EnsureDirectory(options.directory));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.directory, error)) {
    std::error_code ignored;
    if (!IsId(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
  if (error)
    return absl::UnavailableError(Concat(options.directory, ": cannot be read: ", error.message()));
  return std::unique_ptr<MatrixStore>(new MatrixStore(std::move(options)));
}

std::string MatrixStore::PathOf(std::string_view id) const {
  return Concat(options_.directory, "/", id);
}

absl::StatusOr<StoredMatrices> MatrixStore::Put(const MatrixUpload& upload) {
  VRP_RETURN_IF_ERROR(upload.CheckComplete());
  const std::string id = IdOfContent(upload.content());
  std::error_code error;
  // Stores the upload again if the existing file is damaged or cannot be read.
  if (Find(Concat(kPrefix, id)).ok()) return Describe(id);
  const int64_t count = std::distance(fs::directory_iterator(options_.directory, error), {});
  if (count >= options_.max_count) {
    return absl::ResourceExhaustedError(Concat("matrices: ", count, " are stored, the limit is ",
                                               options_.max_count,
                                               "; delete some: vrpctl matrices delete NAME"));
  }
  if (options_.check_space != nullptr) {
    VRP_RETURN_IF_ERROR(options_.check_space(static_cast<int64_t>(upload.content().size())));
  }
  VRP_RETURN_IF_ERROR(AtomicWriteFile(PathOf(id), upload.content()));
  return Describe(id);
}

absl::StatusOr<std::shared_ptr<const Matrices>> MatrixStore::Find(std::string_view name) const {
  VRP_ASSIGN_OR_RETURN(const std::string id, IdOf(name));
  {
    absl::MutexLock lock(&mutex_);
    for (auto entry = cache_.begin(); entry != cache_.end(); ++entry) {
      if (entry->first != id) continue;
      cache_.splice(cache_.begin(), cache_, entry);
      return entry->second;
    }
  }
  const absl::StatusOr<std::string> content = ReadFile(PathOf(id), kMaxMatrixBytes);
  if (absl::IsNotFound(content.status())) {
    return absl::NotFoundError(Concat("got ", Quoted(name), ", which this daemon does not have"));
  }
  // Errors must not reveal the file's path to the caller.
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        Concat("got ", Quoted(name), ", which cannot be read now; try again"));
  }
  if (const std::string found = IdOfContent(*content); found != id) {
    return DamagedFileError(name, Concat("has the hash ", found));
  }
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<const Matrices> matrices, Decode(name, *content));
  Cache(id, matrices);
  return matrices;
}

void MatrixStore::Cache(const std::string& id, std::shared_ptr<const Matrices> matrices) const {
  absl::MutexLock lock(&mutex_);
  const auto same = [&](const Cached& entry) { return entry.first == id; };
  if (std::any_of(cache_.begin(), cache_.end(), same)) return;
  cache_.emplace_front(id, std::move(matrices));
  int64_t bytes = 0;
  for (auto entry = cache_.begin(); entry != cache_.end();) {
    bytes += BytesOf(*entry->second);
    entry = bytes > options_.cache_bytes ? cache_.erase(entry) : std::next(entry);
  }
}

void MatrixStore::RemoveFromCache(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  cache_.remove_if([&](const Cached& entry) { return entry.first == id; });
}

absl::StatusOr<StoredMatrices> MatrixStore::Describe(const std::string& id) const {
  std::ifstream stream(PathOf(id), std::ios::binary);
  std::array<char, kHeaderBytes> start = {};
  stream.read(start.data(), start.size());
  std::string name = Concat(kPrefix, id);
  VRP_ASSIGN_OR_RETURN(const Header header, HeaderOf(name, {start.data(), start.size()}));
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(PathOf(id), error);
  return StoredMatrices{
      .name = std::move(name),
      .size = header.size,
      .durations = header.durations != 0,
      .bytes = static_cast<int64_t>(kHeaderBytes + ValueCount(header) * sizeof(double)),
      .created = absl::FromChrono(std::chrono::file_clock::to_sys(written))};
}

std::vector<StoredMatrices> MatrixStore::List() const {
  std::vector<StoredMatrices> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.directory, error)) {
    const std::string id = entry.path().filename().string();
    if (!IsId(id)) continue;
    absl::StatusOr<StoredMatrices> description = Describe(id);
    if (description.ok()) all.push_back(*std::move(description));
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return all;
}

absl::Status MatrixStore::Delete(std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const std::string id, IdOf(name));
  RemoveFromCache(id);
  std::error_code error;
  if (fs::remove(PathOf(id), error)) return SyncPath(options_.directory);
  if (!error)
    return absl::NotFoundError(Concat("got ", Quoted(name), ", which this daemon does not have"));
  return absl::UnavailableError(
      Concat("got ", Quoted(name), ", which cannot be removed: ", error.message()));
}

}  // namespace vrp
