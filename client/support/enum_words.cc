#include "client/support/enum_words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace vrp::client {
namespace {

// Returns the prefix of the enum's values, such as "STRATEGY_".
std::string PrefixOf(const google::protobuf::EnumDescriptor& type) {
  return std::string(absl::StripSuffix(type.FindValueByNumber(0)->name(), "UNSPECIFIED"));
}

}  // namespace

std::string UpperCaseWord(const google::protobuf::EnumDescriptor& type, int value) {
  const google::protobuf::EnumValueDescriptor* found = type.FindValueByNumber(value);
  if (found == nullptr) return absl::StrCat(value);
  return std::string(absl::StripPrefix(found->name(), PrefixOf(type)));
}

std::optional<int> FindWord(const google::protobuf::EnumDescriptor& type, absl::string_view word) {
  const google::protobuf::EnumValueDescriptor* found =
      type.FindValueByName(absl::StrCat(PrefixOf(type), absl::AsciiStrToUpper(word)));
  if (found == nullptr || found->number() == 0) return std::nullopt;
  return found->number();
}

}  // namespace vrp::client
