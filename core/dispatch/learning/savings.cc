#include "core/dispatch/learning/savings.h"

#include <algorithm>

namespace vrp {
namespace {

double SavingInOrder(const DispatchSite& site, const DispatchRequest& first,
                     const DispatchRequest& second, double departure) {
  const Instance& instance = site.instance();
  const VehicleType& vehicle = instance.vehicles().front();
  const double saving = instance.Distance(vehicle, first.customer, 0) +
                        instance.Distance(vehicle, 0, second.customer) -
                        instance.Distance(vehicle, first.customer, second.customer);
  if (saving <= 0) return 0;
  const double start = site.DirectStart(vehicle, first, departure);
  if (start == kNoLimit) return 0;
  const double leaves = start + first.service;
  const double next =
      std::max(leaves + instance.Duration(vehicle, first.customer, second.customer, leaves),
               second.window.open);
  if (next > second.window.close && !second.window.soft()) return 0;
  const double done = next + second.service;
  const double end =
      vehicle.open_end ? done : done + instance.Duration(vehicle, second.customer, 0, done);
  return end <= std::min(site.depot_close(), vehicle.shift.close) ? saving : 0;
}

}  // namespace

double SavingOf(const DispatchSite& site, const DispatchRequest& a, const DispatchRequest& b,
                double departure) {
  departure = std::max({departure, a.release, b.release});
  return std::max(SavingInOrder(site, a, b, departure), SavingInOrder(site, b, a, departure));
}

}  // namespace vrp
