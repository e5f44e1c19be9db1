// Serves the RPCs as JSON, or pages for monitoring, over HTTP. This header needs neither Asio nor
// gRPC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/http/page/page_settings.h"
#include "server/http/status_page.h"
#include "server/support/metrics.h"

namespace grpc {
class Channel;
}

namespace vrp {

// A server of HTTP/1.1. Thread-safe.
class HttpServer {
 public:
  struct Options {
    std::string listen;                       // an address that passed CheckHttpAddress
    std::string_view option = "http_listen";  // option that names the address in errors
    std::vector<std::string> hosts = {};      // further host names of this daemon; see BrowserGuard
    PageSettings page = {};                   // settings of the web page
    bool has_road_networks = false;           // whether VROOM's problems get their matrices
    // The channel to the daemon's own gRPC server, in this process. If it is null, the server
    // serves only `pages`, and one request per connection.
    std::shared_ptr<grpc::Channel> channel = nullptr;
    StatusPages pages = {};
    const TlsFiles* tls = nullptr;          // outlives the server; null: plaintext connections
    const AccessControl* access = nullptr;  // outlives the server; null: callers need no token
    Metrics* metrics = nullptr;             // outlives the server; may be null without `access`
    int64_t max_message_bytes = 64 << 20;
    int64_t max_body_memory = int64_t{1} << 30;  // bytes of all bodies that are being received
    int64_t max_connections = 1000;
    int32_t threads = 4;
    absl::Duration handshake = absl::Seconds(10);  // also the time for the head of a request
    absl::Duration silence = absl::Minutes(1);     // see HttpTimeouts
  };
  // Returns kUnavailable if the address cannot be bound, and kInternal if OpenSSL refuses the
  // TLS files.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Create(Options options);
  // Ends all connections. Calls in flight are cancelled. Blocks until no call is left.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Stops accepting connections, and closes each when it has no request.
  void StopAccepting();
  // Blocks until all connections have ended, at most for `limit`.
  void AwaitConnections(absl::Duration limit);

  // Returns the address with the bound port: "127.0.0.1:8080".
  const std::string& address() const;

 private:
  class Loop;
  explicit HttpServer(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace vrp
