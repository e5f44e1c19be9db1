#include "core/model/estimate/estimate_statistics.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace vrp {
namespace {

constexpr float kLargestNormalised = 6;

// Calls `visit` with the name and the values of each member, in the order on disk.
template <typename Statistics, typename Visit>
void ForEachMember(Statistics& statistics, Visit visit) {
  visit("globals.means", std::span(statistics.means));
  visit("globals.deviations", std::span(statistics.deviations));
  visit("globals.low", std::span(statistics.low));
  visit("globals.high", std::span(statistics.high));
  visit("layout.factor", std::span(statistics.factor));
  visit("layout.limit", std::span(&statistics.layout_limit, 1));
  visit("target.means", std::span(statistics.target_means));
  visit("target.deviations", std::span(statistics.target_deviations));
  visit("calibration.corrections", std::span(statistics.corrections));
  visit("calibration.factors", std::span(statistics.interval_factors));
}

size_t StatisticsSize() {
  size_t size = 0;
  const EstimateStatistics empty;
  ForEachMember(empty, [&](const char*, std::span<const float> values) { size += values.size(); });
  return size;
}

}  // namespace

EstimateStatistics::Globals EstimateStatistics::Normalised(const Globals& globals) const {
  Globals normalised;
  for (size_t g = 0; g < globals.size(); ++g) {
    normalised[g] = std::clamp((globals[g] - means[g]) / deviations[g], -kLargestNormalised,
                               kLargestNormalised);
  }
  return normalised;
}

double EstimateStatistics::LayoutDistance(const Globals& normalised) const {
  double squares = 0;
  for (int32_t r = 0; r < kLayoutFeatures; ++r) {
    double sum = 0;
    for (int32_t c = 0; c <= r; ++c) {
      sum += static_cast<double>(factor[r * kLayoutFeatures + c] * normalised[c]);
    }
    squares += sum * sum;
  }
  return std::sqrt(squares / kLayoutFeatures);
}

double EstimateStatistics::Correction(double customers, bool timed) const {
  const size_t at = timed ? 2 : 0;
  return static_cast<double>(corrections[at]) +
         static_cast<double>(corrections[at + 1]) * std::log(customers);
}

ParameterLayout EstimateLayout(const EstimateNetworkOptions& options) {
  std::vector<ParameterShape> shapes = EstimateNetworkParameters(options);
  const EstimateStatistics empty;
  ForEachMember(empty, [&](const char* name, std::span<const float> values) {
    shapes.push_back({.name = name, .shape = {std::ssize(values)}, .frozen = true});
  });
  return ParameterLayout(std::move(shapes));
}

void PutStatistics(const EstimateStatistics& statistics, std::span<float> values) {
  auto to = values.end() - static_cast<std::ptrdiff_t>(StatisticsSize());
  ForEachMember(statistics, [&](const char*, std::span<const float> member) {
    to = std::copy(member.begin(), member.end(), to);
  });
}

EstimateStatistics GetStatistics(std::span<const float> values) {
  EstimateStatistics statistics;
  auto from = values.end() - static_cast<std::ptrdiff_t>(StatisticsSize());
  ForEachMember(statistics, [&](const char*, std::span<float> member) {
    std::copy_n(from, member.size(), member.begin());
    from += std::ssize(member);
  });
  return statistics;
}

}  // namespace vrp
