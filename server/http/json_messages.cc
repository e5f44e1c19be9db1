#include "server/http/json_messages.h"

#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver.h"
#include "google/protobuf/util/type_resolver_util.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

namespace util = google::protobuf::util;

constexpr char kTypeUrlPrefix[] = "type.googleapis.com";
constexpr size_t kMaxQueryDepth = 4;

util::TypeResolver& Resolver() {
  static util::TypeResolver& resolver = *util::NewTypeResolverForDescriptorPool(
      kTypeUrlPrefix, google::protobuf::DescriptorPool::generated_pool());
  return resolver;
}

std::string UrlOf(const google::protobuf::Descriptor& type) {
  return Concat(kTypeUrlPrefix, "/", type.full_name());
}

absl::Status NotJson(const google::protobuf::Descriptor& type, const util::Status& error) {
  return absl::InvalidArgumentError(Concat(
      "the body is not a ", type.full_name(),
      " in protobuf's JSON form: ", Escaped({error.message().data(), error.message().size()})));
}

absl::Status AddParameter(std::string_view parameter, nlohmann::json& root) {
  const size_t equals = parameter.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        Concat("query: got ", Quoted(parameter), ", wanted FIELD=VALUE"));
  }
  VRP_ASSIGN_OR_RETURN(const std::string key, DecodeUrl(parameter.substr(0, equals)));
  VRP_ASSIGN_OR_RETURN(std::string value, DecodeUrl(parameter.substr(equals + 1)));
  if (!IsPrintableUtf8(key) || !IsPrintableUtf8(value)) {
    return absl::InvalidArgumentError(Concat("query: ", Quoted(key), " is not printable UTF-8"));
  }
  const std::vector<std::string> path = absl::StrSplit(key, '.');
  nlohmann::json* at = &root;
  for (const std::string& part : path) {
    if (path.size() > kMaxQueryDepth || !(at->is_null() || at->is_object())) {
      return absl::InvalidArgumentError(Concat("query: ", Quoted(key), " is not a field"));
    }
    at = &(*at)[part];
  }
  if (!at->is_null()) {
    return absl::InvalidArgumentError(Concat("query: ", Quoted(key), " is given twice"));
  }
  *at = std::move(value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> BinaryFromJson(const google::protobuf::Descriptor& type,
                                           std::string_view json) {
  google::protobuf::io::ArrayInputStream input(json.data(), static_cast<int>(json.size()));
  std::string binary;
  google::protobuf::io::StringOutputStream output(&binary);
  const util::Status status = util::JsonToBinaryStream(&Resolver(), UrlOf(type), &input, &output);
  if (!status.ok()) return NotJson(type, status);
  return binary;
}

absl::StatusOr<std::string> BinaryFromQuery(const google::protobuf::Descriptor& type,
                                            std::string_view query) {
  nlohmann::json root = nlohmann::json::object();
  for (const absl::string_view parameter : absl::StrSplit(ToAbsl(query), '&', absl::SkipEmpty())) {
    VRP_RETURN_IF_ERROR(AddParameter(FromAbsl(parameter), root));
  }
  return BinaryFromJson(type, root.dump());
}

absl::StatusOr<std::string> JsonFromBinary(const google::protobuf::Descriptor& type,
                                           const std::string& binary) {
  std::string json;
  const util::Status status =
      util::BinaryToJsonString(&Resolver(), UrlOf(type), binary, &json, util::JsonPrintOptions());
  if (status.ok()) return json;
  return absl::InternalError(Concat(type.full_name(), " has no JSON form: ",
                                    std::string(status.message().data(), status.message().size())));
}

absl::StatusOr<std::string> DecodeUrl(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return absl::InvalidArgumentError(
          Concat("query: got ", Quoted(text), ", wanted two hexadecimal digits after each %"));
    }
    decoded += absl::HexStringToBytes(ToAbsl(digits));
    i += 2;
  }
  return decoded;
}

}  // namespace vrp
