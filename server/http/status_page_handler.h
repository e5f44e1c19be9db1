// Serves pages for monitoring.
#pragma once

#include <memory>

#include "server/http/browser_guard.h"
#include "server/http/http_handler.h"
#include "server/http/status_page.h"
#include "server/support/call_authorizer.h"

namespace vrp {

// Takes GET and HEAD. Answers are plain text.
class StatusPageHandler final : public HttpHandler {
 public:
  struct Options {
    StatusPages pages;
    // Checks the header Host. Null: other machines use the server, under names that it does not
    // know.
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
