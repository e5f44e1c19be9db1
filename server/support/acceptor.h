// Accepts connections instead of gRPC 1.51. gRPC does not limit connections. It also stops
// listening permanently once the process reaches its limit of open files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/open_file.h"
#include "server/support/metrics.h"

namespace vrp {

// An acceptor that hands over its connections to gRPC. Counts a connection until gRPC shuts the
// connection down, which gRPC does before each close. Uses its own thread and two open files per
// connection, one of which watches the connection.
//
// Accepts a connection beyond max_connections and closes it at once. Its client gets UNAVAILABLE
// and can retry or use another server. In the kernel's queue, the connection would look established
// without being served. At the limit of open files, connections do wait in the kernel's queue.
class Acceptor {
 public:
  struct Options {
    std::vector<OpenFile> listeners = {};  // non-blocking
    std::string socket_file = {};          // path of a unix socket, removed at the end; empty: none
    int32_t max_connections = 1;
    // Called on the acceptor's thread with each accepted socket. The function owns the socket from
    // then on.
    std::function<void(int)> hand_over;
    Metrics* metrics = nullptr;  // outlives the acceptor
  };
  // Returns kResourceExhausted if the kernel cannot watch the listeners, as at the limit of open
  // files.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Create(Options options);
  // Stops listening. Accepted connections stay open and are no longer counted.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  class Loop;
  explicit Acceptor(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace vrp
