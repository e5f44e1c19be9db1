#include "core/base/write_all.h"

#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"

namespace vrp {

absl::Status WriteAll(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, Concat("write ", path));
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace vrp
