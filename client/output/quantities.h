// Formatting of a plan's numbers in their units.
#pragma once

#include <string>

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Formats numbers in the units of a plan, without a unit as FormatQuantity does.
class Quantities {
 public:
  explicit Quantities(const v1::Units& units) : units_(units) {}

  // Returns "850 m", "12.30 km", "123.4 km".
  std::string Distance(double value) const;
  // Returns "45 s", "1:53 h".
  std::string Duration(double value) const;
  // Returns a time of day, "8:15" or "0:30 +1 day". Formats a duration if times are none of a day.
  std::string Time(double value) const;
  // Formats a cost, a part of it or a reference cost in the objective's unit.
  std::string Cost(double value) const;

  bool times_of_day() const { return units_.times_of_day(); }

 private:
  v1::Units units_;
};

// Returns at most three decimals, below 0.1 three significant digits: "375", "27591.5", "0.00123".
std::string FormatQuantity(double value);

}  // namespace vrp::client
