// A small HTTP client for loopback.
#pragma once

#include <string>

namespace vrp {

struct HttpReply {
  int status = 0;  // 0: no answer
  std::string head;
  std::string body;
};

struct HttpCall {
  std::string method = "GET";
  std::string head = {};  // further lines, each with its "\r\n"
  bool tls = false;       // whatever certificate is shown
};

// A socket that is connected with `address` ("127.0.0.1:80"); the caller's to close.
int HttpConnect(const std::string& address);

// Blocks until the server closes the connection.
HttpReply HttpGet(const std::string& address, const std::string& path, const HttpCall& call = {});
// Likewise with any bytes in place of a request.
HttpReply HttpSend(const std::string& address, const std::string& bytes, bool tls = false);

}  // namespace vrp
