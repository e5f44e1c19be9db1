#include "server/http/status_page_handler.h"

#include <exception>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

StatusPage RefusedPage(int status, std::string_view message) {
  return {.status = status, .body = Concat(message, "\n")};
}

}  // namespace

StatusPage StatusPageHandler::PageOf(HttpExchange& exchange) const {
  const HttpRequestReader& request = exchange.request;
  // Old clients send no Host; browsers always do.
  if (options_.guard != nullptr && !request.header("Host").empty()) {
    const absl::Status trusted =
        options_.guard->Check({.host = request.repeats("Host") ? "" : request.header("Host"),
                               .origin = "",
                               .fetch_site = ""});
    if (!trusted.ok()) return RefusedPage(403, FromAbsl(trusted.message()));
  }
  if (request.method() != "GET" && request.method() != "HEAD") {
    return RefusedPage(405,
                       Concat("method: got ", Quoted(request.method()), ", wanted GET or HEAD"));
  }
  const auto page = options_.pages.find(request.path());
  if (page == options_.pages.end()) {
    std::string known;
    for (const auto& [path, build] : options_.pages)
      known += Concat(known.empty() ? "" : ", ", path);
    return RefusedPage(404,
                       Concat("there is no page ", Quoted(request.path()), ", wanted ", known));
  }
  const absl::Status authorized = exchange.Authorize(options_.authorizer.get(), request.path());
  if (!authorized.ok()) {
    return RefusedPage(absl::IsPermissionDenied(authorized) ? 403 : 401,
                       FromAbsl(authorized.message()));
  }
  try {
    return page->second();
  } catch (const std::exception& error) {
    return RefusedPage(500, error.what());
  }
}

boost::asio::awaitable<void> StatusPageHandler::Serve(HttpExchange& exchange) {
  StatusPage page = PageOf(exchange);
  HttpHead head{.status = page.status, .content_type = std::move(page.content_type)};
  if (page.status == 401) head.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (page.status == 405) head.headers.emplace_back("Allow", "GET, HEAD");
  co_await exchange.response.Send(std::move(head), std::move(page.body));
}

}  // namespace vrp
