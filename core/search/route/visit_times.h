// What time windows ask of a visit in a route.
#pragma once

namespace vrp {

// A customer fits between i and i + 1 exactly when it is reached in time from the departure of i,
// and i + 1 from it by the latest arrival of i + 1 (Savelsbergh 1992, "The vehicle routing problem
// with time windows: minimizing route duration"). Neither ever falls along a route.
struct VisitTimes {
  double departure = 0;  // the earliest end of service
  double latest = 0;     // the latest arrival that keeps the rest of the route in time
  double drive = 0;      // duration to the next visit; 0 at the end

  bool operator==(const VisitTimes&) const = default;
};

}  // namespace vrp
