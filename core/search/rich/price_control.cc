#include "core/search/rich/price_control.h"

#include <algorithm>

namespace vrp {
namespace {

constexpr double kTarget = 0.3;
constexpr int32_t kWindow = 100;
constexpr double kRaise = 1.2;
constexpr double kLower = 0.85;
// Of a whole capacity of the largest vehicle, in mean costs of an edge.
constexpr double kFirstLoad = 20;
// Prices stay within these multiples of the first ones.
constexpr double kLowest = 1e-2;
constexpr double kHighest = 1e4;
// Sums of violations come back to 0 only nearly. Relative to a full vehicle and to the mean edge.
constexpr double kRounding = 1e-9;

void Adapt(double& price, double first, double& kept) {
  if (kept < kTarget * kWindow) price *= kRaise;
  if (kept > kTarget * kWindow) price *= kLower;
  price = std::clamp(price, first * kLowest, first * kHighest);
  kept = 0;
}

}  // namespace

PriceControl::PriceControl(const MeanEdge& edge)
    : prices_{.load = kFirstLoad * edge.cost,
              .time = edge.duration > 0 ? edge.cost / edge.duration : 1,
              .distance = edge.distance > 0 ? edge.cost / edge.distance : 1},
      first_(prices_),
      rounding_{.load = kRounding,
                .time = kRounding * edge.duration,
                .distance = kRounding * edge.distance} {}

bool PriceControl::Record(const Breach& breach) {
  kept_.load += breach.load <= rounding_.load;
  kept_.time += breach.time <= rounding_.time;
  kept_.distance += breach.distance <= rounding_.distance;
  if (++plans_ < kWindow) return false;
  plans_ = 0;
  Adapt(prices_.load, first_.load, kept_.load);
  Adapt(prices_.time, first_.time, kept_.time);
  Adapt(prices_.distance, first_.distance, kept_.distance);
  return true;
}

}  // namespace vrp
