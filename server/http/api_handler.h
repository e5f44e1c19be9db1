// Serves the RPCs of vrp.v1 as JSON, their OpenAPI document, VROOM's form and the web page.
#pragma once

#include <memory>
#include <utility>

#include "server/http/browser_guard.h"
#include "server/http/http_handler.h"
#include "server/http/http_routes.h"
#include "server/support/call_authorizer.h"

namespace vrp {

// A handler of the API. It checks where a request comes from and what its caller may do, then calls
// the RPC of the path. The web page and the OpenAPI document need no token.
class ApiHandler final : public HttpHandler {
 public:
  struct Options {
    BrowserGuard::Options guard;
    std::unique_ptr<CallAuthorizer> authorizer;  // null: callers need no token
  };
  explicit ApiHandler(Options options)
      : guard_(std::move(options.guard)), authorizer_(std::move(options.authorizer)) {}

  boost::asio::awaitable<void> Serve(HttpExchange& exchange) override;

 private:
  // Checks the token and the media type of a request, then calls its RPC. `is_vroom`: whether the
  // request and its response have VROOM's form.
  boost::asio::awaitable<void> ServeMatch(HttpExchange& exchange, const HttpRouteMatch& match,
                                          bool is_vroom);

  const BrowserGuard guard_;
  const std::unique_ptr<CallAuthorizer> authorizer_;
};

}  // namespace vrp
