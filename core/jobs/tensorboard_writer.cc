#include "core/jobs/tensorboard_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Wire types of protobuf.
constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

// Returns the bytes of a number in little-endian order.
template <typename Number>
std::string LittleEndian(Number number) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(number); ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
  return bytes;
}

std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

std::string Key(uint32_t field, uint32_t wire_type) { return Varint(field << 3 | wire_type); }

std::string Message(uint32_t field, std::string_view content) {
  return Concat(Key(field, kBytes), Varint(content.size()), content);
}

// Returns the fields that all Events have: `double wall_time = 1; int64 step = 2`.
std::string EventHead(absl::Time time, int64_t step) {
  const double seconds = absl::ToDoubleSeconds(time - absl::UnixEpoch());
  return Concat(Key(1, kFixed64), LittleEndian(std::bit_cast<uint64_t>(seconds)), Key(2, kVarint),
                Varint(static_cast<uint64_t>(step)));
}

// Returns the CRC-32C of `bytes` as TFRecords store it: rotated, plus a constant. A CRC of data
// that contains CRCs would be weak.
std::string MaskedCrc(std::string_view bytes) {
  return LittleEndian(std::rotr(Crc32c(bytes), 15) + 0xa282ead8u);
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeCrcTable();
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return crc ^ 0xffffffff;
}

absl::StatusOr<std::unique_ptr<TensorBoardWriter>> TensorBoardWriter::Open(const Options& options) {
  VRP_RETURN_IF_ERROR(EnsureDirectory(options.folder));
  // Readers require "tfevents" in the name and read files in the order of their names.
  const std::string name = absl::StrFormat("events.out.tfevents.%010d.%06d.vrpd",
                                           absl::ToUnixSeconds(options.time), options.attempt);
  const std::string path = (std::filesystem::path(options.folder) / name).string();
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, Concat("open ", path));
  std::unique_ptr<TensorBoardWriter> writer(new TensorBoardWriter(path, descriptor));
  VRP_RETURN_IF_ERROR(writer->WriteRecord(
      Concat(EventHead(options.time, 0), Message(3, "brain.Event:2"))));  // file_version
  if (options.resumed_from > 0) {
    // `SessionLog session_log = 7 { status = 1: START }`: earlier events from this step on
    // are invalid.
    const std::string start = Concat(Key(1, kVarint), Varint(1));
    VRP_RETURN_IF_ERROR(writer->WriteRecord(
        Concat(EventHead(options.time, options.resumed_from + 1), Message(7, start))));
  }
  return writer;
}

TensorBoardWriter::~TensorBoardWriter() { close(descriptor_); }

absl::Status TensorBoardWriter::Add(absl::Time time, int64_t step,
                                    std::span<const TensorBoardScalar> scalars) {
  std::string summary;  // `repeated Value value = 1 { string tag = 1; float simple_value = 2; }`
  for (const TensorBoardScalar& scalar : scalars) {
    if (!std::isfinite(scalar.value)) continue;
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(scalar.value));
    summary += Message(1, Concat(Message(1, scalar.tag), Key(2, kFixed32), LittleEndian(bits)));
  }
  if (summary.empty()) return absl::OkStatus();
  return WriteRecord(Concat(EventHead(time, step), Message(5, summary)));  // Summary summary = 5
}

absl::Status TensorBoardWriter::WriteRecord(std::string_view event) {
  const std::string length = LittleEndian(static_cast<uint64_t>(event.size()));
  const std::string record = Concat(length, MaskedCrc(length), event, MaskedCrc(event));
  size_t written = 0;
  while (written < record.size()) {
    const ssize_t bytes = write(descriptor_, record.data() + written, record.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return absl::ErrnoToStatus(errno, Concat("write ", path_));
    written += static_cast<size_t>(bytes);
  }
  return absl::OkStatus();
}

}  // namespace vrp
