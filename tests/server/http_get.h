// A small HTTP client for loopback.
#pragma once

#include <string>

namespace vrp {

struct HttpReply {
  int status = 0;  // 0 if no complete head of an HTTP/1.1 response has come
  std::string head;
  std::string body;
};

struct HttpCall {
  std::string method = "GET";
  std::string head = {};  // further header lines, each with its "\r\n"
  bool tls = false;       // whether to use TLS, without a check of the certificate
};

// Returns a socket, which the caller closes. It is connected to `address` ("127.0.0.1:80"), or if
// the server refuses the connection, unconnected, so that sends fail.
int HttpConnect(const std::string& address);

// Sends a request. Blocks until the server closes the connection.
HttpReply HttpGet(const std::string& address, const std::string& path, const HttpCall& call = {});
// Sends arbitrary bytes. Blocks until the server closes the connection.
HttpReply HttpSend(const std::string& address, const std::string& bytes, bool tls = false);

}  // namespace vrp
