// A Model Context Protocol server: answers messages and runs the tools that they call.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/connection/connection.h"
#include "client/mcp/line_queue.h"
#include "client/mcp/message.h"
#include "client/mcp/tool.h"

namespace vrp::client::mcp {

// Maximum number of tool calls that run at once.
inline constexpr int kMaxCallsAtOnce = 16;

// The tools of a server and the daemon that they call.
struct ServerOptions {
  Connection connection;
  Folders folders;
  std::vector<Tool> tools;
  // Names of tools whose calls are refused with a remedy unless `tools` contains them.
  std::vector<std::string> refused_tools;
  std::string instructions;
};

// A server. Runs each tool call in a thread of its own and answers a call when it ends. Not
// thread-safe: one thread calls all methods.
class Server {
 public:
  // Writes messages to `out`, and to `log` one line per tool call that ran. Both must outlive the
  // server.
  Server(ServerOptions options, std::ostream& out, std::ostream& log);
  // Cancels all calls and blocks until they have ended.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Handles a line: answers the line, starts or cancels a tool call, or does nothing.
  void Handle(const Line& line);
  // Blocks until all running calls have ended. A cancelled call ends without an answer.
  void WaitForCalls();

 private:
  struct Running;

  void HandleRequest(const Message& message);
  void HandleNotification(const Message& message);
  void HandleCall(const Message& message, bool stateless);
  // Refuses a version in _meta other than kStateless, since `initialize` negotiates all others.
  // Returns whether `version` was refused.
  bool RefuseVersion(const Message& message, const std::string& version);
  void StartCall(const Message& message, const Tool& tool, bool stateless);
  // Runs the tool and answers, unless the call was cancelled.
  void RunCall(Running& call);
  // Returns the token of the request's progress notifications; null if the caller wants none.
  static Json ProgressToken(const Message& message);
  // Joins the threads of ended calls.
  void RemoveEnded();
  const Tool* FindTool(std::string_view name) const;

  void Answer(const Message& message, Json result, bool stateless);
  void Send(const Json& message) ABSL_LOCKS_EXCLUDED(mutex_);
  void Log(const std::string& line) ABSL_LOCKS_EXCLUDED(mutex_);

  const ServerOptions options_;
  absl::Mutex mutex_;  // guards the streams, which all calls use
  std::ostream& out_ ABSL_GUARDED_BY(mutex_);
  std::ostream& log_ ABSL_GUARDED_BY(mutex_);
  std::map<Json, std::unique_ptr<Running>> running_;  // calls by id
};

}  // namespace vrp::client::mcp
