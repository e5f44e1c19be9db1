#include "client/output/tables.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/output/event_sinks.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::string ProblemTypes(const v1::Model& model) {
  std::vector<std::string> words;
  for (const int type : model.problem_types())
    words.push_back(LowerCaseWord(static_cast<v1::ProblemType>(type)));
  return absl::StrJoin(words, " ");
}

std::string Labels(const v1::TrainingSpec& spec) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : spec.labels()) labels.push_back(absl::StrCat(key, "=", value));
  std::sort(labels.begin(), labels.end());
  return WithoutControls(absl::StrJoin(labels, " "));
}

// Adds the priority, labels and limits of the job's request.
void AddRequestSettings(const v1::TrainingSpec& spec, Sheet& sheet) {
  if (spec.priority() != 0) sheet.Add("priority", absl::StrCat(spec.priority()));
  sheet.Add("labels", Labels(spec));
  if (spec.has_time_limit()) sheet.Add("time limit", FormatSpan(ToDuration(spec.time_limit())));
  if (spec.epoch_limit() > 0) sheet.Add("epoch limit", absl::StrCat(spec.epoch_limit()));
}

// Returns the device that the job asked for and, once it is known, where the job runs.
std::string RunPlaceText(const v1::TrainingJob& job) {
  std::string text = job.spec().device();
  if (!job.device().empty() && job.device() != text) absl::StrAppend(&text, ": ", job.device());
  if (job.threads() > 0) {
    absl::StrAppend(&text, ", ", job.threads(), job.threads() == 1 ? " thread" : " threads");
  }
  return text;
}

std::string ValidationCost(const v1::Model& model) {
  return model.validation_cost() > 0 ? FormatNumber(model.validation_cost()) : "";
}

std::string ValidationGap(const v1::Model& model) {
  if (!model.has_validation_gap()) return "";
  return FormatGap(model.validation_gap(), model.validation_reference());
}

std::vector<std::string> EvaluationHeader() {
  return {"DATA", "MODE", "INSTANCES", "MEAN COST", "MEAN GAP", "STDERR", "INSTANCES/S"};
}

std::string WithError(const std::string& value, const std::string& error) {
  return absl::StrCat(value, " +-", error);
}

std::vector<std::string> EvaluationRow(const v1::ModelEvaluation& row) {
  return {row.data(),
          row.mode(),
          absl::StrCat(row.instance_count()),
          WithError(FormatNumber(row.mean_cost()), FormatNumber(row.standard_error())),
          row.has_mean_gap() ? FormatGap(row.mean_gap(), row.reference()) : "",
          row.has_gap_standard_error() ? absl::StrFormat("%.2f %%", 100 * row.gap_standard_error())
                                       : "",
          FormatRate(row.instances_per_second())};
}

std::vector<std::string> BucketRow(const v1::SizeBucket& bucket, const std::string& reference) {
  return {absl::StrCat("  ", bucket.min_customers(), " to ", bucket.max_customers(), " customers"),
          "",
          absl::StrCat(bucket.instance_count()),
          FormatNumber(bucket.mean_cost()),
          bucket.has_mean_gap() ? FormatGap(bucket.mean_gap(), reference) : "",
          "",
          ""};
}

}  // namespace

void Sheet::Add(std::string key, std::string value) {
  if (!value.empty()) lines_.emplace_back(std::move(key), std::move(value));
}

std::string Sheet::Text() const {
  size_t width = 0;
  for (const auto& [key, value] : lines_) width = std::max(width, key.size());
  std::string text;
  for (const auto& [key, value] : lines_) {
    absl::StrAppend(&text, key, std::string(width + 2 - key.size(), ' '), value, "\n");
  }
  return text;
}

std::string Table::Text() const {
  std::vector<size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, row[i], std::string(widths[i] + 2 - row[i].size(), ' '));
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

std::string StateText(v1::JobState state, int32_t queue_position) {
  return queue_position > 0 ? absl::StrCat(JobStateWord(state), " ", queue_position)
                            : JobStateWord(state);
}

std::vector<std::string> JobRow(const v1::TrainingJob& job) {
  const v1::TrainingProgress& progress = job.progress();
  return {job.name(),
          StateText(job.state(), job.queue_position()),
          absl::StrCat(job.attempt()),
          job.has_create_time() ? FormatTime(job.create_time()) : "",
          absl::StrCat(progress.epoch(), "/", progress.total_epochs()),
          absl::StrCat(progress.step(), "/", progress.total_steps()),
          progress.has_validation_cost() ? FormatNumber(progress.validation_cost()) : "",
          GapText(progress),
          job.model(),
          Labels(job.spec())};
}

std::string EndReasonText(v1::TrainingEndReason reason) {
  const Json word = EndReasonJson(reason);
  return word.is_null() ? "-" : word.get<std::string>();
}

std::string PublishedText(const v1::PublishedWeights& published) {
  const char* why = "";
  switch (published.reason()) {
    case v1::PUBLISH_REASON_BEST_VALIDATION:
      why = ": the best validation";
      break;
    case v1::PUBLISH_REASON_LAST_WEIGHTS:
      why = ": the last ones, as training.publish asks";
      break;
    case v1::PUBLISH_REASON_NOT_VALIDATED:
      why = ": the last ones, since no validation had a cost";
      break;
    default:
      break;
  }
  return absl::StrCat("weights of epoch ", published.epoch(), " (step ", published.step(), ")", why,
                      published.has_validation_cost()
                          ? absl::StrCat(", val cost ", FormatNumber(published.validation_cost()))
                          : "");
}

std::string HistoryText(const v1::GetTrainingHistoryResponse& history) {
  Table table({"TIME", "EPOCH", "STEP", "LOSS", "COST", "VAL COST", "VAL GAP", "INSTANCES/S",
               "S/STEP", "S/EPOCH"});
  for (const v1::TrainingHistoryPoint& point : history.points()) {
    const v1::TrainingProgress& progress = point.progress();
    table.AddRow(
        {FormatTime(point.time()), absl::StrCat(progress.epoch()), absl::StrCat(progress.step()),
         FormatNumber(progress.loss()), FormatNumber(progress.train_cost()),
         progress.has_validation_cost() ? FormatNumber(progress.validation_cost()) : "",
         GapText(progress), FormatRate(progress.instances_per_second()),
         progress.has_seconds_per_step() ? FormatSeconds(progress.seconds_per_step()) : "",
         progress.has_seconds_per_epoch() ? FormatSeconds(progress.seconds_per_epoch()) : ""});
  }
  if (history.stored_points() <= history.points_size()) return table.Text();
  return absl::StrCat(table.Text(), history.points_size(), " of ", history.stored_points(),
                      " points; show more with --max-points\n");
}

std::string JobText(const v1::TrainingJob& job) {
  Sheet sheet;
  sheet.Add("job", job.name());
  sheet.Add("state", JobStateWord(job.state()));
  if (job.queue_position() > 0) sheet.Add("queue position", absl::StrCat(job.queue_position()));
  if (job.stop_requested() && job.state() == v1::JOB_STATE_QUEUED) {
    sheet.Add("stop requested", "will end with a model once it runs");
  }
  if (job.end_reason() != v1::TRAINING_END_REASON_UNSPECIFIED) {
    sheet.Add("end reason", EndReasonText(job.end_reason()));
  }
  sheet.Add("error", job.error().message());
  if (!job.sweep().empty()) {
    sheet.Add("trial", absl::StrCat(job.trial(), " of ", job.sweep()));
  }
  sheet.Add("attempt", absl::StrCat(job.attempt()));
  sheet.Add("config", job.spec().config_name());
  sheet.Add("overrides", absl::StrJoin(job.spec().overrides(), " "));
  sheet.Add("device", RunPlaceText(job));
  AddRequestSettings(job.spec(), sheet);
  if (job.has_create_time()) sheet.Add("created", FormatTime(job.create_time()));
  if (job.has_start_time()) sheet.Add("started", FormatTime(job.start_time()));
  if (job.has_end_time()) sheet.Add("ended", FormatTime(job.end_time()));
  if (job.has_run_time()) sheet.Add("run time", FormatSpan(ToDuration(job.run_time())));
  if (job.has_progress()) sheet.Add("progress", PlainProgressLine(job.progress(), std::nullopt));
  if (job.has_best()) {
    const std::string gap = GapText(job.best());
    sheet.Add("best", absl::StrCat("val ", FormatNumber(job.best().validation_cost()),
                                   gap.empty() ? "" : absl::StrCat(" (", gap, ")"), " after epoch ",
                                   job.best().epoch()));
  }
  sheet.Add("model", job.model());
  if (job.has_published_weights()) sheet.Add("published", PublishedText(job.published_weights()));
  sheet.Add("events", absl::StrCat(job.last_sequence()));
  sheet.Add("tensorboard", job.tensorboard_folder());
  return sheet.Text();
}

std::vector<std::string> ModelRow(const v1::Model& model) {
  return {model.name(),
          model.architecture(),
          ProblemTypes(model),
          absl::StrCat(model.parameter_count()),
          ValidationCost(model),
          ValidationGap(model),
          model.has_create_time() ? FormatTime(model.create_time()) : "",
          model.loaded() ? "yes" : "",
          model.live() ? "yes" : "",
          absl::StrJoin(model.aliases(), " ")};
}

std::string ModelText(const v1::Model& model) {
  Sheet sheet;
  sheet.Add("model", model.name());
  sheet.Add("aliases", absl::StrJoin(model.aliases(), " "));
  sheet.Add("loaded", model.loaded() ? "yes" : "no");
  if (model.live()) sheet.Add("live", "published by a running job");
  sheet.Add("architecture", model.architecture());
  sheet.Add("sizes", model.architecture_json());
  sheet.Add("problems", ProblemTypes(model));
  sheet.Add("inputs", absl::StrJoin(model.input_features(), " "));
  sheet.Add("parameters", absl::StrCat(model.parameter_count()));
  sheet.Add("trained by", model.training_job());
  if (!model.sweep().empty()) {
    sheet.Add("best of", absl::StrCat(model.sweep(), ", trial ", model.trial()));
  }
  sheet.Add("steps", absl::StrCat(model.training_steps()));
  sheet.Add("val cost", ValidationCost(model));
  sheet.Add("val gap", ValidationGap(model));
  if (model.validation_reference_cost() > 0) {
    sheet.Add("val reference", FormatNumber(model.validation_reference_cost()));
  }
  if (model.has_create_time()) sheet.Add("created", FormatTime(model.create_time()));
  sheet.Add("weights", model.weights_sha256());
  std::string text = sheet.Text();
  if (model.evaluations().empty()) return text;
  Table table(EvaluationHeader());
  for (const v1::ModelEvaluation& row : model.evaluations()) table.AddRow(EvaluationRow(row));
  return absl::StrCat(text, "\n", table.Text());
}

std::string EvaluationText(const v1::EvaluationReport& report) {
  if (report.has_habits()) return HabitEvaluationText(report);
  Table table(EvaluationHeader());
  for (const v1::ModelEvaluation& row : report.evaluations()) {
    table.AddRow(EvaluationRow(row));
    if (row.sizes_size() < 2) continue;
    for (const v1::SizeBucket& bucket : row.sizes())
      table.AddRow(BucketRow(bucket, row.reference()));
  }
  std::string text = absl::StrCat(report.model(), "\n", table.Text());
  if (!report.card_error().empty()) {
    absl::StrAppend(&text, "the model's card was not updated: ", report.card_error(), "\n");
  }
  return text;
}

std::string ServerInfoText(const v1::ServerInfo& info) {
  Sheet sheet;
  sheet.Add("version",
            absl::StrCat(info.version(), info.git_commit().empty() ? "" : " ", info.git_commit()));
  sheet.Add("torch", info.torch_version().empty() ? "built without" : info.torch_version());
  sheet.Add("grpc", info.grpc_version());
  for (const v1::Device& device : info.devices()) {
    std::string text = absl::StrCat(device.name(), "  ", FormatBytes(device.memory_bytes()));
    if (device.amp_supported()) absl::StrAppend(&text, "  AMP");
    if (device.bf16_supported()) absl::StrAppend(&text, "  bf16");
    if (device.id() == info.default_device()) absl::StrAppend(&text, "  (default)");
    sheet.Add(absl::StrCat("device ", device.id()), text);
  }
  if (!info.device_loss().empty()) sheet.Add("GPU lost", info.device_loss());
  sheet.Add("threads", absl::StrCat(info.threads()));
  const v1::Limits& limits = info.limits();
  sheet.Add("limits",
            absl::StrCat(
                limits.max_nodes(), " nodes (", limits.max_matrix_nodes(), " with a matrix), ",
                limits.max_threads(), " threads per request, budget up to ",
                FormatSpan(absl::Milliseconds(limits.max_budget_ms())), " (jobs ",
                FormatSpan(absl::Milliseconds(limits.max_solve_job_budget_ms())), ")",
                ", messages up to ", FormatBytes(limits.max_message_bytes()),
                " (all requests together ", FormatBytes(limits.max_request_memory_bytes()), ")"));
  sheet.Add("concurrent",
            absl::StrCat(limits.max_connections(), " connections, ", limits.max_open_streams(),
                         " streams, ", limits.max_calls_per_connection(), " calls per connection; ",
                         limits.max_queued_solves(), " solves and ", limits.max_queued_jobs(),
                         " jobs may wait"));
  sheet.Add("log level", LogLevelWord(info.log_level()));
  // An older daemon sends only the address.
  sheet.Add("metrics", info.metrics_url().empty() ? info.metrics_address() : info.metrics_url());
  sheet.Add("road networks", absl::StrJoin(info.road_networks(), ", "));
  if (info.has_start_time()) sheet.Add("started", FormatTime(info.start_time()));
  for (const v1::ServerSetting& setting : info.settings()) {
    sheet.Add(setting.key(),
              absl::StrCat(setting.value(), "  (default: ", setting.default_value(), ")"));
  }
  return sheet.Text();
}

}  // namespace vrp::client
