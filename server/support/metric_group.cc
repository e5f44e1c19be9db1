#include "server/support/metric_group.h"

#include <algorithm>
#include <limits>

namespace vrp {

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), counts_(bounds.size() + 1) {}

void Histogram::Observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  absl::MutexLock lock(&mutex_);
  ++counts_[static_cast<size_t>(bucket)];
  sum_ += value;
}

void Histogram::WriteTo(MetricSample& sample) const {
  absl::MutexLock lock(&mutex_);
  HistogramValue& histogram = sample.histogram;
  histogram.sum = sum_;
  for (size_t i = 0; i < counts_.size(); ++i) {
    histogram.count += counts_[i];
    const double bound = i < bounds_.size() ? bounds_[i] : std::numeric_limits<double>::infinity();
    histogram.buckets.push_back({.upper_bound = bound, .cumulative_count = histogram.count});
  }
}

}  // namespace vrp
