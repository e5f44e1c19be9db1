// The base of the gRPC services, which connects the RPCs of a proto service with their handlers.
//
// A pair of request and response types identifies an RPC. The options of the RPC in the proto
// (vrp/v1/options.proto) say which pool handles a request and how large a request may be.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/support/server_callback.h"
#include "server/service/receive.h"
#include "server/service/service_context.h"
#include "server/service/stream_call.h"
#include "server/service/stream_source.h"
#include "server/service/unary_call.h"
#include "server/service/upload_call.h"
#include "vrp/v1/options.pb.h"

namespace vrp {

// A function that opens the source of one stream. It may block and may throw.
template <typename Request, typename Response>
using OpenStream =
    std::function<absl::StatusOr<std::unique_ptr<StreamSource<Response>>>(const Request&)>;

// A function that returns the builder of one stream's heartbeats.
template <typename Request, typename Response>
using MakeHeartbeat = std::function<std::function<Response()>(const Request&)>;

// A service whose constructor names the handler of each RPC. `V1` is the generated service, such
// as v1::SolverService. Handlers outlive the service.
template <typename V1>
class RpcService : public V1::CallbackService {
 protected:
  explicit RpcService(const ServiceContext& context) : context_(context) {}

  const ServiceContext& context() const { return context_; }

  // Handles a unary RPC with `handle`, which may block and may throw.
  template <typename Request, typename Response>
  void Unary(std::function<absl::StatusOr<Response>(const Request&)> handle) {
    WorkPool& pool = PoolOf(Find<Request, Response>());
    StartUnary<Request, Response>(
        [&pool, handle = std::move(handle)](grpc::CallbackServerContext& call,
                                            const Request& request, Response& response) {
          return RunUnary(call, pool, response,
                          [&handle, &request](const CallContext&) { return handle(request); });
        });
  }
  template <typename Handler, typename Request, typename Response>
  void Unary(const Handler& handler,
             absl::StatusOr<Response> (Handler::*handle)(const Request&) const) {
    Unary<Request, Response>(
        [&handler, handle](const Request& request) { return (handler.*handle)(request); });
  }

  // Handles a unary RPC that ends when its caller or the daemon does.
  template <typename Handler, typename Request, typename Response>
  void Unary(const Handler& handler,
             absl::StatusOr<Response> (Handler::*handle)(const Request&, const CallContext&)
                 const) {
    WorkPool& pool = PoolOf(Find<Request, Response>());
    StartUnary<Request, Response>([this, &pool, &handler, handle](grpc::CallbackServerContext& call,
                                                                  const Request& request,
                                                                  Response& response) {
      const UnaryOptions options{.pool = pool, .drain = context_.drain.searches_end()};
      return RunUnaryLater(
          call, options, response,
          [&handler, handle, &request](const CallContext& call_context, auto done) {
            const auto work = [&] { return (handler.*handle)(request, call_context); };
            done(CallGuarded(work));
          });
    });
  }

  // Handles a unary RPC with its own reactor. `admit`, if given, is called before a message is
  // unpacked.
  template <typename Request, typename Response>
  void StartUnary(std::function<grpc::ServerUnaryReactor*(grpc::CallbackServerContext&,
                                                          const Request&, Response&)>
                      start,
                  std::function<absl::Status()> admit = nullptr) {
    const auto& method = Find<Request, Response>();
    this->MarkMethodCallback(
        method.index(),
        ReceiveUnary<Request, Response>(ReceptionOf(method, std::move(admit)), std::move(start)));
  }

  // Handles a server stream. `open` opens its source in the RPC's pool. `heartbeat`, if given,
  // builds the messages of a silent stream.
  template <typename Request, typename Response>
  void Stream(OpenStream<Request, Response> open,
              MakeHeartbeat<Request, Response> heartbeat = nullptr) {
    WorkPool& pool = PoolOf(Find<Request, Response>());
    StartStream<Request, Response>([this, &pool, open = std::move(open),
                                    heartbeat = std::move(heartbeat)](grpc::CallbackServerContext&,
                                                                      const Request& request) {
      return StreamCall<Response>::Start(
          {.pool = &pool,
           .streams = &context_.streams,
           .open = [open, request] { return open(request); },
           .heartbeat = heartbeat == nullptr ? std::function<Response()>() : heartbeat(request)});
    });
  }
  template <typename Handler, typename Request, typename Response>
  void Stream(const Handler& handler,
              absl::StatusOr<std::unique_ptr<StreamSource<Response>>> (Handler::*open)(
                  const Request&) const,
              std::type_identity_t<MakeHeartbeat<Request, Response>> heartbeat = nullptr) {
    Stream<Request, Response>(
        [&handler, open](const Request& request) { return (handler.*open)(request); },
        std::move(heartbeat));
  }

  // Handles a server stream with its own reactor.
  template <typename Request, typename Response>
  void StartStream(std::function<grpc::ServerWriteReactor<Response>*(grpc::CallbackServerContext&,
                                                                     const Request&)>
                       start) {
    const auto& method = Find<Request, Response>();
    this->MarkMethodCallback(method.index(), ReceiveServerStream<Request, Response>(
                                                 ReceptionOf(method, nullptr), std::move(start)));
  }

  // Handles a client stream. `begin` returns a shared pointer to the receiver of one upload. The
  // receiver has absl::Status Take(const Request&) and absl::StatusOr<Response> Finish().
  template <typename Request, typename Response, typename Begin>
  void Upload(Begin begin) {
    const auto& method = Find<Request, Response>();
    WorkPool& pool = PoolOf(method);
    this->MarkMethodCallback(
        method.index(),
        ReceiveStream<Request, Response>(
            [this, &pool, begin](grpc::CallbackServerContext* call, Response* response) {
              const auto upload = begin();
              return UploadCall<Request, Response>::Start(
                  *call, *response,
                  {.pool = &pool,
                   .streams = &context_.streams,
                   .messages = &context_.messages,
                   .take = [upload](const Request& message) { return upload->Take(message); },
                   .finish = [upload] { return upload->Finish(); }});
            }));
  }

  // Handles a bidirectional stream with its own reactor.
  template <typename Request, typename Response>
  void StartBatch(std::function<grpc::ServerBidiReactor<Received<Request>, Response>*(
                      grpc::CallbackServerContext*)>
                      start) {
    this->MarkMethodCallback(Find<Request, Response>().index(),
                             ReceiveBatch<Request, Response>(std::move(start)));
  }

 private:
  using Method = google::protobuf::MethodDescriptor;

  // Returns the RPC with these messages. Aborts if the proto has no such RPC, which is a
  // programming error.
  template <typename Request, typename Response>
  static const Method& Find() {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
        V1::service_full_name());
    for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
      const Method& method = *service->method(i);
      if (method.input_type() == Request::descriptor() &&
          method.output_type() == Response::descriptor()) {
        return method;
      }
    }
    std::abort();
  }

  WorkPool& PoolOf(const Method& method) const {
    return context_.PoolFor(method.options().GetExtension(v1::rpc).work());
  }

  Reception ReceptionOf(const Method& method, std::function<absl::Status()> admit) const {
    return {.budget = context_.messages,
            .max_bytes = method.options().GetExtension(v1::rpc).max_request_bytes(),
            .admit = std::move(admit)};
  }

  const ServiceContext context_;
};

}  // namespace vrp
