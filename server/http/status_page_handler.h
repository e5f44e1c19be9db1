// Serves pages for monitoring.
#pragma once

#include <memory>

#include "server/http/browser_guard.h"
#include "server/http/http_handler.h"
#include "server/http/status_page.h"
#include "server/support/call_authorizer.h"

namespace vrp {

// A handler of the pages, for GET and HEAD. All responses are plain text.
class StatusPageHandler final : public HttpHandler {
 public:
  struct Options {
    StatusPages pages;
    // The guard that checks the header Host. Null if other machines can reach the server, because
    // they use host names that the server does not know.
    std::unique_ptr<BrowserGuard> guard;
    std::unique_ptr<CallAuthorizer> authorizer;  // null: callers need no token
  };
  explicit StatusPageHandler(Options options) : options_(std::move(options)) {}

  boost::asio::awaitable<void> Serve(HttpExchange& exchange) override;

 private:
  StatusPage PageOf(HttpExchange& exchange) const;

  const Options options_;
};

}  // namespace vrp
