#include "client/batch/batch_input.h"

#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace vrp::client {

BatchInput::BatchInput(std::vector<std::string> paths, const std::vector<AnswerFile>& answers,
                       const InstanceFlags& flags)
    : flags_(flags) {
  for (size_t i = 0; i < paths.size(); ++i) {
    starts_.push_back({.path = std::move(paths[i]),
                       .is_complete = answers[i].is_complete(),
                       .last_line = answers[i].last_line()});
  }
}

absl::Status BatchInput::OpenFile() {
  const Start& start = starts_[file_number_];
  absl::StatusOr<InstanceSource> source = InstanceSource::Open(start.path, flags_, std::cin);
  if (!source.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(start.path, ": ", source.status().message()));
  }
  if (!source->is_json_lines()) {
    return absl::InvalidArgumentError(absl::StrCat(
        start.path,
        ": got a file of one instance, wanted .jsonl with --answers; solve it without"));
  }
  source->SkipLines(start.last_line);
  skipped_bytes_ += source->bytes_read();
  source_ = *std::move(source);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<BatchItem>> BatchInput::Next() {
  for (; file_number_ < starts_.size(); ++file_number_) {
    const Start& start = starts_[file_number_];
    if (start.is_complete) {
      std::error_code ignored;
      skipped_bytes_ += static_cast<int64_t>(std::filesystem::file_size(start.path, ignored));
      continue;
    }
    if (!source_.has_value()) {
      const absl::Status opened = OpenFile();
      if (!opened.ok()) return opened;
    }
    const int64_t before = source_->bytes_read();
    absl::StatusOr<std::optional<v1::InstanceFile>> file = source_->Next();
    if (file.ok() && !file->has_value()) {
      source_.reset();
      continue;
    }
    BatchItem item = {.number = next_number_++,
                      .file_number = file_number_,
                      .line = source_->line_number(),
                      .bytes = source_->bytes_read() - before,
                      .unreadable = file.status()};
    if (file.ok()) item.file = **std::move(file);
    return item;
  }
  return std::nullopt;
}

}  // namespace vrp::client
