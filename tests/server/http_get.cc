#include "tests/server/http_get.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace vrp {

HttpReply HttpGet(const std::string& address, const std::string& path) {
  const size_t colon = address.rfind(':');
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<uint16_t>(std::atoi(address.substr(colon + 1).c_str())));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &server.sin_addr);
  const int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  HttpReply reply;
  if (connect(socket_fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n";
    (void)!write(socket_fd, request.data(), request.size());
    std::string answer(1 << 16, '\0');
    std::string all;
    for (ssize_t got = 0; (got = read(socket_fd, answer.data(), answer.size())) > 0;) {
      all.append(answer, 0, static_cast<size_t>(got));
    }
    const size_t head_end = all.find("\r\n\r\n");
    if (all.rfind("HTTP/1.1 ", 0) == 0 && head_end != std::string::npos) {
      reply.status = std::atoi(all.c_str() + 9);
      reply.head = all.substr(0, head_end);
      reply.body = all.substr(head_end + 4);
    }
  }
  close(socket_fd);
  return reply;
}

}  // namespace vrp
