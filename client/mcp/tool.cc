#include "client/mcp/tool.h"

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "client/output/error_text.h"
#include "google/rpc/error_details.pb.h"

namespace vrp::client::mcp {
namespace {

Json TextContent(absl::string_view text) {
  return Json::array(
      {{{"type", "text"}, {"text", std::string(absl::StripTrailingAsciiWhitespace(text))}}});
}

// Returns the field violations of the daemon's google.rpc.BadRequest.
Json FieldsJson(const absl::Status& status) {
  Json fields = Json::array();
  const absl::optional<absl::Cord> payload =
      status.GetPayload("type.googleapis.com/google.rpc.BadRequest");
  google::rpc::BadRequest details;
  if (!payload.has_value() || !details.ParseFromString(std::string(*payload))) return fields;
  for (const google::rpc::BadRequest::FieldViolation& violation : details.field_violations()) {
    fields.push_back({{"field", violation.field()}, {"description", violation.description()}});
  }
  return fields;
}

}  // namespace

Json ToolJson(const Tool& tool) {
  Json object = {{"name", tool.name},
                 {"title", tool.title},
                 {"description", tool.description},
                 {"inputSchema", tool.input_schema}};
  if (!tool.output_schema.is_null()) object["outputSchema"] = tool.output_schema;
  object["annotations"] = {{"title", tool.title},
                           {"readOnlyHint", tool.effect == Effect::kReads},
                           {"destructiveHint", tool.effect == Effect::kDestroys},
                           {"idempotentHint", tool.idempotent},
                           {"openWorldHint", false}};
  return object;
}

Json ToolResultJson(const ToolResult& result) {
  return {{"content", TextContent(result.text)},
          {"structuredContent", result.structured},
          {"isError", false}};
}

Json ToolErrorJson(const absl::Status& status, const std::string& remote) {
  const std::string text = ErrorText({.command = "", .where = "", .remote = remote}, status);
  const Json error = {{"code", absl::StatusCodeToString(status.code())},
                      {"message", std::string(status.message())},
                      {"fields", FieldsJson(status)}};
  return {{"content", TextContent(absl::StripPrefix(text, "vrpctl: "))},
          {"structuredContent", {{"error", error}}},
          {"isError", true}};
}

}  // namespace vrp::client::mcp
