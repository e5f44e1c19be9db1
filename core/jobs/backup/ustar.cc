#include "core/jobs/backup/ustar.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/str_format.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr char kRegular = '0';  // the type of a regular file
// Maximum length of a path, in bytes. The format could hold 256, but CheckBackupPath allows 255.
constexpr size_t kMaxTarPathBytes = 255;

// The header's layout as POSIX defines it.
struct Header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char modified[12];
  char sum[8];
  char type;
  char link_name[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(Header) == kTarBlockBytes);

// Returns the header's checksum: the sum of all bytes, with spaces in place of the checksum's
// bytes.
uint32_t Checksum(Header header) {
  std::memset(header.sum, ' ', sizeof(header.sum));
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  return std::accumulate(bytes, bytes + sizeof(header), uint32_t{0});
}

template <size_t kBytes>
void PutOctal(char (&field)[kBytes], uint64_t value) {
  absl::SNPrintF(field, kBytes, "%0*o", static_cast<int>(kBytes) - 1, value);
}

// Parses octal digits up to the first space or zero byte. Only spaces and zero bytes may follow.
template <size_t kBytes>
std::optional<int64_t> ReadOctal(const char (&field)[kBytes]) {
  int64_t value = 0;
  size_t at = 0;
  for (; at < kBytes && field[at] >= '0' && field[at] <= '7'; ++at)
    value = value * 8 + field[at] - '0';
  const bool rest_is_blank =
      std::all_of(field + at, field + kBytes, [](char c) { return c == ' ' || c == '\0'; });
  if (at == 0 || !rest_is_blank) return std::nullopt;
  return value;
}

template <size_t kBytes>
std::string_view Text(const char (&field)[kBytes]) {
  return {field, strnlen(field, kBytes)};
}

// Returns the position of the '/' between the header's prefix and name. Returns 0 if the whole path
// fits into the name, and nullopt if the path is too long or cannot be split.
std::optional<size_t> SplitPosition(const std::string& path) {
  if (path.size() <= sizeof(Header::name)) return 0;
  if (path.size() > kMaxTarPathBytes) return std::nullopt;
  for (size_t at = path.find('/', path.size() - 1 - sizeof(Header::name));
       at != std::string::npos && at <= sizeof(Header::prefix); at = path.find('/', at + 1)) {
    if (at > 0 && at + 1 < path.size()) return at;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::string> WriteTarHeader(const TarEntry& entry) {
  const std::optional<size_t> split = SplitPosition(entry.path);
  if (!split.has_value() || entry.path.empty()) {
    return absl::InvalidArgumentError(
        Concat(Quoted(entry.path), ": has ", entry.path.size(),
               " bytes, wanted a path that tar can hold: at most 100, or 255 with a suitable '/'"));
  }
  if (entry.size < 0 || entry.size > kMaxTarFileBytes) {
    return absl::InvalidArgumentError(Concat(entry.path, ": has ", entry.size,
                                             " bytes, wanted at most the limit of tar, ",
                                             kMaxTarFileBytes));
  }
  Header header = {};
  const std::string_view path = entry.path;
  const std::string_view name = *split == 0 ? path : path.substr(*split + 1);
  std::memcpy(header.name, name.data(), name.size());
  std::memcpy(header.prefix, path.data(), *split);
  PutOctal(header.mode, entry.mode & 0777);
  PutOctal(header.uid, 0);
  PutOctal(header.gid, 0);
  PutOctal(header.size, static_cast<uint64_t>(entry.size));
  PutOctal(header.modified,
           static_cast<uint64_t>(std::max<int64_t>(0, absl::ToUnixSeconds(entry.modified))));
  header.type = kRegular;
  std::memcpy(header.magic, "ustar", sizeof(header.magic));
  std::memcpy(header.version, "00", sizeof(header.version));
  absl::SNPrintF(header.sum, sizeof(header.sum), "%06o", Checksum(header));
  header.sum[7] = ' ';
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
}

absl::StatusOr<std::optional<TarEntry>> ParseTarHeader(std::string_view block) {
  if (block.size() != kTarBlockBytes) {
    return absl::DataLossError(Concat("got ", block.size(), " bytes, wanted a tar header"));
  }
  if (block.find_first_not_of('\0') == std::string_view::npos) return std::nullopt;
  Header header;
  std::memcpy(&header, block.data(), sizeof(header));
  const std::optional<int64_t> size = ReadOctal(header.size);
  const std::optional<int64_t> mode = ReadOctal(header.mode);
  const std::optional<int64_t> modified = ReadOctal(header.modified);
  if (ReadOctal(header.sum) != Checksum(header) || Text(header.magic) != "ustar" || !size ||
      !mode || !modified) {
    return absl::DataLossError("a tar header is damaged, or this is not a tar archive");
  }
  TarEntry entry{.path = std::string(Text(header.name)),
                 .size = *size,
                 .mode = static_cast<uint32_t>(*mode & 0777),
                 .modified = absl::FromUnixSeconds(*modified)};
  if (!Text(header.prefix).empty()) entry.path = Concat(Text(header.prefix), "/", entry.path);
  if (header.type == kRegular) return entry;
  return absl::InvalidArgumentError(Concat(Quoted(entry.path), ": got an entry of tar's type ",
                                           Quoted(std::string_view(&header.type, 1)),
                                           ", wanted a regular file"));
}

size_t TarPadding(int64_t bytes) {
  const auto over = static_cast<size_t>(bytes) % kTarBlockBytes;
  return over == 0 ? 0 : kTarBlockBytes - over;
}

}  // namespace vrp
