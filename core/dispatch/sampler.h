// Draws the requests that may become known during a day.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/random.h"
#include "core/dispatch/request.h"
#include "core/dispatch/site.h"

namespace vrp {

// A distribution of requests. Implementations are immutable and thread-safe.
class RequestSampler {
 public:
  virtual ~RequestSampler() = default;
  // Draws the requests that become known after the decision whose departure is `departures.front()`
  // and in time for those of the other departures, which increase. Their `release` is the first
  // departure at which they are known. All of them can be served directly at that departure.
  virtual std::vector<DispatchRequest> Draw(std::span<const double> departures,
                                            CounterRandom& random) const = 0;
};

// Draws requests as the competition EURO meets NeurIPS 2022 does: for each departure, a fixed
// number whose address, demand, window and service time are those of four customers of the site,
// drawn uniformly and independently of each other. Requests that no vehicle can serve directly are
// dropped.
class SiteSampler : public RequestSampler {
 public:
  SiteSampler(DispatchSite site, int32_t requests_per_departure)
      : site_(std::move(site)), count_(requests_per_departure) {}

  std::vector<DispatchRequest> Draw(std::span<const double> departures,
                                    CounterRandom& random) const override;
  // Appends the requests that become known for one departure.
  void DrawFor(double departure, CounterRandom& random,
               std::vector<DispatchRequest>& requests) const;

 private:
  const DispatchSite site_;
  const int32_t count_;
};

}  // namespace vrp
