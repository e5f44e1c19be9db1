#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/output/quantities.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Returns a text such as "-4.10 % vs nearest neighbour"; empty without a gap.
std::string TrialGapText(const v1::SweepTrial& trial) {
  if (!trial.has_validation_gap()) return "";
  v1::TrainingProgress progress;
  progress.set_validation_gap(trial.validation_gap());
  progress.set_validation_reference(trial.validation_reference());
  return GapText(progress);
}

std::string EpochsText(const v1::SweepTrial& trial) {
  if (trial.total_epochs() == 0) return "-";
  return absl::StrCat(trial.epoch(), "/", trial.total_epochs());
}

// Returns a state such as "RUNNING"; "WAITING" before the trial has a job or while it waits for a
// selection, and "DROPPED" after one.
std::string TrialStateText(const v1::SweepTrial& trial) {
  if (trial.dropped()) return "DROPPED";
  if (trial.job().empty()) return "WAITING";
  return JobStateWord(trial.state());
}

// Returns the trials with the best one first, and those without a validation last.
std::vector<const v1::SweepTrial*> Ranked(const v1::Sweep& sweep) {
  std::vector<const v1::SweepTrial*> trials;
  for (const v1::SweepTrial& trial : sweep.trials()) trials.push_back(&trial);
  const auto key = [](const v1::SweepTrial* trial) {
    return std::make_tuple(!trial->best(), !trial->has_validation_cost(), trial->validation_cost());
  };
  std::stable_sort(trials.begin(), trials.end(),
                   [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return trials;
}

std::string TrialCountText(const v1::Sweep& sweep) {
  return FormatCount(sweep.trial_count(), "trial");
}

}  // namespace

std::string TrialText(const v1::SweepTrial& trial) {
  std::vector<std::string> settings;
  for (const auto& [key, value] : trial.settings()) {
    settings.push_back(absl::StrCat(key, "=", value));
  }
  std::sort(settings.begin(), settings.end());
  std::string text = absl::StrCat("trial ", trial.number(), " (", absl::StrJoin(settings, " "),
                                  ") ", TrialStateText(trial));
  if (trial.has_validation_cost()) {
    absl::StrAppendFormat(&text, " after epoch %s: validation %.4f", EpochsText(trial),
                          trial.validation_cost());
    const std::string gap = TrialGapText(trial);
    if (!gap.empty()) absl::StrAppend(&text, " (", gap, ")");
  }
  if (!trial.error().empty()) absl::StrAppend(&text, ": ", trial.error());
  return text;
}

std::string TrialsText(const v1::Sweep& sweep) {
  std::vector<std::string> header = {"TRIAL"};
  header.insert(header.end(), sweep.keys().begin(), sweep.keys().end());
  for (const char* column : {"EPOCHS", "VALIDATION", "GAP", "TIME", "STATE", "JOB"}) {
    header.emplace_back(column);
  }
  Table table(std::move(header));
  for (const v1::SweepTrial* trial : Ranked(sweep)) {
    std::vector<std::string> row = {absl::StrCat(trial->number(), trial->best() ? " (best)" : "")};
    for (const std::string& key : sweep.keys()) {
      const auto found = trial->settings().find(key);
      row.push_back(found == trial->settings().end() ? "-" : found->second);
    }
    const std::string gap = TrialGapText(*trial);
    row.push_back(EpochsText(*trial));
    row.push_back(trial->has_validation_cost() ? absl::StrFormat("%.4f", trial->validation_cost())
                                               : "-");
    row.push_back(gap.empty() ? "-" : gap);
    row.push_back(trial->job().empty() ? "-" : FormatSpan(ToDuration(trial->run_time())));
    row.push_back(TrialStateText(*trial));
    row.push_back(trial->job().empty() ? "-" : trial->job());
    table.AddRow(std::move(row));
  }
  return table.Text();
}

std::string SweepPlanText(const v1::Sweep& sweep) {
  std::string text = absl::StrCat(LowerCaseWord(sweep.method()), ", ", TrialCountText(sweep),
                                  " of ", absl::StrJoin(sweep.keys(), ", "));
  if (sweep.seed() > 0) absl::StrAppend(&text, ", seed ", sweep.seed());
  if (sweep.selection_epochs_size() > 0) {
    absl::StrAppend(&text, "; the best 1 of ", sweep.factor(), " goes on after epoch ",
                    absl::StrJoin(sweep.selection_epochs(), ", "));
  }
  return text;
}

std::vector<std::string> SweepRow(const v1::Sweep& sweep) {
  return {sweep.name(),
          StateText(sweep.state(), sweep.queue_position()),
          sweep.has_create_time() ? FormatTime(sweep.create_time()) : "",
          LowerCaseWord(sweep.method()),
          absl::StrCat(sweep.trial_count()),
          absl::StrJoin(sweep.keys(), ", "),
          sweep.model().empty() ? absl::StrCat("models/", sweep.model_name()) : sweep.model()};
}

std::string SweepText(const v1::Sweep& sweep) {
  Sheet sheet;
  sheet.Add("sweep", sweep.name());
  sheet.Add("state", JobStateWord(sweep.state()));
  if (sweep.queue_position() > 0) {
    sheet.Add("queue position", absl::StrCat(sweep.queue_position()));
  }
  sheet.Add("error", sweep.error().message());
  sheet.Add("plan", SweepPlanText(sweep));
  sheet.Add("model", sweep.model().empty()
                         ? absl::StrCat("models/", sweep.model_name(), ", once the sweep has ended")
                         : sweep.model());
  sheet.Add("attempt", absl::StrCat(sweep.attempt()));
  if (sweep.has_create_time()) sheet.Add("created", FormatTime(sweep.create_time()));
  if (sweep.has_start_time()) sheet.Add("started", FormatTime(sweep.start_time()));
  if (sweep.has_end_time()) sheet.Add("ended", FormatTime(sweep.end_time()));
  sheet.Add("run time", FormatSpan(ToDuration(sweep.run_time())));
  sheet.Add("events", absl::StrCat(sweep.last_sequence()));
  return absl::StrCat(sheet.Text(), "\n", TrialsText(sweep));
}

}  // namespace vrp::client
