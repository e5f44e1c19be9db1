#include "core/train/input_check.h"

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
#include "core/train/initial_model.h"
#include "core/train/instance_source.h"
#include "core/train/labels.h"
#include "core/train/validation.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// So that a submission is answered within seconds.
constexpr int64_t kMostBytes = int64_t{64} << 20;

class InputCheck {
 public:
  explicit InputCheck(const TrainingRequest& request)
      : request_(request),
        config_(request.config),
        order_(config_.model == "ptrnet" ? NodeOrder::kByAngle : NodeOrder::kAsGiven) {}

  absl::Status Run() {
    for (const std::string& file : config_.problem.instances) {
      Note("problem.instances", CheckInstances(file));
    }
    if (!config_.validation.file.empty()) Note("validation.file", CheckValidation());
    const SupervisedConfig& supervised = config_.supervised;
    if (config_.method == TrainingMethod::kSupervised && supervised.labels == LabelSource::kFile) {
      Note("supervised.label_file", CheckLabels(supervised.label_file));
    }
    if (!config_.initial_model.empty()) {
      Note("training.initial_model", CheckInitialModel(config_, request_.models_directories));
    }
    if (errors_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  void Note(std::string_view key, const absl::Status& status) {
    if (status.ok()) return;
    const std::string_view message = FromAbsl(status.message());
    errors_.push_back(message.starts_with(key) ? std::string(message) : Concat(key, ": ", message));
  }

  // Whether `file` fits what may be read still; an error where it cannot be opened.
  absl::StatusOr<bool> MayRead(const std::string& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    // A pipe would keep the caller waiting.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      return absl::InvalidArgumentError(Concat(file, ": wanted a regular file"));
    }
    const absl::Status opened = ReadFile(file, 0).status();
    if (!opened.ok() && !absl::IsResourceExhausted(opened)) return opened;
    const auto size = static_cast<int64_t>(fs::file_size(file, error));
    if (error || size > bytes_left_) return false;
    bytes_left_ -= size;
    return true;
  }

  absl::Status CheckInstances(const std::string& file) {
    VRP_ASSIGN_OR_RETURN(const bool may_read, MayRead(file));
    return may_read ? ReadInstanceFiles({file}, order_).status() : absl::OkStatus();
  }

  absl::Status CheckValidation() {
    const std::string& file = config_.validation.file;
    VRP_ASSIGN_OR_RETURN(const bool may_read, MayRead(file));
    if (!may_read) return absl::OkStatus();
    VRP_ASSIGN_OR_RETURN(const std::vector<Instance> instances, ReadInstanceFiles({file}, order_));
    if (config_.validation.reference != Reference::kFile) return absl::OkStatus();
    const int64_t most = std::min(std::ssize(instances), config_.validation.instances);
    for (int64_t i = 0; i < most; ++i) {
      VRP_RETURN_IF_ERROR(FileReference(config_, instances[static_cast<size_t>(i)], i).status());
    }
    return absl::OkStatus();
  }

  absl::Status CheckLabels(const std::string& file) {
    VRP_ASSIGN_OR_RETURN(const bool may_read, MayRead(file));
    if (!may_read) return absl::OkStatus();
    return ReadLabels(file, {.limit = config_.supervised.samples, .order = order_},
                      [](const Sample&) { return absl::OkStatus(); });
  }

  const TrainingRequest& request_;
  const TrainingConfig& config_;
  const NodeOrder order_;
  int64_t bytes_left_ = kMostBytes;
  std::vector<std::string> errors_;
};

}  // namespace

absl::Status CheckTrainingInputs(const TrainingRequest& request) {
  return InputCheck(request).Run();
}

}  // namespace vrp
