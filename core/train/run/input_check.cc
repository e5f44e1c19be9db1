#include "core/train/run/input_check.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/labels.h"
#include "core/train/run/initial_model.h"
#include "core/train/run/validation_set.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Largest number of bytes of instances, labels and validation that a submission reads, so that its
// answer comes within seconds. The weights of training.initial_model are not counted.
constexpr int64_t kMaxCheckedBytes = int64_t{64} << 20;

class InputCheck {
 public:
  explicit InputCheck(const TrainingRequest& request)
      : request_(request), config_(request.config), form_(config_.Inputs().form) {}

  absl::Status Run() {
    // Datasets were already checked when they were uploaded.
    for (const NamedData& data : DataReadBy(config_)) {
      if (!IsDataset(data.name)) AddError(data.key, CheckFile(data));
    }
    if (!config_.initial_model.empty()) {
      AddError("training.initial_model", CheckInitialModel(config_, request_.models_directories));
    }
    if (errors_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  void AddError(std::string_view key, const absl::Status& status) {
    if (status.ok()) return;
    const std::string_view message = FromAbsl(status.message());
    errors_.push_back(message.starts_with(key) ? std::string(message) : Concat(key, ": ", message));
  }

  // Returns whether `file` is within the bytes that may still be read. Returns an error if the file
  // is not regular or cannot be opened.
  absl::StatusOr<bool> MayRead(const std::string& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    // Reading a pipe could block forever.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      return absl::InvalidArgumentError(
          Concat(file, ": is not a regular file; name one, or upload a dataset"));
    }
    const absl::Status opened = ReadFile(file, 0).status();
    if (absl::IsNotFound(opened)) {
      return absl::NotFoundError(Concat(
          FromAbsl(opened.message()),
          " on the daemon's machine; give an absolute path there, or upload the file: vrpctl "
          "datasets upload FILE --name NAME"));
    }
    if (!opened.ok() && !absl::IsResourceExhausted(opened)) return opened;
    const auto size = static_cast<int64_t>(fs::file_size(file, error));
    if (error || size > bytes_left_) return false;
    bytes_left_ -= size;
    return true;
  }

  absl::Status CheckFile(const NamedData& data) {
    VRP_ASSIGN_OR_RETURN(const bool may_read, MayRead(data.name));
    if (!may_read) return absl::OkStatus();
    if (data.key == "validation.file") return CheckValidation(data.name);
    if (data.key == "supervised.label_file") return CheckLabels(data.name);
    return ReadInstanceFiles({DataFile(data.name)}, form_).status();
  }

  absl::Status CheckValidation(const std::string& file) {
    VRP_ASSIGN_OR_RETURN(const std::vector<Instance> instances,
                         ReadInstanceFiles({DataFile(file)}, form_));
    if (config_.validation.reference != Reference::kFile) return absl::OkStatus();
    const int64_t used = std::min(std::ssize(instances), config_.validation.instances);
    for (int64_t i = 0; i < used; ++i) {
      VRP_RETURN_IF_ERROR(FileReference(config_, instances[static_cast<size_t>(i)], i).status());
    }
    return absl::OkStatus();
  }

  absl::Status CheckLabels(const std::string& file) {
    return ReadLabels(DataFile(file), {.limit = config_.supervised.samples, .form = form_},
                      [](const Sample&) { return absl::OkStatus(); });
  }

  const TrainingRequest& request_;
  const TrainingConfig& config_;
  const BatchForm form_;
  int64_t bytes_left_ = kMaxCheckedBytes;
  std::vector<std::string> errors_;
};

}  // namespace

absl::Status CheckTrainingInputs(const TrainingRequest& request) {
  return InputCheck(request).Run();
}

}  // namespace vrp
