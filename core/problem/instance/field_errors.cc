#include "core/problem/instance/field_errors.h"

#include <cmath>

#include "core/base/number.h"

namespace vrp {

bool FieldErrors::CheckValue(const FieldPath& path, double value, double low) {
  if (!std::isfinite(value)) {
    Add(path, "got ", FormatNumber(value), ", wanted a finite number");
  } else if (value < low) {
    Add(path, "got ", FormatNumber(value), ", wanted at least ", FormatNumber(low));
  } else if (std::abs(value) > kMaxMagnitude) {
    Add(path, "got ", FormatNumber(value), ", wanted at most ", FormatNumber(kMaxMagnitude));
  } else {
    return true;
  }
  return false;
}

bool FieldErrors::CheckTime(const FieldPath& path, double value) {
  if (!std::isfinite(value) || value <= kMaxMagnitude) return CheckValue(path, value, 0);
  Add(path, "got ", FormatNumber(value), ", wanted at most ", FormatNumber(kMaxMagnitude),
      "; give times since 1970 in seconds, not in milliseconds");
  return false;
}

bool FieldErrors::CheckLimit(const FieldPath& path, double value) {
  if (value == kNoLimit) return true;
  if (!CheckValue(path, value, 0)) return false;
  if (value == 0) Add(path, "got 0, wanted a positive number");
  return value != 0;
}

bool FieldErrors::CheckAllowance(const FieldPath& path, double value) {
  return value == kNoLimit || CheckValue(path, value, 0);
}

bool FieldErrors::CheckRange(const FieldPath& path, int32_t value, int32_t low, int32_t high) {
  if (value >= low && value <= high) return true;
  Add(path, "got ", value, ", wanted ", low, " to ", high);
  return false;
}

bool FieldErrors::CheckName(const FieldPath& path, const std::string& name) {
  if (name.size() > kMaxInstanceNameBytes) {
    Add(path, "has ", name.size(), " bytes, wanted at most ", kMaxInstanceNameBytes);
  } else if (!IsPrintableUtf8(name)) {
    Add(path, "got ", Quoted(name), ", wanted printable UTF-8 text");
  } else {
    return true;
  }
  return false;
}

bool FieldErrors::CheckNames(const FieldPath& parent, std::string_view field,
                             const std::vector<std::string>& names) {
  bool valid = true;
  for (size_t i = 0; i < names.size(); ++i) {
    const FieldPath path(parent, field, i);
    if (!CheckName(path, names[i])) valid = false;
    if (!names[i].empty()) continue;
    Add(path, "empty, wanted a name");
    valid = false;
  }
  return valid;
}

bool FieldErrors::CheckWindow(const FieldPath& path, const TimeWindow& window) {
  const bool open_ok = CheckTime(FieldPath(path, "open"), window.open);
  const bool close_ok =
      window.close == kNoLimit || CheckTime(FieldPath(path, "close"), window.close);
  const FieldPath late_cost(path, "late_cost");
  const bool late_cost_ok = !window.soft() || CheckValue(late_cost, window.late_cost, 0);
  if (window.soft() && late_cost_ok && window.close == kNoLimit) {
    Add(late_cost, "given, but the window has no close; wanted both");
    return false;
  }
  if (!open_ok || !close_ok || window.open <= window.close) {
    return open_ok && close_ok && late_cost_ok;
  }
  Add(path, "opens at ", FormatNumber(window.open), ", after it closes at ",
      FormatNumber(window.close));
  return false;
}

bool FieldErrors::CheckHardWindow(const FieldPath& path, const TimeWindow& window) {
  if (window.soft())
    Add(FieldPath(path, "late_cost"), "given; only customers' windows may be soft; leave it out");
  return CheckWindow(path, window) && !window.soft();
}

FieldPath NodePath(const InstanceData& data, size_t node) {
  const auto depots = static_cast<size_t>(data.num_depots);
  return node < depots ? FieldPath("depots", node) : FieldPath("customers", node - depots);
}

}  // namespace vrp
