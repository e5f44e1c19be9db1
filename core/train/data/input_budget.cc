#include "core/train/data/input_budget.h"

#include <filesystem>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<bool> InputBudget::MayRead(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  // Reading a pipe could block forever.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return absl::InvalidArgumentError(
        Concat(file, ": is not a regular file; name one, or upload a dataset"));
  }
  const absl::Status opened = ReadFile(file, 0).status();
  if (absl::IsNotFound(opened)) {
    return absl::NotFoundError(
        Concat(FromAbsl(opened.message()),
               " on the daemon's machine; give an absolute path there, or upload the file: vrpctl "
               "datasets upload FILE --name NAME"));
  }
  if (!opened.ok() && !absl::IsResourceExhausted(opened)) return opened;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file, error));
  if (error || size > bytes_left_) return false;
  bytes_left_ -= size;
  return true;
}

}  // namespace vrp
