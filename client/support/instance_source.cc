#include "client/support/instance_source.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/support/files.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

bool IsBlank(const std::string& line) {
  return line.find_first_not_of(" \t\r\n") == std::string::npos;
}

bool IsWholeObject(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string::npos && line[first] == '{' && nlohmann::json::accept(line);
}

absl::Status LineTooLongError() {
  return absl::InvalidArgumentError(absl::StrCat(
      "more than ", kMaxInputBytes,
      " bytes, the limit of a line in a message; use coordinates instead of a matrix"));
}

}  // namespace

absl::StatusOr<InstanceSource> InstanceSource::Open(const std::string& path,
                                                    const InstanceFlags& flags,
                                                    std::istream& standard_input) {
  InstanceSource source;
  source.path_ = path == "-" ? "stdin" : path;
  source.where_ = source.path_;
  if (path == "-") {
    source.stream_ = &standard_input;
  } else {
    const absl::Status readable = CheckReadable(path);
    if (!readable.ok()) return readable;
    source.owned_ = std::make_unique<std::ifstream>(path, std::ios::binary);
    source.stream_ = source.owned_.get();
  }
  source.is_json_lines_ =
      flags.format == "jsonl" || (flags.format == "auto" && absl::EndsWith(path, ".jsonl"));
  InstanceFlags line_flags = flags;
  if (source.is_json_lines_) line_flags.format = "json";
  absl::StatusOr<v1::InstanceFile> empty = EmptyInstanceFile(line_flags);
  if (!empty.ok()) return empty.status();
  source.empty_ = *std::move(empty);
  if (path == "-" && flags.format == "auto") {
    absl::StatusOr<std::optional<std::string>> first = source.ReadLine();
    if (!first.ok()) return first.status();
    source.line_number_ = 0;
    source.is_json_lines_ =
        first->has_value() && IsWholeObject(**first) && standard_input.peek() != EOF;
    if (source.is_json_lines_) source.empty_.set_format(v1::INSTANCE_FORMAT_JSON);
    source.pending_ = *std::move(first);
  }
  return source;
}

v1::InstanceFile InstanceSource::MakeFile(std::string_view name, std::string content) const {
  v1::InstanceFile file = empty_;
  file.set_name(ToValidUtf8(name));
  file.set_content(std::move(content));
  return file;
}

absl::StatusOr<std::optional<v1::InstanceFile>> InstanceSource::Next() {
  if (is_json_lines_) return NextLine();
  if (std::exchange(done_, true)) return std::nullopt;
  absl::StatusOr<std::string> content = ReadStream(*stream_);
  if (!content.ok()) return content.status();
  if (pending_.has_value())
    *content = absl::StrCat(*std::exchange(pending_, std::nullopt), "\n", *content);
  return MakeFile(BaseName(path_), *std::move(content));
}

absl::StatusOr<std::optional<v1::InstanceFile>> InstanceSource::NextLine() {
  while (true) {
    absl::StatusOr<std::optional<std::string>> line = ReadLine();
    where_ = absl::StrCat(path_, ":", line_number_);
    if (!line.ok()) return line.status();
    if (!line->has_value()) return std::nullopt;
    if (IsBlank(**line)) continue;
    return MakeFile(absl::StrCat(BaseName(path_), ":", line_number_), **std::move(line));
  }
}

absl::StatusOr<std::optional<std::string>> InstanceSource::ReadLine() {
  ++line_number_;
  if (pending_.has_value()) return std::exchange(pending_, std::nullopt);
  std::string line;
  bool too_long = false;
  std::streambuf& buffer = *stream_->rdbuf();
  int c = buffer.sbumpc();
  if (c == EOF) {
    stream_->setstate(std::ios::eofbit);
    return std::nullopt;
  }
  for (; c != EOF && c != '\n'; c = buffer.sbumpc()) {
    ++bytes_read_;
    too_long = too_long || static_cast<int64_t>(line.size()) >= kMaxInputBytes;
    if (!too_long) line += static_cast<char>(c);
  }
  if (c == '\n') ++bytes_read_;
  if (too_long) return LineTooLongError();
  return line;
}

void InstanceSource::SkipLines(int64_t count) {
  std::streambuf& buffer = *stream_->rdbuf();
  while (count > 0) {
    const int c = buffer.sbumpc();
    if (c == EOF) return;
    ++bytes_read_;
    if (c != '\n') continue;
    --count;
    ++line_number_;
  }
}

}  // namespace vrp::client
