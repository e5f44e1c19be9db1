#include "client/output/profile.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr char kSteps[] = "steps";
constexpr char kData[] = "data";  // phase of a step; the job's phase is "waiting_for_data"
constexpr char kLog[] = "log";

std::string PhaseWords(const std::string& phase) {
  return absl::StrReplaceAll(phase, {{"_", " "}});
}

std::string Percent(double part, double total) {
  return absl::StrFormat("%.1f %%", total > 0 ? 100 * part / total : 0);
}

double ThreadSeconds(const v1::TrainingTotals& totals) {
  double sum = 0;
  for (const v1::PhaseTime& time : totals.wall_phases()) sum += time.thread_seconds();
  return sum;
}

// Returns the thread time of all steps' computation; 0 if the computation runs on a device as one
// phase.
double ComputeSeconds(const v1::TrainingTotals& totals) {
  double sum = 0;
  for (const v1::PhaseTime& time : totals.phases()) {
    if (time.phase() != kData && time.phase() != kLog) sum += time.thread_seconds();
  }
  return sum;
}

// Adds the parts of "steps". Divides the steps' wall time among them in proportion to the thread
// time.
void AddStepPhases(const v1::TrainingTotals& totals, double steps_wall, Table& table) {
  double sum = 0;
  for (const v1::PhaseTime& time : totals.phases()) {
    if (time.phase() != kData) sum += time.thread_seconds();
  }
  for (const v1::PhaseTime& time : totals.phases()) {
    if (time.phase() == kData) continue;
    const double wall = steps_wall * time.thread_seconds() / sum;
    table.AddRow({absl::StrCat("  ", PhaseWords(time.phase())), absl::StrFormat("%.3f", wall),
                  Percent(wall, totals.wall_seconds()),
                  absl::StrFormat("%.3f", time.thread_seconds())});
  }
}

std::string WallTable(const v1::TrainingTotals& totals) {
  Table table({"PHASE", "WALL S", "WALL SHARE", "THREAD S"});
  const bool divided = ComputeSeconds(totals) > 0;
  for (const v1::PhaseTime& time : totals.wall_phases()) {
    table.AddRow({PhaseWords(time.phase()), absl::StrFormat("%.3f", time.wall_seconds()),
                  Percent(time.wall_seconds(), totals.wall_seconds()),
                  absl::StrFormat("%.3f", time.thread_seconds())});
    if (time.phase() == kSteps && divided) AddStepPhases(totals, time.wall_seconds(), table);
  }
  table.AddRow({"total", absl::StrFormat("%.3f", totals.wall_seconds()), "100.0 %",
                absl::StrFormat("%.3f", ThreadSeconds(totals))});
  return absl::StrCat(
      table.Text(),
      "wall: elapsed time since the job's start or resumption; thread: summed over threads",
      divided ? "; indented: wall time of the steps in proportion to their thread time" : "", "\n");
}

// Returns the table for an older daemon, which measures only the thread time of steps.
std::string ThreadTable(const v1::TrainingTotals& totals) {
  double sum = 0;
  for (const v1::PhaseTime& time : totals.phases()) sum += time.thread_seconds();
  Table table({"PHASE", "THREAD S", "THREAD SHARE"});
  for (const v1::PhaseTime& time : totals.phases()) {
    table.AddRow({PhaseWords(time.phase()), absl::StrFormat("%.3f", time.thread_seconds()),
                  Percent(time.thread_seconds(), sum)});
  }
  return absl::StrCat(table.Text(),
                      "thread: summed over threads; no wall time by phase for this job\n");
}

std::string StepSheet(const v1::TrainingJob& job) {
  const v1::TrainingProgress& progress = job.progress();
  const v1::TrainingTotals& totals = progress.totals();
  const auto steps = static_cast<double>(totals.steps());
  Sheet sheet;
  sheet.Add("job", absl::StrCat(job.name(), " ", JobStateWord(job.state())));
  sheet.Add("steps",
            absl::StrCat(totals.steps(), " measured, ", totals.skipped_steps(),
                         " skipped, at step ", progress.step(), " of ", progress.total_steps()));
  sheet.Add("wall time per step", absl::StrFormat("%.3f ms", 1000 * totals.step_seconds() / steps));
  if (totals.step_seconds() > 0) {
    sheet.Add("instances/s",
              FormatRate(static_cast<double>(totals.instances()) / totals.step_seconds()));
  }
  sheet.Add("instances seen", absl::StrCat(progress.instances_seen()));
  sheet.Add("copies per step", FormatNumber(static_cast<double>(totals.copies()) / steps));
  sheet.Add("bytes copied per step",
            FormatNumber(static_cast<double>(totals.copied_bytes()) / steps));
  sheet.Add("matrix_bytes_per_step", FormatNumber(progress.matrix_bytes_per_step()));
  sheet.Add("pass difference", absl::StrFormat("%.1e", progress.max_log_prob_difference()));
  if (progress.has_device_utilization()) {
    sheet.Add("GPU busy", absl::StrFormat("%.0f %%", 100 * progress.device_utilization()));
  }
  if (progress.has_device_memory_used_bytes()) {
    sheet.Add("GPU memory in use", FormatBytes(progress.device_memory_used_bytes()));
  }
  sheet.Add("tensorboard", job.tensorboard_folder());
  return sheet.Text();
}

// Returns a function that divides a sum by the number of measured steps. The function returns null
// if there are none.
auto PerStep(const v1::TrainingTotals& totals) {
  return [steps = totals.steps()](double sum) {
    return steps > 0 ? JsonNumber(sum / static_cast<double>(steps)) : Json();
  };
}

Json PhasesJson(const v1::TrainingTotals& totals) {
  const auto per_step = PerStep(totals);
  Json phases = Json::array();
  for (const v1::PhaseTime& time : totals.phases()) {
    phases.push_back({{"phase", time.phase()},
                      {"seconds", JsonNumber(time.thread_seconds())},
                      {"ms_per_step", per_step(1000 * time.thread_seconds())}});
  }
  return phases;
}

Json WallPhasesJson(const v1::TrainingTotals& totals) {
  Json phases = Json::array();
  for (const v1::PhaseTime& time : totals.wall_phases()) {
    phases.push_back({{"phase", time.phase()},
                      {"wall_seconds", JsonNumber(time.wall_seconds())},
                      {"wall_share", JsonNumber(time.wall_seconds() / totals.wall_seconds())},
                      {"thread_seconds", JsonNumber(time.thread_seconds())}});
  }
  return phases;
}

}  // namespace

std::string ProfileText(const v1::TrainingJob& job) {
  const v1::TrainingTotals& totals = job.progress().totals();
  if (totals.steps() == 0) {
    return absl::StrCat(job.name(), " ", JobStateWord(job.state()), ": no step measured yet\n");
  }
  return absl::StrCat(totals.wall_seconds() > 0 ? WallTable(totals) : ThreadTable(totals), "\n",
                      StepSheet(job));
}

Json ProfileJson(const v1::TrainingJob& job) {
  const v1::TrainingProgress& progress = job.progress();
  const v1::TrainingTotals& totals = progress.totals();
  const auto per_step = PerStep(totals);
  Json profile = {{"name", TextOrNull(job.name())},
                  {"state", JobStateWord(job.state())},
                  {"step", progress.step()},
                  {"steps_measured", totals.steps()},
                  {"skipped_steps", totals.skipped_steps()},
                  {"seconds", JsonNumber(totals.step_seconds())},
                  {"ms_per_step", per_step(1000 * totals.step_seconds())},
                  {"phases", PhasesJson(totals)},
                  {"instances", totals.instances()},
                  {"instances_seen", progress.instances_seen()},
                  {"instances_per_second",
                   totals.step_seconds() > 0
                       ? JsonNumber(static_cast<double>(totals.instances()) / totals.step_seconds())
                       : Json()},
                  {"copies_per_step", per_step(static_cast<double>(totals.copies()))},
                  {"copied_bytes_per_step", per_step(static_cast<double>(totals.copied_bytes()))},
                  {"matrix_bytes_per_step", JsonNumber(progress.matrix_bytes_per_step())},
                  {"pass_difference", JsonNumber(progress.max_log_prob_difference())},
                  {"tensorboard_folder", TextOrNull(job.tensorboard_folder())}};
  AddDevice(progress, profile);
  profile["wall_seconds"] = totals.wall_seconds() > 0 ? JsonNumber(totals.wall_seconds()) : Json();
  profile["wall_phases"] = WallPhasesJson(totals);
  return profile;
}

}  // namespace vrp::client
