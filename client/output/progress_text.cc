#include "client/output/progress_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Minimum and maximum length of the bar, in columns.
constexpr int kShortestBar = 10;
constexpr int kLongestBar = 30;

// Returns four significant digits, enough to see a loss change; "nan" if it is not finite.
std::string FourDigits(double value) {
  if (!std::isfinite(value)) return "nan";
  return absl::StrFormat("%.4g", value);
}

std::string CountText(int64_t done, int64_t total) {
  return total > 0 ? absl::StrCat(done, "/", total) : absl::StrCat(done);
}

// A part of the line. The line drops parts of low `rank` first.
struct Part {
  std::string text;
  int rank;
};

std::vector<Part> PartsOf(const v1::TrainingProgress& progress,
                          std::optional<absl::Duration> remaining) {
  std::vector<Part> parts = {
      {absl::StrCat("epoch ", CountText(progress.epoch(), progress.total_epochs())), 9},
      {absl::StrCat("step ", CountText(progress.step(), progress.total_steps())), 7},
      {absl::StrCat("loss ", FourDigits(progress.loss())), 6},
      {absl::StrCat("cost ", FourDigits(progress.train_cost())), 8},
  };
  if (progress.has_validation_cost())
    parts.push_back({absl::StrCat("val ", FourDigits(progress.validation_cost())), 4});
  const std::string gap = GapText(progress);
  if (!gap.empty()) parts.push_back({absl::StrCat("(", gap, ")"), 3});
  parts.push_back({absl::StrCat(FormatRate(progress.instances_per_second()), " inst/s"), 2});
  if (progress.has_seconds_per_step())
    parts.push_back({absl::StrCat(FormatSeconds(progress.seconds_per_step()), " s/step"), 5});
  if (progress.has_seconds_per_epoch())
    parts.push_back({absl::StrCat(FormatSeconds(progress.seconds_per_epoch()), " s/epoch"), 1});
  if (remaining.has_value()) parts.push_back({absl::StrCat("ETA ", FormatSpan(*remaining)), 10});
  return parts;
}

int Length(const std::vector<Part>& parts) {
  int length = 0;
  for (const Part& part : parts) length += static_cast<int>(part.text.size()) + 2;
  return length;
}

std::string Bar(double fraction, int columns) {
  const int filled = static_cast<int>(std::floor(std::clamp(fraction, 0.0, 1.0) * columns));
  std::string bar(static_cast<size_t>(filled), '=');
  if (filled < columns) bar += '>';
  bar.resize(static_cast<size_t>(columns), ' ');
  return bar;
}

// Returns a bar, a percentage and `text` in at most `width` columns.
std::string BarWith(int64_t done, int64_t total, const std::string& text, int width) {
  const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const std::string rest = absl::StrCat(
      absl::StrFormat("%3.0f%%", std::floor(std::clamp(fraction, 0.0, 1.0) * 100)), "  ", text);
  const int columns = std::min(width - static_cast<int>(rest.size()) - 3, kLongestBar);
  const std::string line =
      columns >= kShortestBar ? absl::StrCat("[", Bar(fraction, columns), "] ", rest) : rest;
  return line.substr(0, static_cast<size_t>(std::max(width, 0)));
}

}  // namespace

std::string GapText(const v1::TrainingProgress& progress) {
  return progress.has_validation_gap()
             ? FormatGap(progress.validation_gap(), progress.validation_reference())
             : "";
}

std::string PlainProgressLine(const v1::TrainingProgress& progress,
                              std::optional<absl::Duration> remaining) {
  std::string line =
      absl::StrCat("epoch ", CountText(progress.epoch(), progress.total_epochs()), "  step ",
                   CountText(progress.step(), progress.total_steps()), "  loss ",
                   FourDigits(progress.loss()), "  cost ", FourDigits(progress.train_cost()));
  if (progress.has_validation_cost())
    absl::StrAppend(&line, "  val ", FourDigits(progress.validation_cost()));
  const std::string gap = GapText(progress);
  if (!gap.empty()) absl::StrAppend(&line, " (", gap, ")");
  absl::StrAppend(&line, "  ", FormatRate(progress.instances_per_second()), " instances/s");
  if (progress.has_seconds_per_step())
    absl::StrAppend(&line, "  ", FormatSeconds(progress.seconds_per_step()), " s/step");
  if (progress.has_seconds_per_epoch())
    absl::StrAppend(&line, "  ", FormatSeconds(progress.seconds_per_epoch()), " s/epoch");
  if (remaining.has_value()) absl::StrAppend(&line, "  ETA ", FormatSpan(*remaining));
  return line;
}

std::string ProgressBarLine(const v1::TrainingProgress& progress,
                            std::optional<absl::Duration> remaining, int width) {
  const double fraction =
      progress.total_steps() > 0
          ? static_cast<double>(progress.step()) / static_cast<double>(progress.total_steps())
          : 0;
  const std::string percent =
      absl::StrFormat("%3.0f%%", std::floor(std::clamp(fraction, 0.0, 1.0) * 100));
  std::vector<Part> parts = PartsOf(progress, remaining);
  const int frame = static_cast<int>(percent.size()) + 3;  // two brackets and a blank
  while (!parts.empty() && Length(parts) + frame + kShortestBar > width) {
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));
  }
  const int columns = std::clamp(width - frame - Length(parts), 0, kLongestBar);
  std::string line =
      columns >= kShortestBar ? absl::StrCat("[", Bar(fraction, columns), "] ", percent) : percent;
  for (const Part& part : parts) absl::StrAppend(&line, "  ", part.text);
  return line.substr(0, static_cast<size_t>(std::max(width, 0)));
}

std::string BytesBarLine(int64_t done, int64_t total, int width) {
  return BarWith(done, total, absl::StrCat("of ", FormatBytes(total)), width);
}

std::string TextBarLine(int64_t done, int64_t total, std::string_view text, int width) {
  return BarWith(done, total, std::string(text), width);
}

std::string CountBarLine(int64_t done, int64_t total, std::string_view noun, int width) {
  return BarWith(done, total, absl::StrCat(done, " of ", total, " ", std::string(noun)), width);
}

std::optional<absl::Duration> RemainingTime::Update(const v1::TrainingProgress& progress,
                                                    absl::Time time) {
  if (first_step_ == 0) {
    first_step_ = progress.step();
    first_time_ = time;
  }
  if (progress.step() <= first_step_ || time < first_time_ || progress.total_steps() <= 0) {
    return std::nullopt;
  }
  const absl::Duration per_step = (time - first_time_) / (progress.step() - first_step_);
  return per_step * std::max<int64_t>(progress.total_steps() - progress.step(), 0);
}

}  // namespace vrp::client
