#include "core/problem/plan/gap_reference.h"

#include <limits>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {

double Gap(double cost, double reference) {
  if (!(reference > 0)) return std::numeric_limits<double>::quiet_NaN();
  return (cost - reference) / reference;
}

std::string SearchReference(absl::Duration budget) {
  if (budget < absl::Seconds(1)) {
    return Concat("search ", FormatNumber(absl::ToDoubleMilliseconds(budget)), " ms");
  }
  return Concat("search ", FormatNumber(absl::ToDoubleSeconds(budget)), " s");
}

std::string SearchReference(int64_t iterations) {
  if (iterations == 0) return "search's first descent";
  return Concat("search ", iterations, iterations == 1 ? " iteration" : " iterations");
}

}  // namespace vrp
