#include "core/train/run/scalar_state.h"

#include <cmath>
#include <limits>

namespace vrp {

void PutFinite(std::map<std::string, double>& scalars, const std::string& name, double value) {
  scalars["has_" + name] = std::isfinite(value) ? 1 : 0;
  scalars[name] = std::isfinite(value) ? value : 0;
}

double GetFinite(const std::map<std::string, double>& scalars, const std::string& name) {
  const auto known = scalars.find("has_" + name);
  if (known == scalars.end() || known->second == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return scalars.at(name);
}

}  // namespace vrp
