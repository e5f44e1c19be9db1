#include "tests/server/fake_road_service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "nlohmann/json.hpp"

namespace vrp::test {
namespace {

// Reads a request. Returns false if the client closes the connection or an error occurs.
bool ReadRequest(int socket, std::string& rest, FakeRequest& request) {
  char buffer[16384];
  size_t end = 0;
  while ((end = rest.find("\r\n\r\n")) == std::string::npos) {
    const ssize_t got = recv(socket, buffer, sizeof(buffer), 0);
    if (got <= 0) return false;
    rest.append(buffer, static_cast<size_t>(got));
  }
  const std::string head = rest.substr(0, end);
  rest.erase(0, end + 4);
  const std::vector<std::string> words = absl::StrSplit(head, ' ');
  request.target = words.size() > 1 ? words[1] : "";
  size_t length = 0;
  for (const absl::string_view line : absl::StrSplit(head, "\r\n")) {
    if (absl::StartsWithIgnoreCase(line, "content-length:")) {
      length = static_cast<size_t>(std::atoi(std::string(line.substr(15)).c_str()));
    }
  }
  while (rest.size() < length) {
    const ssize_t got = recv(socket, buffer, sizeof(buffer), 0);
    if (got <= 0) return false;
    rest.append(buffer, static_cast<size_t>(got));
  }
  request.body = rest.substr(0, length);
  rest.erase(0, length);
  return true;
}

void Send(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string Parameter(const std::string& target, const std::string& name) {
  const size_t at = target.find(name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 1;
  return target.substr(begin, target.find('&', begin) - begin);
}

std::vector<size_t> Numbers(const std::string& list) {
  std::vector<size_t> numbers;
  for (const absl::string_view word : absl::StrSplit(list, ';')) {
    numbers.push_back(static_cast<size_t>(std::atoi(std::string(word).c_str())));
  }
  return numbers;
}

}  // namespace

FakeReply JsonReply(const std::string& body, int status) {
  return {.bytes = Concat("HTTP/1.1 ", status, " X\r\nContent-Type: application/json\r\n",
                          "Content-Length: ", body.size(), "\r\n\r\n", body)};
}

FakeRoadService::FakeRoadService(Handler handle) : handle_(std::move(handle)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 128) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("FakeRoadService: cannot listen on a free port of 127.0.0.1");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FakeRoadService::~FakeRoadService() {
  ends_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  absl::MutexLock lock(&mutex_);
  for (const int socket : sockets_) close(socket);
}

RoadNetworkOptions FakeRoadService::Network(const std::string& name, RoadServiceKind kind) const {
  RoadNetworkOptions options = DefaultsOf(kind);
  options.name = name;
  options.url = *ParseRoadUrl(Concat("http://127.0.0.1:", port_));
  options.tries = 1;
  options.timeout_s = 10;
  return options;
}

std::vector<FakeRequest> FakeRoadService::requests() const {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

void FakeRoadService::Accept() {
  while (!ends_) {
    const int socket = accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    absl::MutexLock lock(&mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { Serve(socket); });
  }
}

void FakeRoadService::Serve(int socket) {
  std::string rest;
  FakeRequest request;
  while (ReadRequest(socket, rest, request)) {
    const int at_once = ++at_once_;
    most_at_once_ = std::max<int>(most_at_once_, at_once);
    const FakeReply reply = Handle(request);
    if (!reply.silent) Send(socket, reply.bytes);
    if (reply.silent) {
      char ignored;
      while (recv(socket, &ignored, 1, 0) > 0) {
      }
    }
    --at_once_;
    if (reply.close || reply.silent) {
      shutdown(socket, SHUT_RDWR);
      return;
    }
  }
}

FakeReply FakeRoadService::Handle(FakeRequest request) {
  {
    absl::MutexLock lock(&mutex_);
    request.number = static_cast<int>(requests_.size()) + 1;
    requests_.push_back(request);
  }
  absl::MutexLock lock(&handle_mutex_);
  return handle_(request);
}

FakeReply OsrmReply(const FakeRequest& request, const IsConnected& connected) {
  const size_t begin = request.target.rfind('/', request.target.find('?')) + 1;
  std::vector<std::pair<double, double>> places;
  const std::string list = request.target.substr(begin, request.target.find('?') - begin);
  for (const absl::string_view place : absl::StrSplit(list, ';')) {
    const std::vector<std::string> numbers = absl::StrSplit(place, ',');
    places.emplace_back(std::atof(numbers[0].c_str()), std::atof(numbers[1].c_str()));
  }
  nlohmann::json durations = nlohmann::json::array();
  nlohmann::json distances = nlohmann::json::array();
  for (const size_t from : Numbers(Parameter(request.target, "sources"))) {
    nlohmann::json seconds = nlohmann::json::array();
    nlohmann::json metres = nlohmann::json::array();
    for (const size_t to : Numbers(Parameter(request.target, "destinations"))) {
      const double steps = 1000 * (std::abs(places[from].first - places[to].first) +
                                   std::abs(places[from].second - places[to].second));
      const bool joined = connected == nullptr || connected(places[from].first, places[to].first);
      seconds.push_back(joined ? nlohmann::json(std::round(steps * 10)) : nlohmann::json());
      metres.push_back(joined ? nlohmann::json(std::round(steps * 100)) : nlohmann::json());
    }
    durations.push_back(std::move(seconds));
    distances.push_back(std::move(metres));
  }
  return JsonReply(
      nlohmann::json{{"code", "Ok"}, {"durations", durations}, {"distances", distances}}.dump());
}

}  // namespace vrp::test
