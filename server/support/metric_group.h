// Counters, gauges and histograms, grouped by name and told apart by labels.
//
// They replace prometheus-cpp, of which Debian has no static library, so that vrpd can be linked
// portably.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/support/metric_family.h"

namespace vrp {

// A value that only grows. Thread-safe.
class Counter {
 public:
  static constexpr MetricType kType = MetricType::kCounter;
  void Increment() { value_ += 1; }
  void WriteTo(MetricSample& sample) const { sample.value = value_; }

 private:
  std::atomic<double> value_ = 0;
};

// A value that grows and shrinks. Thread-safe.
class Gauge {
 public:
  static constexpr MetricType kType = MetricType::kGauge;
  void Increment() { value_ += 1; }
  void Decrement() { value_ -= 1; }
  void WriteTo(MetricSample& sample) const { sample.value = value_; }

 private:
  std::atomic<double> value_ = 0;
};

// Counts of observations in buckets. Thread-safe.
class Histogram {
 public:
  static constexpr MetricType kType = MetricType::kHistogram;
  // Creates a histogram. `bounds` are the buckets' largest values in ascending order, and must
  // outlive this object. Adds a last bucket without a bound.
  explicit Histogram(std::span<const double> bounds);
  void Observe(double value);
  void WriteTo(MetricSample& sample) const;

 private:
  const std::span<const double> bounds_;
  mutable absl::Mutex mutex_;
  double sum_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> counts_ ABSL_GUARDED_BY(mutex_);  // by bucket, not cumulative
};

// The metrics of one name. Thread-safe.
template <typename Metric>
class MetricGroup {
 public:
  using Labels = std::map<std::string, std::string>;

  MetricGroup(std::string name, std::string help)
      : name_(std::move(name)), help_(std::move(help)) {}

  // Returns the metric with these labels, valid as long as *this. Creates it from `arguments` if
  // there is none.
  template <typename... Arguments>
  Metric& Add(const Labels& labels, Arguments&&... arguments) {
    absl::MutexLock lock(&mutex_);
    std::unique_ptr<Metric>& metric = metrics_[labels];
    if (metric == nullptr) metric = std::make_unique<Metric>(std::forward<Arguments>(arguments)...);
    return *metric;
  }

  // Appends the family of all metrics to `families`, unless there is none.
  void AppendTo(std::vector<MetricFamily>& families) const {
    absl::MutexLock lock(&mutex_);
    if (metrics_.empty()) return;
    MetricFamily& family = families.emplace_back(
        MetricFamily{.name = name_, .help = help_, .type = Metric::kType, .samples = {}});
    for (const auto& [labels, metric] : metrics_) {
      MetricSample& sample = family.samples.emplace_back();
      for (const auto& [name, value] : labels)
        sample.labels.push_back({.name = name, .value = value});
      metric->WriteTo(sample);
    }
  }

 private:
  const std::string name_;
  const std::string help_;
  mutable absl::Mutex mutex_;
  std::map<Labels, std::unique_ptr<Metric>> metrics_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
