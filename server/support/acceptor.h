// Who may connect to the daemon's port, by number: gRPC 1.51 knows no bound of connections, and
// stops listening for good when the process may open no more files.
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

// Takes the connections that come to its listeners and hands them over; counts them until whoever
// got them has shut them down (as gRPC does before it closes any, however it ends). Two open files
// a connection: one of them watches. A thread of its own.
//
// Beyond the most that there may be, one more is taken and closed at once. Left to wait in the
// kernel's queue instead it would look connected to its client for as long as those inside please,
// behind others that may be dead; so the client hears UNAVAILABLE at once, and goes to another
// daemon or comes again after a pause, as gRPC's clients do by themselves. Where the process may
// open no more files nothing can be closed either: connections wait until there are some.
class Acceptor {
 public:
  struct Options {
    std::vector<OpenFile> listeners = {};  // that do not block
    std::string socket_file = {};          // of a unix socket: removed at the end; empty: none
    int32_t max_connections = 1;
    // Gets the socket of a connection, to close when it is done with. Called by the thread.
    std::function<void(int)> hand_over;
    Metrics* metrics = nullptr;  // outlives the acceptor
  };
  // kResourceExhausted: the process may open no more files.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Create(Options options);
  // Nobody is listened to any more, and hand_over not called; connections stay with whoever has
  // them, counted no longer.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  class Loop;
  explicit Acceptor(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace vrp
