#include "client/output/gap_plot.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/svg_text.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Sizes in SVG units.
constexpr double kGapMargin = 24;
constexpr double kGapTitleHeight = 64;
constexpr double kAxisWidth = 56;
constexpr double kPlotWidth = 720;
constexpr double kPlotHeight = 360;
constexpr double kGapLegendWidth = 230;
constexpr double kGapLegendLine = 20;
constexpr int kTicks = 5;         // about as many values are written at the axis
constexpr size_t kMaxNames = 12;  // days that are named below the plot

// The scale of the gaps, in percent, and the places of the days.
class Axes {
 public:
  explicit Axes(const v1::Simulation& simulation) : days_(simulation.days_size()) {
    double highest = 1;
    for (const v1::SimulatedDayResults& day : simulation.days()) {
      for (const v1::SimulatedDay& result : day.results()) {
        lowest_ = std::min(lowest_, result.gap_percent());
        highest = std::max(highest, result.gap_percent());
      }
    }
    const double raw = (highest - lowest_) / kTicks;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    step_ = power * (raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
    lowest_ = step_ * std::floor(lowest_ / step_);
    highest_ = step_ * std::ceil(highest / step_);
  }

  double X(int day) const { return left() + kPlotWidth * (day + 0.5) / days_; }
  double Y(double gap) const {
    return kGapTitleHeight + kPlotHeight * (highest_ - gap) / (highest_ - lowest_);
  }
  double left() const { return kGapMargin + kAxisWidth; }
  double right() const { return left() + kPlotWidth; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double step() const { return step_; }

 private:
  const int days_;
  double lowest_ = 0;
  double highest_ = 1;
  double step_ = 1;
};

const char* PolicyColour(int policy) {
  return kSvgColours[static_cast<size_t>(policy) % kSvgColours.size()];
}

std::string GapGrid(const Axes& axes) {
  std::string svg = "<g font-size=\"12\" fill=\"#444\" stroke-width=\"1\">\n";
  const int ticks = static_cast<int>(std::lround((axes.highest() - axes.lowest()) / axes.step()));
  for (int i = 0; i <= ticks; ++i) {
    const double gap = axes.lowest() + i * axes.step();
    absl::StrAppendFormat(&svg,
                          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                          "stroke=\"#ddd\"/>\n<text x=\"%.1f\" y=\"%.1f\" "
                          "text-anchor=\"end\">%s %%</text>\n",
                          axes.left(), axes.Y(gap), axes.right(), axes.Y(gap), axes.left() - 8,
                          axes.Y(gap) + 4, FormatNumber(gap));
  }
  return svg + "</g>\n";
}

std::string DayNames(const v1::Simulation& simulation, const Axes& axes) {
  std::string svg = "<g font-size=\"10\" fill=\"#444\" text-anchor=\"middle\">\n";
  const auto days = static_cast<size_t>(simulation.days_size());
  const size_t every = (days + kMaxNames - 1) / kMaxNames;
  for (size_t i = 0; i < days; i += every) {
    const v1::SimulatedDayResults& day = simulation.days(static_cast<int>(i));
    if (day.results().empty()) continue;
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                          axes.X(static_cast<int>(i)), kGapTitleHeight + kPlotHeight + 16,
                          SvgEscaped(SvgShortened(day.results(0).day(), days > 6 ? 10 : 18)));
  }
  return svg + "</g>\n";
}

std::string Points(const v1::Simulation& simulation, const Axes& axes) {
  std::string svg = "<g stroke=\"white\" stroke-width=\"1\">\n";
  for (int i = 0; i < simulation.days_size(); ++i) {
    const v1::SimulatedDayResults& day = simulation.days(i);
    for (int k = 0; k < day.results_size(); ++k) {
      if (!day.results(k).has_gap_percent()) continue;
      absl::StrAppendFormat(&svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
                            axes.X(i), axes.Y(day.results(k).gap_percent()), PolicyColour(k));
    }
  }
  return svg + "</g>\n";
}

std::string Means(const v1::SimulationSummary& summary, const Axes& axes) {
  std::string svg = "<g font-size=\"12\">\n";
  for (int i = 0; i < summary.policies_size(); ++i) {
    const v1::PolicySummary& policy = summary.policies(i);
    if (!policy.has_mean_gap_percent()) continue;
    const double y = axes.Y(policy.mean_gap_percent());
    const double legend_y = kGapTitleHeight + kGapLegendLine * (i + 1);
    absl::StrAppendFormat(&svg,
                          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                          "stroke-dasharray=\"6 3\"/>\n",
                          axes.left(), y, axes.right(), y, PolicyColour(i));
    absl::StrAppendFormat(&svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
                          axes.right() + kGapMargin, legend_y - 4, PolicyColour(i));
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\">%s: mean %+.2f %%</text>\n",
                          axes.right() + kGapMargin + 12, legend_y,
                          SvgEscaped(SvgShortened(policy.policy(), 16)), policy.mean_gap_percent());
  }
  return svg + "</g>\n";
}

}  // namespace

absl::StatusOr<std::string> PlotGaps(const v1::Simulation& simulation) {
  const auto has_gap = [](const v1::PolicySummary& policy) {
    return policy.has_mean_gap_percent();
  };
  const auto& policies = simulation.summary().policies();
  if (std::none_of(policies.begin(), policies.end(), has_gap)) {
    return absl::InvalidArgumentError(
        "--plot: no day has a gap to draw; simulate with --hindsight above 0");
  }
  const Axes axes(simulation);
  const std::string title = absl::StrFormat(
      "<text x=\"%.0f\" y=\"32\" font-size=\"20\" font-weight=\"bold\">Gap to hindsight</text>\n"
      "<text x=\"%.0f\" y=\"52\" font-size=\"14\" fill=\"#444\">%s</text>\n",
      kGapMargin, kGapMargin, SvgEscaped(FormatCount(simulation.days_size(), "day")));
  return absl::StrCat(SvgHeader(axes.right() + kGapMargin + kGapLegendWidth,
                                kGapTitleHeight + kPlotHeight + 2 * kGapMargin, "Gap to hindsight"),
                      title, GapGrid(axes), DayNames(simulation, axes),
                      Means(simulation.summary(), axes), Points(simulation, axes), "</svg>\n");
}

}  // namespace vrp::client
