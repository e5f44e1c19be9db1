#include "server/telemetry/metrics_text.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "core/base/text.h"

namespace vrp {
namespace {

std::string NumberText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  // 16 digits keep the bounds of buckets as they are written in the code: 0.0005, not 5e-04.
  char text[32];
  return std::string(text, static_cast<size_t>(std::snprintf(text, sizeof text, "%.16g", number)));
}

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "untyped";
}

std::string LabelText(std::string_view name, const std::string& value) {
  const std::string escaped =
      absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\n", "\\n"}, {"\"", "\\\""}});
  return Concat(name, "=\"", escaped, "\"");
}

// Appends one line. `bucket` is empty, or the last label.
void AppendLine(std::string_view name, const MetricSample& sample, std::string_view bucket,
                std::string_view value, std::string& page) {
  std::string labels;
  for (const MetricLabel& label : sample.labels) {
    labels += Concat(labels.empty() ? "" : ",", LabelText(label.name, label.value));
  }
  if (!bucket.empty()) labels += Concat(labels.empty() ? "" : ",", bucket);
  if (!labels.empty()) labels = Concat("{", labels, "}");
  page += Concat(name, labels, " ", value, "\n");
}

void AppendHistogram(const std::string& name, const MetricSample& sample, std::string& page) {
  const HistogramValue& histogram = sample.histogram;
  AppendLine(name + "_count", sample, "", Concat(histogram.count), page);
  AppendLine(name + "_sum", sample, "", NumberText(histogram.sum), page);
  for (const HistogramValue::Bucket& bucket : histogram.buckets) {
    AppendLine(name + "_bucket", sample, LabelText("le", NumberText(bucket.upper_bound)),
               Concat(bucket.cumulative_count), page);
  }
}

}  // namespace

std::string MetricsText(std::span<const MetricFamily> families) {
  std::string page;
  for (const MetricFamily& family : families) {
    const std::string help = absl::StrReplaceAll(family.help, {{"\\", "\\\\"}, {"\n", "\\n"}});
    page += Concat("# HELP ", family.name, " ", help, "\n");
    page += Concat("# TYPE ", family.name, " ", TypeName(family.type), "\n");
    for (const MetricSample& sample : family.samples) {
      if (family.type == MetricType::kHistogram) {
        AppendHistogram(family.name, sample, page);
      } else {
        AppendLine(family.name, sample, "", NumberText(sample.value), page);
      }
    }
  }
  return page;
}

}  // namespace vrp
