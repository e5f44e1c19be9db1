// Paths of fields in errors, such as `customers[17].window.open`.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace vrp {

// The path of a field, which becomes text only when there is an error. Refers to its texts and its
// parent, which must outlive it. Use it only for arguments and local variables.
class FieldPath {
 public:
  // Builds the path `name`.
  template <typename Text>
    requires std::convertible_to<const Text&, std::string_view>
  FieldPath(const Text& name) : name_(name) {}  // NOLINT(google-explicit-constructor)
  // Builds the path `list[index]`.
  FieldPath(std::string_view list, size_t index) : name_(list), index_(index), indexed_(true) {}
  // Builds the path `parent.name`.
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  // Builds the path `parent.list[index]`.
  FieldPath(const FieldPath& parent, std::string_view list, size_t index)
      : parent_(&parent), name_(list), index_(index), indexed_(true) {}

  std::string ToString() const {
    std::string text = parent_ == nullptr ? std::string() : parent_->ToString() + ".";
    text += name_;
    return indexed_ ? Concat(text, "[", index_, "]") : text;
  }

 private:
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  bool indexed_ = false;
};

}  // namespace vrp
