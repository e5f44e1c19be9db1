// Headers of regular files in POSIX ustar archives, which `tar` reads and writes.
//
// A file consists of its header, a block of 512 bytes, and its content, padded with zeros to whole
// blocks. Two blocks of zeros end the archive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace vrp {

// Size of a block, in bytes.
inline constexpr size_t kTarBlockBytes = 512;
// Maximum size of a file, in bytes. The header has 11 octal digits for it.
inline constexpr int64_t kMaxTarFileBytes = (int64_t{1} << 33) - 1;

// The metadata of a file.
struct TarEntry {
  std::string path;
  int64_t size = 0;
  uint32_t mode = 0600;
  absl::Time modified = absl::UnixEpoch();  // in whole seconds
};

// Returns a header. Returns kInvalidArgument naming the path if the path is too long for the
// format: 100 bytes, or 255 with a '/' in a suitable position. Also refuses files larger than
// kMaxTarFileBytes.
absl::StatusOr<std::string> WriteTarHeader(const TarEntry& entry);

// Parses a header. Returns nullopt for zeros, which mark the end. Returns kDataLoss if `block` does
// not have kTarBlockBytes, is not a header or has a wrong checksum. Returns kInvalidArgument if the
// entry is not a regular file. Does not check the path.
absl::StatusOr<std::optional<TarEntry>> ParseTarHeader(std::string_view block);

// Returns the number of padding zeros after `bytes` bytes of content.
size_t TarPadding(int64_t bytes);

}  // namespace vrp
