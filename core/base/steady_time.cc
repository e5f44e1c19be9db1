#include "core/base/steady_time.h"

#include <chrono>

#include "absl/time/clock.h"

namespace vrp {
namespace {

absl::Duration SinceBoot() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

absl::Time SteadyNow() {
  static const absl::Time boot = absl::Now() - SinceBoot();
  return boot + SinceBoot();
}

}  // namespace vrp
