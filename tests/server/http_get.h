// A small HTTP client for loopback.
#pragma once

#include <string>

namespace vrp {

struct HttpReply {
  int status = 0;  // 0: no answer
  std::string head;
  std::string body;
};

// `address` as "127.0.0.1:80". Blocks until the server closes the connection.
HttpReply HttpGet(const std::string& address, const std::string& path);

}  // namespace vrp
