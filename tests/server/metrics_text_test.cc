#include "server/telemetry/metrics_text.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(MetricsText, WritesHelpTypeAndLabels) {
  const std::vector<MetricFamily> families = {
      {.name = "jobs",
       .help = "Jobs by state.",
       .type = MetricType::kGauge,
       .samples = {
           {.labels = {{"kind", "solve"}, {"state", "running"}}, .value = 2, .histogram = {}}}}};
  EXPECT_EQ(MetricsText(families),
            "# HELP jobs Jobs by state.\n"
            "# TYPE jobs gauge\n"
            "jobs{kind=\"solve\",state=\"running\"} 2\n");
}

TEST(MetricsText, EscapesLabelValuesAndHelp) {
  const std::vector<MetricFamily> families = {
      {.name = "a",
       .help = "one\\two\n",
       .type = MetricType::kCounter,
       .samples = {{.labels = {{"path", "C:\\\"x\"\n"}}, .value = 0.1, .histogram = {}}}}};
  EXPECT_EQ(MetricsText(families),
            "# HELP a one\\\\two\\n\n"
            "# TYPE a counter\n"
            "a{path=\"C:\\\\\\\"x\\\"\\n\"} 0.1\n");
}

TEST(MetricsText, WritesHistogramsWithCumulativeBuckets) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<MetricFamily> families = {
      {.name = "s",
       .help = "Seconds.",
       .type = MetricType::kHistogram,
       .samples = {
           {.labels = {{"rpc", "Solve"}},
            .value = 0,
            .histogram = {.count = 3, .sum = 2.5, .buckets = {{0.0005, 1}, {infinity, 3}}}}}}};
  EXPECT_EQ(MetricsText(families),
            "# HELP s Seconds.\n"
            "# TYPE s histogram\n"
            "s_count{rpc=\"Solve\"} 3\n"
            "s_sum{rpc=\"Solve\"} 2.5\n"
            "s_bucket{rpc=\"Solve\",le=\"0.0005\"} 1\n"
            "s_bucket{rpc=\"Solve\",le=\"+Inf\"} 3\n");
}

TEST(MetricsText, WritesNumbersThatPrometheusReads) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<MetricFamily> families = {
      {.name = "n",
       .help = "",
       .type = MetricType::kGauge,
       .samples = {
           {.labels = {}, .value = std::numeric_limits<double>::quiet_NaN(), .histogram = {}},
           {.labels = {}, .value = -infinity, .histogram = {}},
           {.labels = {}, .value = 1e21, .histogram = {}}}}};
  EXPECT_EQ(MetricsText(families), "# HELP n \n# TYPE n gauge\nn NaN\nn -Inf\nn 1e+21\n");
}

}  // namespace
}  // namespace vrp
