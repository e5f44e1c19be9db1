// Serves the web page.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string_view>

#include "server/http/http_exchange.h"
#include "server/http/page/page_files.h"

namespace vrp {

// Returns the file that a request asks for. Returns null for other paths, and unless `verb` is GET.
const PageFile* FindPageFile(std::string_view verb, std::string_view path);

// Sends the file, or 304 if the client has it. "/page/settings.json" states PageSettings.
boost::asio::awaitable<void> ServePage(HttpExchange& exchange, const PageFile& file);

}  // namespace vrp
