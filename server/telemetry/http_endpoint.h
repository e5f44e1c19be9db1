// A small HTTP and HTTPS server for monitoring.
//
// This server replaces civetweb, which prometheus-cpp includes, and cpp-httplib. Both take seconds
// to stop and do not limit connections. Moreover, civetweb does not find OpenSSL if only libssl3 is
// installed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/tls_files.h"
#include "server/telemetry/http_message.h"

namespace vrp {

// A server that sends pages from one thread, one after the other. Serves no files. A connection
// ends after its response, after `timeout`, or if its request is longer than HttpConnection allows.
// Connections beyond max_connections wait. Thread-safe.
class HttpEndpoint {
 public:
  struct Options {
    std::string listen;  // an address that passed CheckHttpAddress
    // Pages by path ("/metrics"). The serving thread calls them until the endpoint is destroyed.
    std::map<std::string, std::function<HttpResponse()>> pages = {};
    // Returns status 200 for an authorized request, else the refusal. If null, all requests are
    // authorized.
    std::function<HttpResponse(const HttpRequest&)> authorize = nullptr;
    const TlsFiles* tls = nullptr;  // outlives the endpoint; null: plaintext connections
    size_t max_connections = 32;
    // Bounds a connection's duration.
    absl::Duration timeout = absl::Seconds(5);
  };
  // Returns kUnavailable if the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Create(Options options);
  // Ends all connections at once. Blocks until no page function runs.
  ~HttpEndpoint();
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  // Returns the address with the bound port: "127.0.0.1:9464".
  const std::string& address() const { return address_; }

 private:
  class Loop;
  explicit HttpEndpoint(std::unique_ptr<Loop> loop, std::string address);

  const std::unique_ptr<Loop> loop_;
  const std::string address_;
};

}  // namespace vrp
