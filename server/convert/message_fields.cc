#include "server/convert/message_fields.h"

#include <cstdlib>

#include "google/protobuf/reflection.h"

namespace vrp {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const FieldDescriptor& MessageField(const google::protobuf::Descriptor& type,
                                    std::string_view name) {
  const FieldDescriptor* field = type.FindFieldByName(std::string(name));
  if (field == nullptr) std::abort();
  return *field;
}

std::vector<double> ReadNumbers(const Message& message, const FieldDescriptor& field) {
  const auto& numbers = message.GetReflection()->GetRepeatedFieldRef<double>(message, &field);
  return {numbers.begin(), numbers.end()};
}

std::vector<int32_t> ReadIntegers(const Message& message, const FieldDescriptor& field) {
  const auto& numbers = message.GetReflection()->GetRepeatedFieldRef<int32_t>(message, &field);
  return {numbers.begin(), numbers.end()};
}

std::vector<std::string> ReadTexts(const Message& message, const FieldDescriptor& field) {
  const auto& texts = message.GetReflection()->GetRepeatedFieldRef<std::string>(message, &field);
  return {texts.begin(), texts.end()};
}

}  // namespace vrp
