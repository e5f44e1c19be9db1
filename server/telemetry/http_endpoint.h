// A few pages over HTTP or HTTPS, for monitoring.
//
// By hand, as civetweb, which prometheus-cpp brings, and cpp-httplib wait for seconds when they are
// to stop, know no bound of connections, and civetweb finds no OpenSSL where only libssl3 is.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/tls_files.h"
#include "server/telemetry/http_answer.h"

namespace vrp {

// Thread-safe. One thread serves: pages are made one after the other. A connection ends after its
// answer, when `patience` is over, or where it sends more than HttpConnection takes; beyond the
// most that are served at once others wait. No files.
class HttpEndpoint {
 public:
  struct Options {
    std::string listen;  // was checked by CheckMetricsAddress
    // "/metrics" -> page. Called by the serving thread until the endpoint is destroyed.
    std::map<std::string, std::function<HttpAnswer()>> pages = {};
    // Whether a request may have its page: an answer of 200, or a refusal. Null: every one.
    std::function<HttpAnswer(const HttpRequest&)> admit = nullptr;
    const TlsFiles* tls = nullptr;  // outlives the endpoint; null: plaintext
    size_t max_connections = 32;
    // Of a connection from its begin to its end, whatever it does meanwhile.
    absl::Duration patience = absl::Seconds(5);
  };
  // kUnavailable: cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Create(Options options);
  // Ends all connections at once; blocks until no page is being made.
  ~HttpEndpoint();
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  // "127.0.0.1:9464", with the port that was bound.
  const std::string& address() const { return address_; }

 private:
  class Loop;
  explicit HttpEndpoint(std::unique_ptr<Loop> loop, std::string address);

  const std::unique_ptr<Loop> loop_;
  const std::string address_;
};

}  // namespace vrp
