// Collects the errors of an instance's data, each with the path of its field.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/instance/field_path.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

// A list of errors, and the rules that values must obey. Not thread-safe.
class FieldErrors {
 public:
  // Bounds the number of errors; further errors are dropped.
  static constexpr size_t kMaxErrors = 1000;

  template <typename... Parts>
  void Add(const FieldPath& path, const Parts&... parts) {
    if (errors_.size() < kMaxErrors) errors_.push_back(Concat(path.ToString(), ": ", parts...));
  }
  bool empty() const { return errors_.empty(); }
  std::vector<std::string> Take() { return std::move(errors_); }

  // Each function below checks a rule, adds an error if the value breaks the rule, and returns
  // whether the rule holds.

  // Accepts a finite number from `low`, at least -kMaxMagnitude, to kMaxMagnitude.
  bool CheckValue(const FieldPath& path, double value, double low);
  // Accepts a time: a finite number from 0 to kMaxMagnitude.
  bool CheckTime(const FieldPath& path, double value);
  // Accepts a positive number, or kNoLimit.
  bool CheckLimit(const FieldPath& path, double value);
  // Accepts a number that is not negative, or kNoLimit.
  bool CheckAllowance(const FieldPath& path, double value);
  bool CheckRange(const FieldPath& path, int32_t value, int32_t low, int32_t high);
  // Accepts short printable text, which may be empty.
  bool CheckName(const FieldPath& path, const std::string& name);
  // Accepts a list of non-empty names.
  bool CheckNames(const FieldPath& parent, std::string_view field,
                  const std::vector<std::string>& names);
  // Accepts a window with valid times that opens no later than it closes. Only a window with an end
  // may have a late_cost.
  bool CheckWindow(const FieldPath& path, const TimeWindow& window);
  // Accepts such a window without late_cost.
  bool CheckHardWindow(const FieldPath& path, const TimeWindow& window);

 private:
  std::vector<std::string> errors_;
};

// Returns the path of a node, such as `depots[0]` or `customers[17]`.
FieldPath NodePath(const InstanceData& data, size_t node);

}  // namespace vrp
