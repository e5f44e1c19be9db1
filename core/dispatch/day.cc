#include "core/dispatch/day.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/base/text.h"
#include "core/dispatch/sampler.h"

namespace vrp {

absl::StatusOr<DispatchDay> DrawDay(const DispatchSite& site, const DayShape& shape,
                                    uint64_t seed) {
  const Instance& instance = site.instance();
  if (instance.num_customers() == 0) {
    return absl::InvalidArgumentError("customers: got none, wanted at least one to draw from");
  }
  if (!(shape.epoch > 0) || !(shape.margin >= 0) || shape.requests_per_epoch < 1) {
    return absl::InvalidArgumentError(
        "epoch must be above 0, margin at least 0 and requests_per_epoch at least 1");
  }
  double earliest = kNoLimit;
  double latest = 0;
  for (NodeIndex node = 1; node < instance.num_nodes(); ++node) {
    earliest = std::min(earliest, instance.window(node).open);
    latest = std::max(latest, instance.window(node).open);
  }
  const double first = std::max(0.0, std::floor((earliest - shape.margin) / shape.epoch));
  const double last = std::max(0.0, std::floor((latest - shape.margin) / shape.epoch));
  if (last - first >= kMaxEpochs) {
    return absl::InvalidArgumentError(Concat("epoch: got ", shape.epoch,
                                             ", with which the day has ", last - first + 1,
                                             " decisions, wanted at most ", kMaxEpochs));
  }
  DispatchDay day = {.name = Concat(instance.name(), "-", seed)};
  const SiteSampler sampler(site, shape.requests_per_epoch);
  CounterRandom random(seed);
  for (int32_t i = 0; i <= static_cast<int32_t>(last - first); ++i) {
    day.departures.push_back((first + i) * shape.epoch + shape.margin);
    sampler.DrawFor(day.departures.back(), random, day.requests);
  }
  for (size_t i = 0; i < day.requests.size(); ++i) {
    day.requests[i].id = Concat("request-", i + 1);
  }
  return day;
}

}  // namespace vrp
