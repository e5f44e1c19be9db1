// Refuses requests that a malicious web page makes through the browser of a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace vrp {

// The headers of a request that the guard checks; empty if absent.
struct GuardedRequest {
  std::string_view host;
  std::string_view origin;
  std::string_view fetch_site;  // Sec-Fetch-Site
};

// A checker of the headers that browsers set. Thread-safe.
class BrowserGuard {
 public:
  struct Options {
    bool tls = false;
    // Further host names of the daemon, in lower case and without ports. IP addresses and localhost
    // are always allowed.
    std::vector<std::string> hosts;
  };
  explicit BrowserGuard(Options options) : options_(std::move(options)) {}

  // Returns kPermissionDenied with the remedy if the request names an unknown host or comes from a
  // page of another origin. An unknown host may be the name of a malicious page that resolves to
  // this machine (DNS rebinding).
  absl::Status Check(const GuardedRequest& request) const;

 private:
  bool IsOwnHost(std::string_view host) const;

  const Options options_;
};

// Whether a Content-Type header means `wanted` ("application/json"), maybe with the charset UTF-8.
bool IsMediaType(std::string_view content_type, std::string_view wanted);

}  // namespace vrp
