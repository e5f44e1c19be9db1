// Writes metrics in the text format of Prometheus, version 0.0.4.
#pragma once

#include <span>
#include <string>

#include "server/support/metric_family.h"

namespace vrp {

// Returns the page of these families.
std::string MetricsText(std::span<const MetricFamily> families);

}  // namespace vrp
