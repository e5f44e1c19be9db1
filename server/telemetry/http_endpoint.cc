#include "server/telemetry/http_endpoint.h"

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "CivetServer.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/config/listen_address.h"
#include "server/runtime/logging.h"

namespace vrp {
namespace {

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

// Civetweb's own messages ("cannot bind ...") would go to stderr past the log.
int TakeMessage(const mg_connection*, const char* message) {
  LogWarning(Concat("metrics endpoint: ", message));
  return 1;
}

class PageHandler final : public CivetHandler {
 public:
  explicit PageHandler(std::function<HttpAnswer()> page) : page_(std::move(page)) {}

  bool handleGet(CivetServer*, mg_connection* connection) override {
    const HttpAnswer answer = Make();
    SendHead(connection, answer);
    mg_write(connection, answer.body.data(), answer.body.size());
    return true;
  }
  bool handleHead(CivetServer*, mg_connection* connection) override {
    SendHead(connection, Make());
    return true;
  }

 private:
  HttpAnswer Make() const {
    try {
      return page_();
    } catch (const std::exception& error) {
      return {.status = 500, .body = Concat(error.what(), "\n")};
    }
  }
  static void SendHead(mg_connection* connection, const HttpAnswer& answer) {
    const std::string head =
        Concat("HTTP/1.1 ", answer.status, " ", ReasonPhrase(answer.status),
               "\r\nContent-Type: ", answer.content_type,
               "\r\nContent-Length: ", answer.body.size(), "\r\nConnection: close\r\n\r\n");
    mg_write(connection, head.data(), head.size());
  }

  const std::function<HttpAnswer()> page_;
};

}  // namespace

struct HttpEndpoint::Parts {
  std::vector<std::unique_ptr<PageHandler>> handlers;
  std::unique_ptr<CivetServer> server;  // uses the handlers: goes first
};

HttpEndpoint::HttpEndpoint() : parts_(std::make_unique<Parts>()) {}
HttpEndpoint::~HttpEndpoint() = default;

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Create(const std::string& listen,
                                                                   Pages pages) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(listen, "metrics_listen"));
  std::unique_ptr<HttpEndpoint> endpoint(new HttpEndpoint());
  CivetCallbacks callbacks;
  callbacks.log_message = TakeMessage;
  try {
    endpoint->parts_->server = std::make_unique<CivetServer>(
        std::vector<std::string>{"listening_ports", listen, "num_threads", "2",
                                 "request_timeout_ms", "5000", "enable_keep_alive", "no"},
        &callbacks);
    for (auto& [path, page] : pages) {
      auto& handler =
          endpoint->parts_->handlers.emplace_back(std::make_unique<PageHandler>(std::move(page)));
      endpoint->parts_->server->addHandler(path, *handler);
    }
    const std::vector<int> ports = endpoint->parts_->server->getListeningPorts();
    endpoint->address_ = BoundAddress(address, ports.empty() ? address.port : ports.front());
  } catch (const std::exception&) {
    return CannotListen("metrics_listen", listen);
  }
  return endpoint;
}

}  // namespace vrp
