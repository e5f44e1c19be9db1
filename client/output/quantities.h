// A plan's numbers as people read them.
#pragma once

#include <string>

#include "vrp/v1/solution.pb.h"

namespace vrp::client {

// Formats numbers in the units of one plan; where a unit is unknown, as FormatQuantity does.
class Quantities {
 public:
  explicit Quantities(const v1::Units& units) : units_(units) {}

  // "850 m", "12.30 km", "123.4 km".
  std::string Distance(double value) const;
  // "45 s", "1:53 h".
  std::string Duration(double value) const;
  // A moment: "8:15", "0:30 +1 day"; where times are not of a day, as a duration.
  std::string Time(double value) const;
  // Formats a cost, a part of it or a reference cost in the objective's unit.
  std::string Cost(double value) const;

  bool times_of_day() const { return units_.times_of_day(); }

 private:
  v1::Units units_;
};

// "375", "27591.5", "0.00123": at most three decimals; below 1 three significant digits.
std::string FormatQuantity(double value);

}  // namespace vrp::client
