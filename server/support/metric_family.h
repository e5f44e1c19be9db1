// The values of metrics at one moment, in the data model of Prometheus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vrp {

struct MetricLabel {
  std::string name;
  std::string value;
};

struct HistogramValue {
  struct Bucket {
    double upper_bound = 0;
    uint64_t cumulative_count = 0;  // observations up to upper_bound
  };
  uint64_t count = 0;
  double sum = 0;
  std::vector<Bucket> buckets;  // in ascending order; the last upper_bound is infinite
};

struct MetricSample {
  std::vector<MetricLabel> labels;
  double value = 0;          // value of a counter or a gauge
  HistogramValue histogram;  // value of a histogram
};

enum class MetricType { kCounter, kGauge, kHistogram };

// The samples of one metric name. Each has other label values.
struct MetricFamily {
  std::string name;
  std::string help;
  MetricType type = MetricType::kGauge;
  std::vector<MetricSample> samples;
};

}  // namespace vrp
