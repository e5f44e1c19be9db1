// Collects the errors of a message.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {

// A list of errors that holds the first 100.
class ViolationList {
 public:
  // Adds an error whose description is the concatenation of `parts`.
  template <typename... Parts>
  void Add(std::string_view field, const Parts&... parts) {
    if (violations_.size() < kMaxViolations)
      violations_.push_back({std::string(field), Concat(parts...)});
  }

  bool empty() const { return violations_.empty(); }
  std::vector<FieldViolation> Take() && { return std::move(violations_); }

 private:
  static constexpr size_t kMaxViolations = 100;

  std::vector<FieldViolation> violations_;
};

}  // namespace vrp
