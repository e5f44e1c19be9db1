// A tool of the Model Context Protocol.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "client/connection/rpc_client.h"
#include "client/mcp/folders.h"
#include "client/output/json.h"
#include "client/support/interrupt.h"
#include "nlohmann/json.hpp"

namespace vrp::client::mcp {

// The context of a running call.
struct ToolCall {
  const Json& arguments;  // conforms to the tool's input schema
  RpcClient& client;      // used by this call alone
  const Interrupt& cancelled;
  const Folders& folders;
  // Sends a progress notification. Ignores values that are not greater than the last one. Null if
  // the caller wants none.
  std::function<void(double done, double total, const std::string& message)> report;

  // Returns the argument, or `otherwise` if it is not given.
  template <typename Value>
  Value Get(const char* name, Value otherwise) const {
    return arguments.contains(name) ? arguments[name].get<Value>() : otherwise;
  }
  std::string Text(const char* name) const { return Get<std::string>(name, ""); }
};

// The result of a successful call.
struct ToolResult {
  std::string text;  // for the language model
  Json structured;   // an object
};

// The effect of a tool on the daemon.
enum class Effect {
  kReads,     // changes nothing on the daemon
  kChanges,   // adds or changes, without loss
  kDestroys,  // may lose data or the work of a job
};

// A tool's description, and the function that runs the tool.
struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema;
  // Schema of ToolResult::structured; null if the tool states none.
  Json output_schema = nullptr;
  Effect effect = Effect::kReads;
  // Whether a repeated call has no further effect.
  bool idempotent = true;
  std::function<absl::StatusOr<ToolResult>(const ToolCall&)> run;
};

// Returns the entry of the tool in the result of tools/list.
Json ToolJson(const Tool& tool);

// Returns the result of tools/call for a call that succeeded.
Json ToolResultJson(const ToolResult& result);
// Returns the result of tools/call for a call that failed. The text has the daemon's field paths
// and a remedy, and names `remote` if that address cannot be reached.
Json ToolErrorJson(const absl::Status& status, const std::string& remote);

}  // namespace vrp::client::mcp
