// Collects what is wrong with an instance's data, each error with its field's path.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/problem/instance/field_path.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

class FieldErrors {
 public:
  // The first kMaxErrors are kept.
  static constexpr size_t kMaxErrors = 1000;

  template <typename... Parts>
  void Add(const FieldPath& path, const Parts&... parts) {
    if (errors_.size() < kMaxErrors) errors_.push_back(Concat(path.ToString(), ": ", parts...));
  }
  bool empty() const { return errors_.empty(); }
  std::vector<std::string> Take() { return std::move(errors_); }

  // Each adds an error where it does not hold, and tells whether it holds.
  // A finite number, not below `low`, of a size that sums stay exact with.
  bool CheckValue(const FieldPath& path, double value, double low);
  // A time, likewise and not negative.
  bool CheckTime(const FieldPath& path, double value);
  // A positive number, or none.
  bool CheckLimit(const FieldPath& path, double value);
  // Short printable text; it may be empty.
  bool CheckName(const FieldPath& path, const std::string& name);
  // Opens before it closes.
  bool CheckWindow(const FieldPath& path, const TimeWindow& window);
  // The same, and service cannot begin after it.
  bool CheckHardWindow(const FieldPath& path, const TimeWindow& window);

 private:
  std::vector<std::string> errors_;
};

// `depots[0]`, `customers[17]`.
FieldPath NodePath(const InstanceData& data, size_t node);

}  // namespace vrp
