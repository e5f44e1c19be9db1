// Makes a call of any RPC with serialized messages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"

namespace vrp {

// A call with any number of messages in both directions. Thread-safe, for one writer and one
// reader. The call lives at least until gRPC calls OnDone.
class GatewayCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                          public std::enable_shared_from_this<GatewayCall> {
 public:
  struct Options {
    std::string path;        // "/vrp.v1.SolverService/Solve"
    std::string request_id;  // empty: the daemon chooses one
    // Called after every change of the call's state, on threads of gRPC. Must not block.
    std::function<void()> on_change;
    // Called once, when gRPC no longer uses the call.
    std::function<void()> on_end;
  };
  // Starts a call on `channel`.
  static std::shared_ptr<GatewayCall> Start(const std::shared_ptr<grpc::Channel>& channel,
                                            Options options);
  // Returns a call that was never started and has ended with `status`.
  static std::shared_ptr<GatewayCall> Refused(const grpc::Status& status);

  // Sends a message. Must be called only while can_write().
  void Write(const std::string& message);
  // Ends the request. Must be called only while can_write().
  void WritesDone();
  // Whether no write is running. Also true after the call has failed, which then ignores further
  // messages.
  bool can_write() const;

  // Returns the next message, if there is one, and asks for another.
  std::optional<std::string> Take();
  // Returns the status once the call is done and all messages have been taken; nullopt before.
  std::optional<grpc::Status> status() const;
  // Returns the id of a call that is done, for reports of errors; empty if the server sent none.
  std::string request_id() const;

  // Ends the call early. The owner must call this before it drops a call that is not done.
  void Cancel();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnWritesDoneDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  explicit GatewayCall(Options options) : options_(std::move(options)) {}
  // Refuses further writes. Returns whether the caller must remove the writer's hold, which lets
  // gRPC finish the call. Deciding this under the mutex keeps a write from starting on a call that
  // gRPC has already destroyed.
  bool EndWriting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;  // used by gRPC until has_message_, then guarded by mutex_
  grpc::ByteBuffer outgoing_;  // used by gRPC while writing_, else by the writer
  std::shared_ptr<GatewayCall> self_;

  mutable absl::Mutex mutex_;
  bool has_message_ ABSL_GUARDED_BY(mutex_) = false;
  bool reader_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool writer_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<grpc::Status> status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
