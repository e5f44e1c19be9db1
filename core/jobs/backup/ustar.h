// The headers of POSIX ustar archives, of regular files alone: what `tar` reads and writes.
//
// A file is its header, a block of 512 bytes, and its content, filled up with zeros to whole
// blocks; after the last one come two blocks of zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace vrp {

inline constexpr size_t kTarBlockBytes = 512;
inline constexpr int64_t kMaxTarFileBytes = (int64_t{1} << 33) - 1;  // eleven octal digits

struct TarEntry {
  std::string path;
  int64_t size = 0;
  uint32_t mode = 0600;
  absl::Time modified = absl::UnixEpoch();  // to the second
};

// kInvalidArgument names the path: too long for the format (100 bytes, or 255 where a '/' lies
// right), or a file above kMaxTarFileBytes.
absl::StatusOr<std::string> WriteTarHeader(const TarEntry& entry);

// `block` has kTarBlockBytes. nullopt: zeros, the end. kDataLoss: it is no header, or its sum is
// wrong; kInvalidArgument: it is of a link, a folder, a device. The path is as it stands there.
absl::StatusOr<std::optional<TarEntry>> ParseTarHeader(std::string_view block);

// How many zeros follow so many bytes.
size_t TarPadding(int64_t bytes);

}  // namespace vrp
