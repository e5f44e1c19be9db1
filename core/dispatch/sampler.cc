#include "core/dispatch/sampler.h"

#include <utility>

namespace vrp {

std::vector<DispatchRequest> SiteSampler::Draw(std::span<const double> departures,
                                               CounterRandom& random) const {
  std::vector<DispatchRequest> requests;
  for (size_t i = 1; i < departures.size(); ++i) DrawFor(departures[i], random, requests);
  return requests;
}

void SiteSampler::DrawFor(double departure, CounterRandom& random,
                          std::vector<DispatchRequest>& requests) const {
  const Instance& site = site_.instance();
  const int32_t customers = site.num_customers();
  if (customers == 0) return;
  const auto draw = [&] { return static_cast<NodeIndex>(random.UniformInt(1, customers)); };
  for (int32_t i = 0; i < count_; ++i) {
    DispatchRequest request = {.customer = draw()};
    const NodeIndex load = draw();
    for (int32_t k = 0; k < site.load_dimensions(); ++k) {
      request.demand.push_back(site.demand(load, k));
    }
    request.window = site.window(draw());
    request.service = site.service(draw());
    request.release = departure;
    if (site_.ReachesDirectly(request, departure)) requests.push_back(std::move(request));
  }
}

}  // namespace vrp
