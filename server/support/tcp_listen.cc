#include "server/support/tcp_listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* found) const { freeaddrinfo(found); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses Resolve(const ListenAddress& address) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = Concat(address.port);
  const bool known = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) == 0;
  return Addresses(known ? found : nullptr);
}

void Set(const OpenFile& socket, int level, int option, int value) {
  setsockopt(socket.descriptor(), level, option, &value, sizeof(value));
}

// Returns a listening socket, or -1 if the address cannot be bound.
OpenFile ListenOn(const addrinfo& at) {
  OpenFile listener(socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  Set(listener, SOL_SOCKET, SO_REUSEADDR, 1);
  if (at.ai_family == AF_INET6) Set(listener, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  // Connections inherit this option from their listener, so that small messages are sent at once.
  Set(listener, IPPROTO_TCP, TCP_NODELAY, 1);
  const bool listens = bind(listener.descriptor(), at.ai_addr, at.ai_addrlen) == 0 &&
                       listen(listener.descriptor(), SOMAXCONN) == 0;
  return listens ? std::move(listener) : OpenFile(-1);
}

void SetPort(sockaddr& address, int32_t port) {
  const in_port_t number = htons(static_cast<in_port_t>(port));
  if (address.sa_family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = number;
  if (address.sa_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = number;
}

bool IsWildcard(const addrinfo& at) {
  if (at.ai_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(at.ai_addr)->sin_addr.s_addr == INADDR_ANY;
  }
  return at.ai_family == AF_INET6 &&
         IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(at.ai_addr)->sin6_addr);
}

// Returns a listener on the first of the host's addresses that can be bound, or -1.
OpenFile ListenOnFirst(const ListenAddress& address) {
  const Addresses found = Resolve(address);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    OpenFile listener = ListenOn(*at);
    if (listener.descriptor() >= 0) return listener;
  }
  return OpenFile(-1);
}

}  // namespace

std::vector<OpenFile> ListenOnAll(const ListenAddress& address) {
  std::vector<OpenFile> listeners;
  const Addresses found = Resolve(address);
  if (found != nullptr && IsWildcard(*found)) {
    for (const char* host : {"::", "0.0.0.0"}) {  // 0.0.0.0 on machines without IPv6
      OpenFile listener = ListenOnFirst({.host = host, .port = address.port});
      if (listener.descriptor() < 0) continue;
      listeners.push_back(std::move(listener));
      break;
    }
    return listeners;
  }
  int32_t port = address.port;
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    SetPort(*at->ai_addr, port);
    OpenFile listener = ListenOn(*at);
    if (listener.descriptor() < 0) continue;
    if (port == 0) port = PortOf(listener);
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

int32_t PortOf(const OpenFile& listener) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  if (getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace vrp
