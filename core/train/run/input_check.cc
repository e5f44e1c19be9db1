#include "core/train/run/input_check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/input_budget.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/labels.h"
#include "core/train/run/initial_model.h"
#include "core/train/run/validation_set.h"

namespace vrp {
namespace {

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

  absl::Status CheckFile(const NamedData& data) {
    VRP_ASSIGN_OR_RETURN(const bool may_read, budget_.MayRead(data.name));
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
  InputBudget budget_;  // the weights of training.initial_model are not counted
  std::vector<std::string> errors_;
};

}  // namespace

absl::Status CheckTrainingInputs(const TrainingRequest& request) {
  return InputCheck(request).Run();
}

}  // namespace vrp
