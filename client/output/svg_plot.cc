#include "client/output/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/polyline.h"
#include "client/output/quantities.h"
#include "client/output/svg_text.h"
#include "client/output/visits.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr double kPlotSize = 720;  // length of the plan's longer side, in SVG units
// Sizes in SVG units.
constexpr double kMargin = 24;
constexpr double kTitleHeight = 64;
constexpr double kLegendWidth = 250;
constexpr double kLegendLine = 20;
constexpr int kMaxLegendLines = 30;  // maximum number of routes in the legend
// Maximum number of visits of a plan whose ids are drawn. A larger plan has no ids, because they
// would cover the routes.
constexpr int kMaxLabels = 120;

// A map from the instance's coordinates to the drawing, whose y axis points down.
class Frame {
 public:
  explicit Frame(const v1::Solution& solution) {
    double max_x = -std::numeric_limits<double>::infinity(),
           min_y = std::numeric_limits<double>::infinity();
    min_x_ = std::numeric_limits<double>::infinity(),
    max_y_ = -std::numeric_limits<double>::infinity();
    for (const v1::Route& route : solution.routes()) {
      for (const v1::Location& location : LineOf(route)) {
        min_x_ = std::min(min_x_, location.x());
        max_x = std::max(max_x, location.x());
        min_y = std::min(min_y, location.y());
        max_y_ = std::max(max_y_, location.y());
      }
    }
    const double extent_x = max_x - min_x_, extent_y = max_y_ - min_y;
    const double extent = std::max(extent_x, extent_y);
    scale_ = extent > 0 && std::isfinite(extent) ? kPlotSize / extent : 1;
    // Leaves space for the title.
    width_ = std::max(extent_x * scale_, kPlotSize / 2);
    height_ = std::max(extent_y * scale_, kPlotSize / 4);
  }

  double X(const v1::Location& location) const {
    return kMargin + (location.x() - min_x_) * scale_;
  }
  double Y(const v1::Location& location) const {
    return kTitleHeight + kMargin + (max_y_ - location.y()) * scale_;
  }
  double X(const v1::Stop& stop) const { return X(stop.location()); }
  double Y(const v1::Stop& stop) const { return Y(stop.location()); }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  double min_x_, max_y_, scale_, width_, height_;
};

// Returns the colour of a route. Routes after the last colour repeat the colours with dashed lines.
std::string Stroke(int route) {
  const std::string colour = kSvgColours[static_cast<size_t>(route) % kSvgColours.size()];
  const bool dashed = static_cast<size_t>(route) / kSvgColours.size() % 2 == 1;
  return absl::StrCat("stroke=\"", colour, "\"", dashed ? " stroke-dasharray=\"6 3\"" : "");
}

std::string Lines(const v1::Solution& solution, const Frame& frame) {
  std::string svg =
      "<g fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-opacity=\"0.85\">\n";
  for (int i = 0; i < solution.routes_size(); ++i) {
    absl::StrAppend(&svg, "<polyline ", Stroke(i), " points=\"");
    for (const v1::Location& location : LineOf(solution.routes(i))) {
      absl::StrAppendFormat(&svg, "%.2f,%.2f ", frame.X(location), frame.Y(location));
    }
    absl::StrAppend(&svg, "\"/>\n");
  }
  return svg + "</g>\n";
}

std::string Customers(const v1::Solution& solution, const Frame& frame) {
  int count = 0;
  for (const v1::Route& route : solution.routes()) count += VisitsEnd(route) - 1;
  const double radius = count > 400 ? 2 : 4;
  std::string svg = "<g stroke=\"white\" stroke-width=\"1\" font-size=\"10\">\n";
  for (int i = 0; i < solution.routes_size(); ++i) {
    const v1::Route& route = solution.routes(i);
    for (int k = 1; k < VisitsEnd(route); ++k) {
      const double x = frame.X(route.stops(k)), y = frame.Y(route.stops(k));
      absl::StrAppendFormat(&svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.0f\" fill=\"%s\"/>\n", x,
                            y, radius, kSvgColours[static_cast<size_t>(i) % kSvgColours.size()]);
      if (count > kMaxLabels) continue;
      absl::StrAppendFormat(&svg,
                            "<text x=\"%.2f\" y=\"%.2f\" stroke=\"none\" fill=\"#444\">%s</text>\n",
                            x + 6, y - 5, SvgEscaped(SvgShortened(route.stops(k).id(), 12)));
    }
  }
  return svg + "</g>\n";
}

std::string Depots(const v1::Solution& solution, const Frame& frame) {
  std::string svg = "<g fill=\"black\" stroke=\"white\" stroke-width=\"1\">\n";
  for (const v1::Route& route : solution.routes()) {
    if (route.stops().empty()) continue;
    const v1::Stop& depot = route.stops(0);
    const std::string square =
        absl::StrFormat("<rect x=\"%.2f\" y=\"%.2f\" width=\"12\" height=\"12\"/>\n",
                        frame.X(depot) - 6, frame.Y(depot) - 6);
    // Draws a depot only once if routes share it.
    if (svg.find(square) == std::string::npos) svg += square;
  }
  return svg + "</g>\n";
}

std::string Title(const v1::SolveResponse& response) {
  const Quantities quantities(response.solution().units());
  std::string line = absl::StrCat("cost ", quantities.Cost(response.solution().cost()));
  if (response.has_gap() && response.has_reference_cost()) {
    absl::StrAppend(&line, ", gap ", FormatGap(response.gap(), kFileReference), " ",
                    quantities.Cost(response.reference_cost()));
  }
  absl::StrAppend(&line, ", ", FormatCount(response.solution().routes_size(), "route"));
  if (!response.feasible()) absl::StrAppend(&line, ", NOT feasible");
  if (!response.solution().unserved().empty()) {
    absl::StrAppend(&line, ", ", response.solution().unserved_size(), " unserved");
  }
  return absl::StrFormat(
      "<text x=\"%.0f\" y=\"32\" font-size=\"20\" font-weight=\"bold\">%s</text>\n"
      "<text x=\"%.0f\" y=\"54\" font-size=\"14\" fill=\"#444\">%s</text>\n",
      kMargin, SvgEscaped(SvgShortened(response.name(), 60)), kMargin, SvgEscaped(line));
}

std::string LegendLine(int line, int route, const std::string& text, double left) {
  const double y = kTitleHeight + kMargin + kLegendLine * line;
  std::string svg;
  if (route >= 0) {
    svg = absl::StrFormat(
        "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" stroke-width=\"4\" %s/>\n", left,
        y - 4, left + 24, y - 4, Stroke(route));
  } else {
    svg =
        absl::StrFormat("<rect x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"12\" fill=\"black\"/>\n",
                        left + 6, y - 10);
  }
  return absl::StrCat(svg, absl::StrFormat("<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", left + 32, y,
                                           SvgEscaped(text)));
}

std::string Legend(const v1::Solution& solution, double left) {
  std::string svg = absl::StrCat("<g font-size=\"12\">\n", LegendLine(0, -1, "depot", left));
  const Quantities quantities(solution.units());
  const int shown = std::min(solution.routes_size(), kMaxLegendLines);
  for (int i = 0; i < shown; ++i) {
    const v1::Route& route = solution.routes(i);
    std::string text = absl::StrCat("route ", i + 1, ": ", VisitsEnd(route) - 1, " stops, ",
                                    quantities.Distance(route.distance()));
    if (!route.load().empty()) absl::StrAppend(&text, ", load ", FormatQuantity(route.load(0)));
    svg += LegendLine(i + 1, i, text, left);
  }
  if (shown < solution.routes_size()) {
    absl::StrAppendFormat(&svg, "<text x=\"%.0f\" y=\"%.0f\">and %d more</text>\n", left + 32,
                          kTitleHeight + kMargin + kLegendLine * (shown + 1),
                          solution.routes_size() - shown);
  }
  return svg + "</g>\n";
}

absl::Status CheckLocations(const v1::SolveResponse& response) {
  for (const v1::Route& route : response.solution().routes()) {
    for (const v1::Stop& stop : route.stops()) {
      if (stop.has_location() && std::isfinite(stop.location().x()) &&
          std::isfinite(stop.location().y()))
        continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--plot: stop ", stop.id(),
                       " has no location; give the instance coordinates beside its "
                       "matrix, or leave --plot out"));
    }
  }
  if (response.solution().routes().empty()) {
    return absl::InvalidArgumentError("--plot: the plan has no routes to draw; leave --plot out");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PlotSvg(const v1::SolveResponse& response) {
  const absl::Status status = CheckLocations(response);
  if (!status.ok()) return status;
  const v1::Solution& solution = response.solution();
  const Frame frame(solution);
  const double legend_left = frame.width() + 3 * kMargin;
  const double legend_height =
      kLegendLine * (std::min(solution.routes_size(), kMaxLegendLines) + 2);
  const double width = legend_left + kLegendWidth;
  const double height = kTitleHeight + 2 * kMargin + std::max(frame.height(), legend_height);
  return absl::StrCat(SvgHeader(width, height, response.name()), Title(response),
                      Lines(solution, frame), Customers(solution, frame), Depots(solution, frame),
                      Legend(solution, legend_left), "</svg>\n");
}

}  // namespace vrp::client
