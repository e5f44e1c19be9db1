// Days: requests with the decisions at which they are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/request.h"
#include "core/dispatch/site.h"

namespace vrp {

// A day of requests.
struct DispatchDay {
  std::string name = {};
  // Earliest departure of the vehicles of each decision, in increasing order. At least one.
  std::vector<double> departures = {};
  // The requests. Each is known from the first decision whose departure is not before its release.
  std::vector<DispatchRequest> requests = {};
};

// The calendar of drawn days. Times are in the unit of the site.
struct DayShape {
  double epoch = 3600;   // time between two decisions
  double margin = 3600;  // time from a decision to the earliest departure of its vehicles
  int32_t requests_per_epoch = 100;  // drawn at each decision, before those too late are dropped
};
inline constexpr double kMaxEpochs = 1000;  // largest number of decisions of a day

// Draws a day as the competition EURO meets NeurIPS 2022 does. Decisions are made at each multiple
// of `epoch` from the one before the earliest opening of a customer's window, less `margin`, to the
// one before the latest opening. Returns kInvalidArgument if the site has no customers, the shape
// is not positive, or the day would have more than kMaxEpochs decisions.
absl::StatusOr<DispatchDay> DrawDay(const DispatchSite& site, const DayShape& shape, uint64_t seed);

}  // namespace vrp
