// Refuses requests that a hostile web page makes through the browser of a user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace vrp {

// The headers of a request that the guard judges; empty if absent.
struct GuardedRequest {
  std::string_view host;
  std::string_view origin;
  std::string_view fetch_site;  // Sec-Fetch-Site
};

// A judge of the headers that browsers set. Thread-safe.
class BrowserGuard {
 public:
  struct Options {
    bool tls = false;
    // Further host names of the daemon, in lower case and without ports. Addresses and localhost
    // are always allowed.
    std::vector<std::string> hosts;
  };
  explicit BrowserGuard(Options options) : options_(std::move(options)) {}

  // Returns kPermissionDenied with the remedy if the request names an unknown host, since a page
  // can make its own name resolve to this machine (DNS rebinding), or if it comes from a page of
  // another origin.
  absl::Status Check(const GuardedRequest& request) const;

 private:
  bool IsOwnHost(std::string_view host) const;

  const Options options_;
};

// Whether a Content-Type header means `wanted` ("application/json"), maybe with the charset UTF-8.
bool IsMediaType(std::string_view content_type, std::string_view wanted);

}  // namespace vrp
