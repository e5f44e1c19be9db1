// Sites and states for tests of dispatch.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"
#include "core/dispatch/state.h"
#include "tests/testing/instance_builder.h"

namespace vrp::test {

// Returns a site whose customers 1, 2 and 3 are at 10, 20 and 30 on a line. The depot is open from
// 0 to 1000, each vehicle carries 10, and each customer orders 1.
inline DispatchSite LineSite() {
  return *DispatchSite::Create(*Instance::Create(LineWithWindows()));
}

// Returns a site with random positions, demands and windows.
inline DispatchSite RandomSite(int32_t customers, uint64_t seed) {
  return *DispatchSite::Create(AnInstance()
                                   .WithCustomers(customers)
                                   .Seed(seed)
                                   .Capacity(20)
                                   .RandomDemands()
                                   .RandomWindows()
                                   .Build());
}

// Returns a request of `customer` that must be served by `close`.
inline DispatchRequest RequestUntil(const DispatchSite& site, NodeIndex customer, double close) {
  DispatchRequest request = site.RequestOf(customer, "r" + std::to_string(customer));
  request.window.close = close;
  return request;
}

// A sampler that returns the same requests each time: those released after the first departure and
// at or before the last.
class FixedSampler : public RequestSampler {
 public:
  explicit FixedSampler(std::vector<DispatchRequest> requests) : requests_(std::move(requests)) {}
  std::vector<DispatchRequest> Draw(std::span<const double> departures,
                                    CounterRandom&) const override {
    std::vector<DispatchRequest> drawn;
    for (const DispatchRequest& request : requests_) {
      if (request.release > departures.front() && request.release <= departures.back()) {
        drawn.push_back(request);
      }
    }
    return drawn;
  }

 private:
  const std::vector<DispatchRequest> requests_;
};

}  // namespace vrp::test
