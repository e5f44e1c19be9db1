#include "core/train/data/json_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/open_file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Number of bytes of a file that are read at once.
constexpr size_t kPieceBytes = size_t{1} << 18;

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

absl::StatusOr<bool> LineSplitter::PassLine(std::string_view line, LineFn take) {
  ++number_;
  if (IsBlank(line)) return true;
  return take(line, number_);
}

absl::StatusOr<bool> LineSplitter::Add(std::string_view piece, LineFn take) {
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (static_cast<int64_t>(partial_line_.size() + part.size()) > kMaxLineBytes) {
      return absl::InvalidArgumentError(Concat("line ", number_ + 1, ": has more than ",
                                               kMaxLineBytes, " bytes, the limit of a line"));
    }
    if (end == std::string_view::npos) {
      partial_line_.append(part);
      return true;
    }
    std::string whole;
    if (!partial_line_.empty()) {
      whole.swap(partial_line_);
      whole.append(part);
    }
    VRP_ASSIGN_OR_RETURN(const bool more, PassLine(whole.empty() ? part : whole, take));
    if (!more) return false;
    piece.remove_prefix(end + 1);
  }
  return true;
}

absl::StatusOr<bool> LineSplitter::Finish(LineFn take) {
  if (partial_line_.empty()) return true;
  std::string last;
  last.swap(partial_line_);
  return PassLine(last, take);
}

absl::Status ForEachLine(const DataFile& file, LineSplitter::LineFn take) {
  const OpenFile opened(open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.descriptor() < 0) return absl::ErrnoToStatus(errno, Concat("open ", file.name));
  bool any = false;
  bool refused = false;
  const auto counted = [&](std::string_view line, int64_t number) {
    any = true;
    absl::StatusOr<bool> more = take(line, number);
    refused = !more.ok();
    return more;
  };
  LineSplitter lines;
  std::string piece(kPieceBytes, '\0');
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) {
    const ssize_t got = read(opened.descriptor(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, Concat("read ", file.name));
    if (got == 0) break;
    more = lines.Add(std::string_view(piece).substr(0, static_cast<size_t>(got)), counted);
  }
  if (more.ok() && *more) more = lines.Finish(counted);
  if (refused) return more.status();
  if (!more.ok()) {
    return absl::Status(more.status().code(),
                        Concat(file.name, ": ", FromAbsl(more.status().message())));
  }
  if (any) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(file.name, ": got no text, wanted at least one line"));
}

}  // namespace vrp
