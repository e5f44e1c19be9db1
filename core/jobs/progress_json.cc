#include "core/jobs/progress_json.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

nlohmann::json FromDouble(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

bool ToDouble(const nlohmann::json& value, double& target) {
  if (value.is_number()) {
    target = value.get<double>();
  } else if (value == "nan") {
    target = std::numeric_limits<double>::quiet_NaN();
  } else if (value == "inf" || value == "-inf") {
    target = std::numeric_limits<double>::infinity() * (value == "inf" ? 1 : -1);
  } else {
    return false;
  }
  return true;
}

// Calls `visit(key, field)` for each field, so that writer and reader use the same keys.
template <typename Progress, typename Visit>
void ForEachField(Progress& progress, Visit visit) {
  visit("epoch", progress.epoch);
  visit("epochs", progress.epochs);
  visit("step", progress.step);
  visit("steps", progress.steps);
  visit("loss", progress.loss);
  visit("train_cost", progress.train_cost);
  visit("validation_cost", progress.validation_cost);
  visit("validation_reference", progress.validation_reference);
  visit("learning_rate", progress.learning_rate);
  visit("gradient_norm", progress.gradient_norm);
  visit("instances_per_second", progress.instances_per_second);
  visit("end_of_epoch", progress.end_of_epoch);
  visit("validation_gap", progress.validation_gap);
  visit("accuracy", progress.accuracy);
  visit("validation_accuracy", progress.validation_accuracy);
  visit("pass_difference", progress.pass_difference);
  visit("instances_seen", progress.instances_seen);
  visit("matrix_bytes_per_step", progress.matrix_bytes_per_step);
  visit("device_utilization", progress.device_utilization);
  visit("device_memory_used_bytes", progress.device_memory_used_bytes);
  visit("total_steps", progress.totals.steps);
  visit("total_skipped_steps", progress.totals.skipped_steps);
  visit("total_instances", progress.totals.instances);
  visit("total_seconds", progress.totals.seconds);
  visit("total_copies", progress.totals.copies);
  visit("total_copied_bytes", progress.totals.copied_bytes);
  visit("total_matrix_bytes", progress.totals.matrix_bytes);
  visit("reference", progress.reference);
  visit("seconds_per_step", progress.seconds_per_step);
  visit("seconds_per_epoch", progress.seconds_per_epoch);
  for (size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    visit(Concat("seconds_", kPhaseNames[phase]), progress.totals.phase_seconds[phase]);
  }
}

template <typename Progress, typename Visit>
void ForEachRunTime(Progress& progress, Visit visit) {
  for (size_t phase = 0; phase < kRunPhaseNames.size(); ++phase) {
    auto& time = progress.totals.run_phases[phase];
    visit(Concat("run_wall_", kRunPhaseNames[phase]), time.wall_seconds);
    visit(Concat("run_threads_", kRunPhaseNames[phase]), time.thread_seconds);
  }
}

template <typename Published, typename Visit>
void ForEachPublishedField(Published& published, Visit visit) {
  visit("epoch", published.epoch);
  visit("step", published.step);
  visit("validation_cost", published.validation_cost);
}

constexpr char kReason[] = "reason";  // key of the published weights, written as a name

template <typename Progress, typename Visit>
void ForEachSolveField(Progress& progress, Visit visit) {
  visit("improvements", progress.improvements);
  visit("cost", progress.cost);
  visit("routes", progress.routes);
  visit("unserved", progress.unserved);
  visit("parts", progress.parts);
}

// Keys of the times of a search, which are written in nanoseconds.
constexpr char kSearched[] = "searched_ns";
constexpr char kImproved[] = "improved_ns";

struct Writer {
  nlohmann::json& json;
  void operator()(const std::string& key, int64_t value) const { json[key] = value; }
  void operator()(const std::string& key, double value) const { json[key] = FromDouble(value); }
  void operator()(const std::string& key, bool value) const { json[key] = value; }
  void operator()(const std::string& key, const std::string& value) const { json[key] = value; }
  template <typename Value>
  void operator()(const std::string& key, const std::optional<Value>& value) const {
    if (value.has_value()) (*this)(key, *value);
  }
};

absl::Status UnreadableText(std::string_view source, std::string_view text) {
  return absl::DataLossError(
      Concat(source, ": got ", Quoted(text),
             ", wanted a JSON object with the fields and types that vrpd writes; the file is "
             "damaged: restore a copy of it, without its -wal and -shm"));
}

struct Reader {
  const nlohmann::json& json;
  bool& valid;
  void operator()(const std::string& key, int64_t& value) const {
    if (!json.contains(key)) return;
    json[key].is_number_integer() ? void(value = json[key].get<int64_t>()) : void(valid = false);
  }
  void operator()(const std::string& key, double& value) const {
    if (json.contains(key) && !ToDouble(json[key], value)) valid = false;
  }
  void operator()(const std::string& key, bool& value) const {
    if (!json.contains(key)) return;
    json[key].is_boolean() ? void(value = json[key].get<bool>()) : void(valid = false);
  }
  void operator()(const std::string& key, std::string& value) const {
    if (!json.contains(key)) return;
    json[key].is_string() ? void(value = json[key].get<std::string>()) : void(valid = false);
  }
  template <typename Value>
  void operator()(const std::string& key, std::optional<Value>& value) const {
    if (json.contains(key)) (*this)(key, value.emplace());
  }
};

}  // namespace

std::string WriteProgress(const TrainingProgress& progress, RunTimes run_times) {
  nlohmann::json json = nlohmann::json::object();
  ForEachField(progress, Writer{json});
  if (run_times == RunTimes::kInclude) ForEachRunTime(progress, Writer{json});
  return json.dump();
}

absl::StatusOr<TrainingProgress> ParseProgress(std::string_view text, std::string_view source) {
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(text, "progress");
  TrainingProgress progress;
  // Values that earlier versions did not measure are NaN, not 0.
  progress.validation_gap = std::numeric_limits<double>::quiet_NaN();
  progress.accuracy = progress.validation_accuracy = progress.validation_gap;
  bool valid = json.ok() && json->is_object();
  if (valid) ForEachField(progress, Reader{*json, valid});
  if (valid) ForEachRunTime(progress, Reader{*json, valid});
  if (!valid) return UnreadableText(source, text);
  return progress;
}

std::string WritePublished(const PublishedWeights& published) {
  nlohmann::json json = {{kReason, PublishReasonName(published.reason)}};
  ForEachPublishedField(published, Writer{json});
  return json.dump();
}

absl::StatusOr<PublishedWeights> ParsePublished(std::string_view text, std::string_view source) {
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(text, "published");
  PublishedWeights published;
  bool valid = json.ok() && json->is_object();
  if (valid) ForEachPublishedField(published, Reader{*json, valid});
  const auto reason = valid ? json->find(kReason) : nlohmann::json::const_iterator();
  if (!valid || reason == json->end() || !reason->is_string()) return UnreadableText(source, text);
  // A later version may write a reason that this one does not know.
  published.reason = ParsePublishReason(reason->get<std::string>()).value_or(published.reason);
  return published;
}

std::string WriteSolveProgress(const SolveProgress& progress) {
  nlohmann::json json = nlohmann::json::object();
  ForEachSolveField(progress, Writer{json});
  Writer{json}(kSearched, absl::ToInt64Nanoseconds(progress.search_time));
  Writer{json}(kImproved, absl::ToInt64Nanoseconds(progress.improved_at));
  return json.dump();
}

absl::StatusOr<SolveProgress> ParseSolveProgress(std::string_view text, std::string_view source) {
  const absl::StatusOr<nlohmann::json> json = ParseJsonText(text, "progress");
  SolveProgress progress;
  int64_t searched = 0;
  int64_t improved = 0;
  bool valid = json.ok() && json->is_object();
  if (valid) ForEachSolveField(progress, Reader{*json, valid});
  if (valid) Reader{*json, valid}(kSearched, searched);
  if (valid) Reader{*json, valid}(kImproved, improved);
  if (!valid) return UnreadableText(source, text);
  progress.search_time = absl::Nanoseconds(searched);
  progress.improved_at = absl::Nanoseconds(improved);
  return progress;
}

}  // namespace vrp
