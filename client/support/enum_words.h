// Converts between values of proto enums and words: "beam" or "BEAM" for STRATEGY_BEAM.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/generated_enum_reflection.h"

namespace vrp::client {

// Returns the value's name without the enum's prefix, such as "BEAM". Returns the number of an
// unknown value from a newer daemon.
std::string UpperCaseWord(const google::protobuf::EnumDescriptor& type, int value);
template <typename Enum>
std::string UpperCaseWord(Enum value) {
  return UpperCaseWord(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}

// Returns UpperCaseWord in lower case, such as "beam".
template <typename Enum>
std::string LowerCaseWord(Enum value) {
  return absl::AsciiStrToLower(UpperCaseWord(value));
}

// Returns the number of the value with this word in any case. Returns nullopt for unknown words and
// "unspecified".
std::optional<int> FindWord(const google::protobuf::EnumDescriptor& type, absl::string_view word);
template <typename Enum>
std::optional<Enum> ParseWord(absl::string_view word) {
  const std::optional<int> value = FindWord(*google::protobuf::GetEnumDescriptor<Enum>(), word);
  if (!value.has_value()) return std::nullopt;
  return static_cast<Enum>(*value);
}

}  // namespace vrp::client
