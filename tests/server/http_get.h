// A small HTTP client for loopback.
#pragma once

#include <string>

namespace vrp {

struct HttpReply {
  int status = 0;  // 0 if there is no answer
  std::string head;
  std::string body;
};

struct HttpCall {
  std::string method = "GET";
  std::string head = {};  // further header lines, each with its "\r\n"
  bool tls = false;       // whether to use TLS, without a check of the certificate
};

// Returns a socket connected to `address` ("127.0.0.1:80"), which the caller closes.
int HttpConnect(const std::string& address);

// Sends a request. Blocks until the server closes the connection.
HttpReply HttpGet(const std::string& address, const std::string& path, const HttpCall& call = {});
// Sends arbitrary bytes. Blocks until the server closes the connection.
HttpReply HttpSend(const std::string& address, const std::string& bytes, bool tls = false);

}  // namespace vrp
