#include "server/http/request_message.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"
#include "server/http/json_messages.h"

namespace vrp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;

// Returns a serialized text field.
std::string TextField(const FieldDescriptor& field, const std::string& value) {
  std::string message;
  google::protobuf::io::StringOutputStream stream(&message);
  {
    google::protobuf::io::CodedOutputStream output(&stream);
    WireFormatLite::WriteString(field.number(), value, &output);
  }
  return message;
}

}  // namespace

absl::StatusOr<std::string> RequestMessageOf(const HttpRouteMatch& match, std::string_view query,
                                             std::string_view body) {
  const HttpRoute& route = *match.route;
  const Descriptor& type = *route.rpc->input_type();
  if (route.takes_query() && !body.empty()) {
    return absl::InvalidArgumentError(Concat("the body has ", body.size(),
                                             " bytes, wanted none: the fields of ", route.verb,
                                             " belong in the query"));
  }
  if (!route.takes_query() && !query.empty()) {
    return absl::InvalidArgumentError(Concat("query: got ", Quoted(query), ", wanted none: the ",
                                             "fields of ", route.verb, " belong in the body"));
  }
  std::string message;
  if (route.takes_query()) {
    VRP_ASSIGN_OR_RETURN(message, BinaryFromQuery(type, query));
  } else if (!body.empty()) {
    VRP_ASSIGN_OR_RETURN(message, BinaryFromJson(type, body));
  }
  if (route.variable == nullptr) return message;
  message += TextField(*route.variable, match.variable);
  VRP_RETURN_IF_ERROR(CheckFieldsGivenOnce(type, message));
  return message;
}

}  // namespace vrp
