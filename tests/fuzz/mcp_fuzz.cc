// Reads a line that an agent sends to `vrpctl mcp`, and checks its parameters as arguments of a
// tool.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "absl/strings/str_join.h"
#include "client/mcp/message.h"
#include "client/mcp/schema.h"
#include "nlohmann/json.hpp"

namespace {

using vrp::client::Json;
namespace mcp = vrp::client::mcp;

// Returns a schema with every keyword that tools use.
Json Schema() {
  Json list = {{"type", "array"}, {"items", mcp::NumberProperty("", -1, 1e9)}};
  return mcp::ArgumentsSchema({{"instance", mcp::ObjectProperty("")},
                               {"text", mcp::TextProperty("")},
                               {"format", mcp::EnumProperty("", {"vrplib", "json"})},
                               {"budget_seconds", mcp::NumberProperty("", 0.001, 60)},
                               {"max", mcp::WholeNumberProperty("", 0, 100)},
                               {"details", mcp::FlagProperty("")},
                               {"numbers", std::move(list)}},
                              {"format"});
}

// Aborts unless the answer can be written and is one line.
void Write(const Json& answer) {
  if (answer.dump().find('\n') != std::string::npos) std::abort();
}

void Answer(const mcp::Message& message) {
  static const Json schema = Schema();
  const auto faults = mcp::SchemaFaults(schema, message.params);
  if (!message.params.contains("format") && faults.empty()) std::abort();
  Write(mcp::ErrorMessage(message.id, mcp::kInvalidParams, absl::StrJoin(faults, "; ")));
  const Json copy = {{"jsonrpc", "2.0"}, {"method", message.method}, {"params", message.params}};
  const auto reread = mcp::ParseLine(copy.dump());
  const auto* same = std::get_if<mcp::Message>(&reread);
  // The copy is nested as deeply as the line, or less.
  if (same == nullptr || same->method != message.method) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = mcp::ParseLine({reinterpret_cast<const char*>(data), size});
  if (const auto* message = std::get_if<mcp::Message>(&parsed)) Answer(*message);
  if (const auto* error = std::get_if<mcp::MessageError>(&parsed)) {
    Write(mcp::ErrorMessage(error->id, error->code, error->text));
  }
  return 0;
}
