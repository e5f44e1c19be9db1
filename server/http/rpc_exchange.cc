#include "server/http/rpc_exchange.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/system/system_error.hpp>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "server/convert/status_convert.h"
#include "server/http/http_errors.h"
#include "server/http/json_messages.h"
#include "server/http/request_message.h"
#include "server/http/upload_source.h"

namespace vrp {
namespace {

namespace asio = boost::asio;

// The state of an upload, shared by the coroutine that sends it and the one that answers.
struct Upload {
  bool finished = false;              // whether the coroutine that sends the body has ended
  bool stopped = false;               // whether the rest of the body is no longer needed
  std::optional<grpc::Status> error;  // reason why the body is unusable
  int http_status = 0;                // HTTP status of `error`; 0: that of the error's code
};

// The form of a stream of responses.
struct StreamForm {
  bool events = false;  // whether to send Server-Sent Events; otherwise JSON lines

  std::string content_type() const { return events ? "text/event-stream" : "application/x-ndjson"; }
  std::string Message(const std::string& json) const {
    return events ? Concat("data: ", json, "\n\n") : Concat(json, "\n");
  }
  std::string Error(const std::string& json) const {
    return events ? Concat("event: error\ndata: ", json, "\n\n") : Concat(json, "\n");
  }
};

// Sends the messages of the body to the call, until the body ends or the call does.
asio::awaitable<void> SendBody(HttpExchange& exchange, UploadSource& source, GatewayCall& call,
                               Upload& upload) {
  while (!upload.stopped) {
    if (!call.can_write()) {
      co_await exchange.upload_wake_up->Wait(std::chrono::milliseconds(250));
      continue;
    }
    absl::StatusOr<std::optional<std::string>> message = co_await source.Next();
    if (!message.ok()) {
      upload.error = ToGrpcStatus(message.status());
      co_return;
    }
    if (!message->has_value()) co_return call.WritesDone();
    call.Write(**std::move(message));
  }
}

// Runs SendBody and records how it ended.
asio::awaitable<void> RunUpload(HttpExchange& exchange, UploadSource& source,
                                std::shared_ptr<GatewayCall> call, Upload& upload) {
  try {
    co_await SendBody(exchange, source, *call, upload);
  } catch (const HttpRefusal& refusal) {
    upload.error = ToGrpcStatus(absl::InvalidArgumentError(refusal.message));
    upload.http_status = refusal.status;
  } catch (const boost::system::system_error&) {
    upload.error = ToGrpcStatus(absl::CancelledError("the body ended early"));
  }
  upload.finished = true;
  exchange.wake_up->Notify();
}

class Answerer {
 public:
  Answerer(HttpExchange& exchange, const HttpRoute& route)
      : exchange_(exchange),
        route_(route),
        form_{.events = !route.rpc->client_streaming()},
        heard_(std::chrono::steady_clock::now()) {}

  // Sends the responses of `call` until it is done or `upload` has failed.
  asio::awaitable<void> Run(GatewayCall& call, const Upload& upload) {
    while (true) {
      while (std::optional<std::string> message = call.Take()) {
        if (const absl::Status sent = co_await Deliver(*message); !sent.ok()) {
          call.Cancel();
          co_return co_await Finish(ToGrpcStatus(sent), 0, "");
        }
      }
      if (const std::optional<grpc::Status> status = call.status(); status.has_value()) {
        const std::string request_id = call.request_id();
        co_return co_await Finish(*status, upload.http_status, request_id);
      }
      if (upload.error.has_value()) {
        call.Cancel();
        co_return co_await Finish(*upload.error, upload.http_status, "");
      }
      co_await HeartBeat();
      co_await exchange_.WaitForChange(upload.finished);
    }
  }

 private:
  // Sends a message of the call, or keeps it if it is the only one. Returns the error of a message
  // that has no JSON form.
  asio::awaitable<absl::Status> Deliver(const std::string& message) {
    absl::StatusOr<std::string> json = JsonFromBinary(*route_.rpc->output_type(), message);
    if (!json.ok()) co_return json.status();
    if (!route_.rpc->server_streaming()) {
      response_ = *std::move(json);
      co_return absl::OkStatus();
    }
    co_await Begin();
    const std::string part = form_.Message(*json);
    co_await exchange_.response.SendPart(part);
    heard_ = std::chrono::steady_clock::now();
    co_return absl::OkStatus();
  }

  asio::awaitable<void> Begin() {
    if (exchange_.response.has_begun()) co_return;
    HttpHead head{.status = 200, .content_type = form_.content_type()};
    co_await exchange_.response.BeginParts(std::move(head));
  }

  // Sends a comment on a silent stream of events, so that proxies and clients keep it open.
  asio::awaitable<void> HeartBeat() {
    const auto now = std::chrono::steady_clock::now();
    if (!form_.events || !route_.rpc->server_streaming() ||
        now < heard_ + exchange_.context.timeouts.heartbeat) {
      co_return;
    }
    heard_ = now;
    co_await Begin();
    co_await exchange_.response.SendPart(": still here\n\n");
  }

  asio::awaitable<void> Finish(const grpc::Status& status, int http_status,
                               const std::string& request_id) {
    HttpHeaders headers;
    if (!request_id.empty()) headers.emplace_back("X-Request-Id", request_id);
    if (!status.ok() && !exchange_.response.has_begun()) {
      co_return co_await exchange_.SendError(status, http_status, std::move(headers));
    }
    if (!route_.rpc->server_streaming()) {
      if (!exchange_.request.body_is_read()) exchange_.response.CloseAfter();
      HttpHead head{.status = 200, .content_type = "application/json"};
      head.headers = std::move(headers);
      co_return co_await exchange_.response.Send(std::move(head), std::move(response_));
    }
    co_await Begin();
    if (!status.ok()) {
      const std::string part = form_.Error(ErrorOf(status).json);
      co_await exchange_.response.SendPart(part);
    } else if (form_.events) {
      co_await exchange_.response.SendPart("event: end\ndata: {}\n\n");
    }
    co_await exchange_.response.EndParts();
  }

  HttpExchange& exchange_;
  const HttpRoute& route_;
  const StreamForm form_;
  std::string response_;  // the JSON of an RPC with one response
  std::chrono::steady_clock::time_point heard_;
};

// Serves an RPC whose request is a stream. The upload and the answers run at the same time.
asio::awaitable<void> ServeClientStream(HttpExchange& exchange, const HttpRoute& route) {
  std::optional<UploadSource> source = UploadSource::Of(exchange, route);
  Upload upload;
  CallOwner call(exchange.StartCall(route));
  asio::co_spawn(exchange.connection->executor(), RunUpload(exchange, *source, call.get(), upload),
                 asio::detached);
  std::exception_ptr failure;
  try {
    Answerer answerer(exchange, route);
    co_await answerer.Run(*call.get(), upload);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!upload.finished) {
    // The call ended before the body, or the client left. The rest of the body is not read.
    upload.stopped = true;
    exchange.response.CloseAfter();
    exchange.upload_wake_up->Notify();
    exchange.connection->Abort();
    while (!upload.finished) co_await exchange.wake_up->Wait(std::chrono::milliseconds(250));
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

// Returns the only message of a request without a stream. Sends an error and returns nullopt if the
// body cannot be read or the fields are wrong.
asio::awaitable<std::optional<std::string>> ReadMessage(HttpExchange& exchange,
                                                        const HttpRouteMatch& match,
                                                        MessageBudget::Share& share) {
  std::optional<std::string> body = co_await exchange.ReadBody(share);
  if (!body.has_value()) co_return std::nullopt;
  absl::StatusOr<std::string> message =
      RequestMessageOf(match, exchange.request.query(), *std::move(body));
  if (message.ok()) co_return *std::move(message);
  co_await exchange.SendError(ToGrpcStatus(message.status()));
  co_return std::nullopt;
}

// Serves an RPC whose request is one message.
asio::awaitable<void> ServeMessage(HttpExchange& exchange, const HttpRouteMatch& match) {
  MessageBudget::Share share;
  std::optional<std::string> message = co_await ReadMessage(exchange, match, share);
  if (!message.has_value()) co_return;
  CallOwner call(exchange.StartCall(*match.route));
  call->Write(*std::move(message));
  Upload upload;
  while (!call->can_write()) co_await exchange.WaitForChange();
  call->WritesDone();
  upload.finished = true;
  Answerer answerer(exchange, *match.route);
  co_await answerer.Run(*call.get(), upload);
}

}  // namespace

asio::awaitable<UnaryResult> CallUnary(HttpExchange& exchange, const HttpRoute& route,
                                       const std::string& request) {
  CallOwner call(exchange.StartCall(route));
  call->Write(request);
  bool sent = false;
  UnaryResult result;
  while (true) {
    if (!sent && call->can_write()) {
      sent = true;
      call->WritesDone();
    }
    if (std::optional<std::string> message = call->Take()) result.response = *std::move(message);
    if (const std::optional<grpc::Status> status = call->status(); status.has_value()) {
      result.status = *status;
      result.request_id = call->request_id();
      co_return result;
    }
    co_await exchange.WaitForChange();
  }
}

asio::awaitable<void> ServeRpc(HttpExchange& exchange, const HttpRouteMatch& match) {
  return match.route->rpc->client_streaming() ? ServeClientStream(exchange, *match.route)
                                              : ServeMessage(exchange, match);
}

}  // namespace vrp
