#include "client/batch/answer_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace vrp::client {
namespace {

namespace fs = std::filesystem;

// Returns the number of the input's line that `answer` answers; 0 if it is no answer.
int64_t LineOf(const std::string& answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return 0;
  const auto line = json.find("line");
  return line != json.end() && line->is_number_integer() ? line->get<int64_t>() : 0;
}

// Writes the file's content to the disk.
bool Sync(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced;
}

}  // namespace

absl::StatusOr<AnswerFile> AnswerFile::Open(const std::string& path) {
  AnswerFile file(path);
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    file.is_complete_ = true;
    return file;
  }
  const absl::Status resumed = file.Resume();
  if (!resumed.ok()) return resumed;
  return file;
}

absl::Status AnswerFile::Resume() {
  std::ifstream part(PartPath(), std::ios::binary);
  std::string line, last;
  int64_t size = 0;
  // A last line without a line break was not written completely.
  while (std::getline(part, line) && !part.eof()) {
    size += static_cast<int64_t>(line.size()) + 1;
    ++found_;
    std::swap(line, last);
  }
  if (found_ > 0) last_line_ = LineOf(last);
  if (found_ > 0 && last_line_ == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(PartPath(), ":", found_,
                     ": got no answer of an earlier run; remove the file to solve its instances "
                     "again"));
  }
  part.close();
  std::error_code error;
  if (fs::exists(PartPath(), error))
    fs::resize_file(PartPath(), static_cast<uintmax_t>(size), error);
  if (error) return absl::InternalError(absl::StrCat(PartPath(), ": ", error.message()));
  part_.open(PartPath(), std::ios::binary | std::ios::app);
  return part_ ? absl::OkStatus() : Failed();
}

absl::Status AnswerFile::Failed() const {
  return absl::InternalError(
      absl::StrCat(PartPath(), ": cannot be written: ", std::strerror(errno)));
}

absl::Status AnswerFile::Append(std::string_view answer) {
  part_ << answer << '\n';
  return part_ ? absl::OkStatus() : Failed();
}

absl::Status AnswerFile::Flush() {
  part_.flush();
  return part_ ? absl::OkStatus() : Failed();
}

absl::Status AnswerFile::Complete() {
  part_.close();
  if (!part_ || !Sync(PartPath())) return Failed();
  std::error_code error;
  fs::rename(PartPath(), path_, error);
  if (error) return absl::InternalError(absl::StrCat(path_, ": ", error.message()));
  is_complete_ = true;
  return absl::OkStatus();
}

}  // namespace vrp::client
