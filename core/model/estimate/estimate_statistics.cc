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
  const auto visit_region = [&](const char* means, const char* factor, const char* limit,
                                auto& region) {
    visit(means, std::span(region.means));
    visit(factor, std::span(region.factor));
    visit(limit, std::span(&region.limit, 1));
  };
  visit_region("layouts.means", "layouts.factor", "layouts.limit", statistics.layouts);
  visit_region("times.means", "times.factor", "times.limit", statistics.times);
  visit("target.means", std::span(statistics.target_means));
  visit("target.deviations", std::span(statistics.target_deviations));
  visit("calibration.corrections", std::span(statistics.corrections));
  visit("calibration.factors", std::span(statistics.interval_factors));
  visit("added.weights", std::span(statistics.added));
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

template <size_t kSize>
double KnownRegion<kSize>::Distance(std::span<const float> values) const {
  double squares = 0;
  for (size_t r = 0; r < kSize; ++r) {
    double sum = 0;
    for (size_t c = 0; c <= r; ++c) {
      sum += static_cast<double>(factor[r * kSize + c] * (values[c] - means[c]));
    }
    squares += sum * sum;
  }
  return std::sqrt(squares / static_cast<double>(kSize));
}

template struct KnownRegion<kLayoutFeatures>;
template struct KnownRegion<kEstimateGlobalCount>;

double EstimateStatistics::AddedCost(const AddedCustomer::Features& features, bool timed) const {
  const size_t first = timed ? features.size() : 0;
  double sum = 0;
  for (size_t k = 0; k < features.size(); ++k) {
    sum += static_cast<double>(added[first + k] * features[k]);
  }
  return sum;
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
