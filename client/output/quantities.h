// Formats a plan's numbers in their units.
#pragma once

#include <string>

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// A formatter of numbers in a plan's units. Formats numbers without a unit as FormatQuantity does.
class Quantities {
 public:
  explicit Quantities(const v1::Units& units) : units_(units) {}

  // Returns a text such as "850 m", "12.30 km" or "123.4 km".
  std::string Distance(double value) const;
  // Returns a text such as "45 s" or "1:53 h".
  std::string Duration(double value) const;
  // Returns a time of day, such as "8:15" or "0:30 +1 day". Returns a duration if the plan's times
  // are not times of day or `value` is negative.
  std::string Time(double value) const;
  // Returns a cost, a part of it or a reference cost in the objective's unit.
  std::string Cost(double value) const;

  bool times_of_day() const { return units_.times_of_day(); }

 private:
  v1::Units units_;
};

// Returns a number such as "375", "27591.5" or "0.00123"; "-" if it is not finite. Numbers of
// magnitude 0.1 or more have at most three decimals, smaller ones three significant digits. Numbers
// of magnitude below 1e-9 are "0".
std::string FormatQuantity(double value);

}  // namespace vrp::client
