// Calls a daemon's RPCs: unary calls, server streams, uploads and streams both ways.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <type_traits>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"

namespace vrp::client {

// Default deadline of a unary call. A daemon that takes longer is considered hung.
inline constexpr absl::Duration kLookupTimeout = absl::Seconds(30);
// Deadline of a call with an instance, since the daemon parses up to 64 MiB.
inline constexpr absl::Duration kInstanceTimeout = absl::Seconds(120);
// Deadline of a publication, since the daemon waits up to two minutes for the end of a training job
// step.
inline constexpr absl::Duration kPublishTimeout = absl::Seconds(150);
// Deadline of a load, since the daemon reads gigabytes of weights and computes their digest.
inline constexpr absl::Duration kLoadTimeout = absl::Minutes(5);
// Time that a solve may take beyond its budget, for transfers and the daemon's queue.
inline constexpr absl::Duration kSolveGrace = absl::Seconds(60);

// An RPC as the generated stubs declare it, for example `&v1::SolverService::Stub::Solve`.
template <typename Stub, typename Request, typename Response>
using UnaryMethod = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);
template <typename Stub, typename Request, typename Response>
using StreamMethod = std::unique_ptr<grpc::ClientReader<Response>> (Stub::*)(grpc::ClientContext*,
                                                                             const Request&);
template <typename Stub, typename Request, typename Response>
using ExchangeMethod =
    std::unique_ptr<grpc::ClientReaderWriter<Request, Response>> (Stub::*)(grpc::ClientContext*);
template <typename Stub, typename Request, typename Response>
using UploadMethod = std::unique_ptr<grpc::ClientWriter<Request>> (Stub::*)(grpc::ClientContext*,
                                                                            Response*);

// A connection to one daemon. Calls block until they end and are never retried. An error carries
// the daemon's code and message. Its google.rpc details are payloads under their type URLs
// ("type.googleapis.com/google.rpc.BadRequest"). The payload under kRequestIdUrl is the request's
// id. Thread-safe.
class RpcClient {
 public:
  // Creates a client, which connects at the first call.
  explicit RpcClient(Connection connection);
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  const std::string& remote() const { return connection_.remote; }
  const Connection& connection() const { return connection_; }

  // Ends active and later calls with kCancelled.
  void Cancel();

  // Calls a unary RPC and returns its response. The daemon sees `timeout` as the call's deadline.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(UnaryMethod<Stub, Request, Response> method,
                                const std::type_identity_t<Request>& request,
                                absl::Duration timeout = kLookupTimeout) {
    ActiveCall call(*this, timeout);
    Stub stub(channel_);
    Response response;
    absl::Status status = call.Finish((stub.*method)(call.context(), request, &response));
    if (!status.ok()) return status;
    return response;
  }

  // Calls an RPC that streams its response. Passes each message to `receive` until `receive`
  // returns false or the stream ends. Returns OK in the first case, otherwise the stream's status.
  template <typename Stub, typename Request, typename Response>
  absl::Status Stream(StreamMethod<Stub, Request, Response> method,
                      const std::type_identity_t<Request>& request,
                      absl::FunctionRef<bool(const std::type_identity_t<Response>&)> receive,
                      absl::Duration timeout = absl::InfiniteDuration()) {
    ActiveCall call(*this, timeout);
    Stub stub(channel_);
    const auto reader = (stub.*method)(call.context(), request);
    Response response;
    while (reader->Read(&response)) {
      if (receive(response)) continue;
      call.context()->TryCancel();
      reader->Finish();
      return absl::OkStatus();
    }
    return call.Finish(reader->Finish());
  }

  // Calls an RPC that takes a stream, without a deadline. Sends the messages of `next` until `next`
  // returns nullopt. If `next` returns an error, cancels the call and returns that error.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Upload(
      UploadMethod<Stub, Request, Response> method,
      absl::FunctionRef<absl::StatusOr<std::optional<std::type_identity_t<Request>>>()> next) {
    ActiveCall call(*this, absl::InfiniteDuration());
    Stub stub(channel_);
    Response response;
    const auto writer = (stub.*method)(call.context(), &response);
    absl::StatusOr<std::optional<Request>> message = next();
    // A failed write means that the daemon has ended the call; Finish returns the reason.
    while (message.ok() && message->has_value() && writer->Write(**message)) message = next();
    if (!message.ok()) call.context()->TryCancel();
    writer->WritesDone();
    const absl::Status status = call.Finish(writer->Finish());
    if (!message.ok()) return message.status();
    if (!status.ok()) return status;
    return response;
  }

  // Calls an RPC that streams both ways, without a deadline. Sends the messages of `next` until it
  // returns nullopt, and passes each response to `receive` in a thread of its own. This thread
  // calls `ended` after the last response; `next` must then return nullopt. Returns the stream's
  // status.
  template <typename Stub, typename Request, typename Response>
  absl::Status Exchange(ExchangeMethod<Stub, Request, Response> method,
                        absl::FunctionRef<std::optional<std::type_identity_t<Request>>()> next,
                        absl::FunctionRef<void(const std::type_identity_t<Response>&)> receive,
                        absl::FunctionRef<void()> ended) {
    ActiveCall call(*this, absl::InfiniteDuration());
    Stub stub(channel_);
    const auto stream = (stub.*method)(call.context());
    std::thread reader([&] {
      Response response;
      while (stream->Read(&response)) receive(response);
      ended();
    });
    // A failed write means that the daemon has ended the call; Finish returns the reason.
    std::optional<Request> message = next();
    while (message.has_value() && stream->Write(*message)) message = next();
    stream->WritesDone();
    reader.join();
    return call.Finish(stream->Finish());
  }

 private:
  // The context of a call, with deadline and token. Cancel() ends the call.
  class ActiveCall {
   public:
    // Registers the call. An infinite `timeout` sets no deadline.
    ActiveCall(RpcClient& client, absl::Duration timeout);
    ~ActiveCall();
    ActiveCall(const ActiveCall&) = delete;
    ActiveCall& operator=(const ActiveCall&) = delete;

    grpc::ClientContext* context() { return &context_; }
    // Returns the status of the ended call with its payloads.
    absl::Status Finish(const grpc::Status& status) const;

   private:
    RpcClient& client_;
    grpc::ClientContext context_;
  };

  const Connection connection_;
  const std::shared_ptr<grpc::Channel> channel_;
  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> active_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp::client
