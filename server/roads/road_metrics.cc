#include "server/roads/road_metrics.h"

namespace vrp {
namespace {

constexpr double kRoadDurationBuckets[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                                           1,     2,    5,    10,   30,  60,  300};

}  // namespace

void RoadMetrics::RecordTry(const std::string& network, absl::Duration duration,
                            const absl::Status& status) {
  requests_.Add({{"network", network}, {"code", absl::StatusCodeToString(status.code())}})
      .Increment();
  durations_.Add({{"network", network}}, kRoadDurationBuckets)
      .Observe(absl::ToDoubleSeconds(duration));
}

void RoadMetrics::RecordLookup(const std::string& network, bool hit) {
  lookups_.Add({{"network", network}, {"result", hit ? "hit" : "miss"}}).Increment();
}

void RoadMetrics::AppendTo(std::vector<MetricFamily>& families) const {
  requests_.AppendTo(families);
  durations_.AppendTo(families);
  lookups_.AppendTo(families);
}

}  // namespace vrp
