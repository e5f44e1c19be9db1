// Pages of the daemon's state for monitoring.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace vrp {

struct StatusPage {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Builders of pages by path ("/metrics"). Called on threads of the HTTP server, until it ends.
using StatusPages = std::map<std::string, std::function<StatusPage()>, std::less<>>;

}  // namespace vrp
