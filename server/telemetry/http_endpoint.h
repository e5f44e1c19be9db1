// A few pages over HTTP, for monitoring. No civetweb header here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace vrp {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Thread-safe. Two threads serve; a slow reader is cut off after seconds. GET and HEAD alone, one
// request a connection, no files.
class HttpEndpoint {
 public:
  // "/metrics" -> page. Called by the serving threads until the endpoint is destroyed.
  using Pages = std::map<std::string, std::function<HttpAnswer()>>;
  // `listen` was checked by CheckMetricsAddress. kUnavailable: cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HttpEndpoint>> Create(const std::string& listen,
                                                              Pages pages);
  // Blocks until no page is being made.
  ~HttpEndpoint();
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  // "127.0.0.1:9464", with the port that was bound.
  const std::string& address() const { return address_; }

 private:
  struct Parts;
  HttpEndpoint();

  std::unique_ptr<Parts> parts_;
  std::string address_;
};

}  // namespace vrp
