#include "server/http/page_exchange.h"

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/text.h"
#include "nlohmann/json.hpp"
#include "server/config/tile_address.h"

namespace vrp {
namespace {

constexpr PageFile kSettings{
    .path = "/page/settings.json", .content_type = "application/json", .etag = "", .content = ""};

// Returns the Content-Security-Policy of the page: only its own files, and no inline script or
// style. Images may also be data, blobs, and those of the tile server if there is one.
std::string PolicyOf(const PageSettings& settings) {
  std::string images = "'self' data: blob:";
  if (const absl::StatusOr<std::string> origin = TileOrigin(settings.map_tiles); origin.ok()) {
    images += Concat(" ", *origin);
  }
  return Concat(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src ",
      images, "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

std::string SettingsJson(const PageSettings& settings) {
  const nlohmann::json json = {{"mapTiles", settings.map_tiles},
                               {"mapAttribution", settings.map_attribution}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

const PageFile* FindPageFile(std::string_view verb, std::string_view path) {
  if (verb != "GET") return nullptr;
  if (path == kSettings.path) return &kSettings;
  const std::span<const PageFile> files = PageFiles();
  const auto found = std::lower_bound(
      files.begin(), files.end(), path,
      [](const PageFile& file, std::string_view wanted) { return file.path < wanted; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

boost::asio::awaitable<void> ServePage(HttpExchange& exchange, const PageFile& file) {
  const PageSettings& settings = exchange.context.page;
  HttpHead head{.status = 200, .content_type = std::string(file.content_type)};
  head.content_security_policy = PolicyOf(settings);
  if (&file == &kSettings) {
    co_return co_await exchange.response.Send(std::move(head), SettingsJson(settings));
  }
  head.headers.emplace_back("ETag", std::string(file.etag));
  head.cache_control = "no-cache";  // caches keep the file, and ask whether it has changed
  std::string body(file.content);
  if (exchange.request.header("If-None-Match").find(file.etag) != std::string_view::npos) {
    head.status = 304;
    body.clear();
  }
  co_await exchange.response.Send(std::move(head), std::move(body));
}

}  // namespace vrp
