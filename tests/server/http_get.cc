#include "tests/server/http_get.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace vrp {
namespace {

// Sends `bytes` and reads to the end. Returns an empty text without a connection.
std::string Exchange(int socket_fd, const std::string& bytes) {
  std::string answer;
  (void)!send(socket_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::array<char, 1 << 16> piece;
  for (ssize_t got = 0; (got = read(socket_fd, piece.data(), piece.size())) > 0;) {
    answer.append(piece.data(), static_cast<size_t>(got));
  }
  return answer;
}

std::string ExchangeOverTls(int socket_fd, const std::string& bytes) {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL* const ssl = SSL_new(context);
  SSL_set_fd(ssl, socket_fd);
  std::string answer;
  if (SSL_connect(ssl) == 1 && SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size())) > 0) {
    std::array<char, 1 << 16> piece;
    for (int got = 0; (got = SSL_read(ssl, piece.data(), static_cast<int>(piece.size()))) > 0;) {
      answer.append(piece.data(), static_cast<size_t>(got));
    }
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
  return answer;
}

}  // namespace

int HttpConnect(const std::string& address) {
  const size_t colon = address.rfind(':');
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<uint16_t>(std::atoi(address.substr(colon + 1).c_str())));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &server.sin_addr);
  const int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  (void)connect(socket_fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server));
  return socket_fd;
}

HttpReply HttpSend(const std::string& address, const std::string& bytes, bool tls) {
  const int socket_fd = HttpConnect(address);
  const std::string all = tls ? ExchangeOverTls(socket_fd, bytes) : Exchange(socket_fd, bytes);
  close(socket_fd);
  HttpReply reply;
  const size_t head_end = all.find("\r\n\r\n");
  if (all.rfind("HTTP/1.1 ", 0) == 0 && head_end != std::string::npos) {
    reply.status = std::atoi(all.c_str() + 9);
    reply.head = all.substr(0, head_end);
    reply.body = all.substr(head_end + 4);
  }
  return reply;
}

HttpReply HttpGet(const std::string& address, const std::string& path, const HttpCall& call) {
  return HttpSend(
      address,
      call.method + " " + path + " HTTP/1.1\r\nHost: " + address + "\r\n" + call.head + "\r\n",
      call.tls);
}

}  // namespace vrp
