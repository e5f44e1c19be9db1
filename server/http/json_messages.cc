#include "server/http/json_messages.h"

#include <optional>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver.h"
#include "google/protobuf/util/type_resolver_util.h"
#include "google/protobuf/wire_format_lite.h"
#include "nlohmann/json.hpp"
#include "server/convert/field_violation.h"
#include "server/http/url_text.h"

namespace vrp {
namespace {

namespace util = google::protobuf::util;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr char kTypeUrlPrefix[] = "type.googleapis.com";
constexpr size_t kMaxQueryDepth = 4;
constexpr int kMaxDepth = 100;  // equal to protobuf's limit

util::TypeResolver& Resolver() {
  static util::TypeResolver& resolver = *util::NewTypeResolverForDescriptorPool(
      kTypeUrlPrefix, google::protobuf::DescriptorPool::generated_pool());
  return resolver;
}

std::string UrlOf(const Descriptor& type) { return Concat(kTypeUrlPrefix, "/", type.full_name()); }

absl::Status NotJson(const Descriptor& type, const util::Status& error) {
  return absl::InvalidArgumentError(Concat(
      "the request is not a ", type.full_name(),
      " in protobuf's JSON form: ", Escaped({error.message().data(), error.message().size()})));
}

absl::Status AddParameter(std::string_view parameter, nlohmann::json& root) {
  const size_t equals = parameter.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        Concat("query: got ", Quoted(parameter), ", wanted FIELD=VALUE"));
  }
  VRP_ASSIGN_OR_RETURN(const std::string key, DecodeQueryPart(parameter.substr(0, equals)));
  VRP_ASSIGN_OR_RETURN(std::string value, DecodeQueryPart(parameter.substr(equals + 1)));
  if (!IsPrintableUtf8(key) || !IsPrintableUtf8(value)) {
    return absl::InvalidArgumentError(Concat("query: ", Quoted(key), " is not printable UTF-8"));
  }
  const std::vector<std::string> path = absl::StrSplit(key, '.');
  nlohmann::json* at = &root;
  for (const std::string& part : path) {
    if (path.size() > kMaxQueryDepth || !(at->is_null() || at->is_object())) {
      return absl::InvalidArgumentError(
          Concat("query: ", Quoted(key), " is not a field; wanted a name such as pageSize"));
    }
    at = &(*at)[part];
  }
  if (!at->is_null()) {
    return absl::InvalidArgumentError(
        Concat("query: ", Quoted(key), " is given twice, wanted once"));
  }
  *at = std::move(value);
  return absl::OkStatus();
}

// A scanner of serialized messages for singular fields that occur twice.
class TwiceScan {
 public:
  explicit TwiceScan(CodedInputStream& input) : input_(input) {}

  // Returns the path of the first such field, or an empty text.
  std::string Scan(const Descriptor& type) {
    std::vector<bool> given(static_cast<size_t>(type.field_count()), false);
    while (const uint32_t tag = input_.ReadTag()) {
      const FieldDescriptor* const field =
          type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (field != nullptr && !field->is_repeated()) {
        const auto index = static_cast<size_t>(field->index());
        if (given[index]) return field->json_name();
        given[index] = true;
      }
      if (const std::string inside = ScanValue(field, tag); !inside.empty()) return inside;
    }
    return "";
  }

 private:
  std::string ScanValue(const FieldDescriptor* field, uint32_t tag) {
    if (field == nullptr || field->type() != FieldDescriptor::TYPE_MESSAGE) {
      WireFormatLite::SkipField(&input_, tag);
      return "";
    }
    int size = 0;
    if (!input_.ReadVarintSizeAsInt(&size) || ++depth_ > kMaxDepth) return "";
    const CodedInputStream::Limit limit = input_.PushLimit(size);
    const std::string inside = Scan(*field->message_type());
    input_.PopLimit(limit);
    --depth_;
    return inside.empty() ? "" : Concat(field->json_name(), ".", inside);
  }

  CodedInputStream& input_;
  int depth_ = 0;
};

}  // namespace

absl::Status CheckFieldsGivenOnce(const Descriptor& type, const std::string& binary) {
  CodedInputStream input(reinterpret_cast<const uint8_t*>(binary.data()),
                         static_cast<int>(binary.size()));
  const std::string twice = TwiceScan(input).Scan(type);
  if (twice.empty()) return absl::OkStatus();
  return InvalidField(twice, "is given twice, wanted once");
}

absl::StatusOr<std::string> BinaryFromJson(const Descriptor& type, std::string_view json) {
  google::protobuf::io::ArrayInputStream input(json.data(), static_cast<int>(json.size()));
  std::string binary;
  google::protobuf::io::StringOutputStream output(&binary);
  const util::Status status = util::JsonToBinaryStream(&Resolver(), UrlOf(type), &input, &output);
  if (!status.ok()) return NotJson(type, status);
  VRP_RETURN_IF_ERROR(CheckFieldsGivenOnce(type, binary));
  return binary;
}

absl::StatusOr<std::string> BinaryFromQuery(const Descriptor& type, std::string_view query) {
  nlohmann::json root = nlohmann::json::object();
  for (const absl::string_view parameter : absl::StrSplit(ToAbsl(query), '&', absl::SkipEmpty())) {
    VRP_RETURN_IF_ERROR(AddParameter(FromAbsl(parameter), root));
  }
  return BinaryFromJson(type, root.dump());
}

absl::StatusOr<std::string> JsonFromBinary(const Descriptor& type, const std::string& binary) {
  std::string json;
  const util::Status status =
      util::BinaryToJsonString(&Resolver(), UrlOf(type), binary, &json, util::JsonPrintOptions());
  if (status.ok()) return json;
  return absl::InternalError(Concat(type.full_name(), " has no JSON form: ",
                                    std::string(status.message().data(), status.message().size())));
}

}  // namespace vrp
