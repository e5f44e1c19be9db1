// One client stream: its messages taken one after the other by a pool, then one answer.
#pragma once

#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"
#include "server/runtime/stream_hub.h"
#include "server/runtime/work_pool.h"
#include "server/service/received.h"
#include "server/service/unary_call.h"

namespace vrp {

// At any time either gRPC reads a message or the pool works on one, so nothing needs a lock. The
// next message is read when the last was taken: a slow disk is felt by the caller. Counts as an
// open stream, but is not ended with those: as a unary call it has the daemon's last moments to
// come to its end. Deletes itself when gRPC has done with it, which is after Finish.
template <typename Request, typename Response>
class UploadCall final : public grpc::ServerReadReactor<Received<Request>> {
 public:
  struct Options {
    WorkPool* pool = nullptr;  // these outlive the call
    StreamHub* hub = nullptr;
    MessageBudget* messages = nullptr;
    std::function<absl::Status(const Request&)> take;
    std::function<absl::StatusOr<Response>()> finish;  // after the last message
  };

  // gRPC owns what is returned, and keeps `context` and `response` as long.
  static grpc::ServerReadReactor<Received<Request>>* Start(grpc::CallbackServerContext& context,
                                                           Response& response, Options options) {
    auto* call = new UploadCall(context, response, std::move(options));
    call->Begin();
    return call;
  }

  void OnReadDone(bool ok) override {
    options_.pool->Run([this, ok] { ok ? Take() : End(); });
  }
  void OnDone() override {
    options_.hub->Remove(number_);
    delete this;
  }

 private:
  UploadCall(grpc::CallbackServerContext& context, Response& response, Options options)
      : context_(context), response_(response), options_(std::move(options)) {}

  void Begin() {
    const absl::StatusOr<int64_t> number = options_.hub->Add({});
    if (!number.ok()) return this->Finish(ToGrpcStatus(number.status()));
    number_ = *number;
    this->StartRead(&request_);
  }

  void Take() {
    auto take = [this] {
      request_.Unpack(*options_.messages);
      return request_.status().ok() ? options_.take(request_.message()) : request_.status();
    };
    const absl::Status taken = CallGuarded(take);
    if (taken.ok()) {
      this->StartRead(&request_);
    } else {
      this->Finish(ToGrpcStatus(taken));
    }
  }

  // A caller who went away ends the stream too, but has not said all.
  void End() {
    if (context_.IsCancelled()) {
      this->Finish(ToGrpcStatus(absl::CancelledError("the caller went away")));
      return;
    }
    auto finish = [this] { return options_.finish(); };
    absl::StatusOr<Response> result = CallGuarded(finish);
    if (result.ok()) response_ = *std::move(result);
    this->Finish(ToGrpcStatus(result.status()));
  }

  grpc::CallbackServerContext& context_;
  Response& response_;
  const Options options_;
  int64_t number_ = 0;  // set before gRPC knows the object
  Received<Request> request_;
};

}  // namespace vrp
