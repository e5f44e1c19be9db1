#include "core/problem/instance/metric.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/problem/instance/choices.h"

namespace vrp {
namespace {

double RoundedAs(Metric metric, double distance) {
  switch (metric) {
    case Metric::kExact:
      return distance;
    case Metric::kRounded:
      return std::floor(distance + 0.5);
    case Metric::kCeiled:
      return std::ceil(distance);
    case Metric::kDimacs:
      return std::floor(10 * distance) / 10;
    case Metric::kScaled1000:
      return std::floor(1000 * distance + 0.5);
  }
  return distance;
}

}  // namespace

std::string_view MetricName(Metric metric) { return ChoiceName(metric); }

std::optional<Metric> MetricFromName(std::string_view name) { return ChoiceFromName<Metric>(name); }

double MetricUnit(Metric metric) {
  if (metric == Metric::kExact) return 0;
  return metric == Metric::kDimacs ? 0.1 : 1;
}

double MetricDistance(Metric metric, Position a, Position b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  return RoundedAs(metric, std::sqrt(dx * dx + dy * dy));
}

double GreatCircleDistance(Metric metric, Position a, Position b) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double across = std::sin((b.y - a.y) * kRadians / 2);
  const double along = std::sin((b.x - a.x) * kRadians / 2);
  const double chord =
      across * across + std::cos(a.y * kRadians) * std::cos(b.y * kRadians) * along * along;
  return RoundedAs(metric, 2 * kEarthRadius * std::asin(std::sqrt(std::min(1.0, chord))));
}

Cost MetricSum(Metric metric, double sum) {
  if (metric == Metric::kExact) return sum;
  if (metric == Metric::kDimacs) return std::round(10 * sum) / 10;
  return std::round(sum);
}

}  // namespace vrp
