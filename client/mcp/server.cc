#include "client/mcp/server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/mcp/protocol.h"
#include "client/mcp/schema.h"
#include "client/support/files.h"
#include "client/support/steady_now.h"
#include "client/support/text.h"

namespace vrp::client::mcp {
namespace {

// Returns the id's text for a log line, without control characters.
std::string Logged(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

// Returns the arguments of a tool call, which may be absent or null.
Json ArgumentsOf(const Message& message) {
  const Json arguments = message.params.value("arguments", Json());
  return arguments.is_null() ? Json::object() : arguments;
}

Json ProgressJson(const Json& token, double done, double total, const std::string& message) {
  return {{"progressToken", token},
          {"progress", JsonNumber(done)},
          {"total", JsonNumber(total)},
          {"message", message}};
}

}  // namespace

// A tool call. The server's thread creates it, cancels it and joins its thread.
struct Server::Running {
  Running(Message request_, const Tool& tool_, const Connection& connection, bool stateless_)
      : request(std::move(request_)), tool(tool_), client(connection), stateless(stateless_) {}

  const Message request;
  const Tool& tool;
  RpcClient client;
  const bool stateless;
  Interrupt cancelled;
  std::atomic<bool> ended = false;
  std::thread thread;

  void Cancel() {
    cancelled.Trigger();
    client.Cancel();
  }
};

Server::Server(ServerOptions options, std::ostream& out, std::ostream& log)
    : options_(std::move(options)), out_(out), log_(log) {}

Server::~Server() {
  for (const auto& [id, call] : running_) call->Cancel();
  WaitForCalls();
}

void Server::WaitForCalls() {
  for (const auto& [id, call] : running_) call->thread.join();
  running_.clear();
}

void Server::Handle(const Line& line) {
  RemoveEnded();
  if (line.too_long) {
    return Send(
        ErrorMessage(nullptr, kInvalidRequest,
                     absl::StrCat("the message is too long, wanted at most ", kMaxMessageBytes,
                                  " bytes; pass a large input by its path")));
  }
  const ParsedLine parsed = ParseLine(line.text);
  if (const auto* error = std::get_if<MessageError>(&parsed)) {
    Send(ErrorMessage(error->id, error->code, error->text));
  } else if (const auto* message = std::get_if<Message>(&parsed)) {
    message->is_notification() ? HandleNotification(*message) : HandleRequest(*message);
  }
}

void Server::HandleNotification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const auto call = running_.find(message.params.value("requestId", Json()));
  if (call != running_.end()) call->second->Cancel();
}

bool Server::RefuseVersion(const Message& message, const std::string& version) {
  if (version == kStateless) return false;
  Send(ErrorMessage(message.id, kUnsupportedVersion,
                    absl::StrCat("_meta: got protocol version ", version, ", wanted ", kStateless,
                                 "; earlier versions begin with initialize"),
                    {{"supported", ProtocolVersions()}, {"requested", version}}));
  return true;
}

void Server::HandleRequest(const Message& message) {
  const std::optional<std::string> version = RequestedVersion(message);
  if (version.has_value() && RefuseVersion(message, *version)) return;
  const bool stateless = version.has_value();
  if (message.method == "initialize") {
    const Json requested = message.params.value("protocolVersion", Json());
    if (!requested.is_string()) {
      return Send(ErrorMessage(message.id, kInvalidParams,
                               absl::StrCat("params.protocolVersion: got ", ShownJson(requested),
                                            ", wanted a string such as ", kNewestHandshake)));
    }
    Answer(message, InitializeResult(requested, options_.instructions), stateless);
  } else if (message.method == "server/discover") {
    Answer(message, DiscoverResult(options_.instructions), /*stateless=*/true);
  } else if (message.method == "ping") {
    Answer(message, Json::object(), stateless);
  } else if (message.method == "tools/list") {
    Answer(message, ListResult(options_.tools), stateless);
  } else if (message.method == "tools/call") {
    HandleCall(message, stateless);
  } else {
    Send(ErrorMessage(message.id, kMethodNotFound,
                      absl::StrCat("unknown method ", message.method,
                                   ", wanted initialize, server/discover, ping, tools/list or "
                                   "tools/call")));
  }
}

void Server::HandleCall(const Message& message, bool stateless) {
  const Json name = message.params.value("name", Json());
  if (!name.is_string()) {
    return Send(ErrorMessage(
        message.id, kInvalidParams,
        absl::StrCat("params.name: got ", ShownJson(name), ", wanted a tool's name as a string")));
  }
  const std::string text = name;
  const auto refuse = [&](const absl::Status& status) {
    Answer(message, ToolErrorJson(status, options_.connection.remote), stateless);
  };
  const Tool* const tool = FindTool(text);
  const auto& refused = options_.refused_tools;
  if (tool == nullptr && std::find(refused.begin(), refused.end(), text) != refused.end()) {
    return refuse(absl::PermissionDeniedError(
        absl::StrCat(text,
                     " is refused: this server is read-only; ask the user to start it with "
                     "`vrpctl mcp --allow-train`")));
  }
  if (tool == nullptr) {
    return Send(
        ErrorMessage(message.id, kInvalidParams,
                     absl::StrCat("unknown tool ", text, ", wanted a name from tools/list")));
  }
  if (running_.contains(message.id)) {
    return Send(ErrorMessage(message.id, kInvalidRequest,
                             "id: in use by a running call, wanted a new one"));
  }
  const std::vector<std::string> faults = SchemaFaults(tool->input_schema, ArgumentsOf(message));
  if (!faults.empty()) return refuse(absl::InvalidArgumentError(absl::StrJoin(faults, "\n")));
  if (static_cast<int>(running_.size()) >= kMaxCallsAtOnce) {
    return refuse(absl::ResourceExhaustedError(
        absl::StrCat(kMaxCallsAtOnce, " calls run already; wait until one of them ends")));
  }
  StartCall(message, *tool, stateless);
}

void Server::StartCall(const Message& message, const Tool& tool, bool stateless) {
  auto call = std::make_unique<Running>(message, tool, options_.connection, stateless);
  Running& started = *call;
  running_.emplace(message.id, std::move(call));
  started.thread = std::thread([this, &started] { RunCall(started); });
}

Json Server::ProgressToken(const Message& message) {
  const Json meta = message.params.value("_meta", Json());
  if (!meta.is_object() || !meta.contains("progressToken")) return nullptr;
  const Json& token = meta["progressToken"];
  return token.is_string() || token.is_number_integer() ? token : Json();
}

void Server::RunCall(Running& call) {
  const absl::Time start = SteadyNow();
  const Json arguments = ArgumentsOf(call.request);
  ToolCall context{.arguments = arguments,
                   .client = call.client,
                   .cancelled = call.cancelled,
                   .folders = options_.folders,
                   .report = nullptr};
  if (const Json token = ProgressToken(call.request); !token.is_null()) {
    context.report = [&, token, last = -1.0](double done, double total,
                                             const std::string& message) mutable {
      if (done <= last || call.cancelled.triggered()) return;
      last = done;
      Send(
          NotificationMessage("notifications/progress", ProgressJson(token, done, total, message)));
    };
  }
  const absl::StatusOr<ToolResult> result = call.tool.run(context);
  // A cancelled request must not be answered.
  const bool cancelled = call.cancelled.triggered();
  if (!cancelled) {
    Answer(call.request,
           result.ok() ? ToolResultJson(*result)
                       : ToolErrorJson(result.status(), options_.connection.remote),
           call.stateless);
  }
  Log(absl::StrFormat("call tool=%s id=%s seconds=%.3f result=%s", call.tool.name,
                      Logged(call.request.id), absl::ToDoubleSeconds(SteadyNow() - start),
                      cancelled ? "cancelled" : absl::StatusCodeToString(result.status().code())));
  call.ended = true;
}

void Server::RemoveEnded() {
  std::erase_if(running_, [](const auto& entry) {
    if (!entry.second->ended) return false;
    entry.second->thread.join();
    return true;
  });
}

const Tool* Server::FindTool(std::string_view name) const {
  const auto tool = std::find_if(options_.tools.begin(), options_.tools.end(),
                                 [name](const Tool& each) { return each.name == name; });
  return tool == options_.tools.end() ? nullptr : &*tool;
}

void Server::Answer(const Message& message, Json result, bool stateless) {
  if (stateless) AddStatelessFields(result);
  Send(ResultMessage(message.id, std::move(result)));
}

void Server::Send(const Json& message) {
  const absl::MutexLock lock(&mutex_);
  WriteJsonLine(out_, message);
}

void Server::Log(const std::string& line) {
  const absl::MutexLock lock(&mutex_);
  log_ << "vrpctl: mcp: " << line << std::endl;
}

}  // namespace vrp::client::mcp
