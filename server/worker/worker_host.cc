#include "server/worker/worker_host.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/base/steady_cond_var.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "grpcpp/grpcpp.h"
#include "server/worker/training_messages.h"
#include "worker/worker.grpc.pb.h"

namespace vrp {
namespace {

constexpr std::string_view kSocket = "/socket";
constexpr std::string_view kToken = "/token";
// The token is two ids of 79 random bits.
std::string NewWorkerToken() { return Concat(NewId(), NewId()); }

}  // namespace

// The service, its state and its server.
class WorkerHost::Server final : public worker::WorkerService::Service {
 public:
  Server(std::string folder, std::string token, worker::Training training)
      : folder_(std::move(folder)),
        token_(std::move(token)),
        training_(std::move(training)),
        address_(Concat("unix:", folder_, kSocket)),
        token_file_(Concat(folder_, kToken)) {}
  ~Server() override {
    {
      absl::MutexLock lock(&mutex_);
      closed_ = true;
    }
    changed_.NotifyAll();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  absl::Status Listen() {
    VRP_RETURN_IF_ERROR(AtomicWriteFile(token_file_, token_));
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
    server_ = builder.BuildAndStart();
    if (server_ != nullptr) return absl::OkStatus();
    return absl::UnavailableError(Concat("cannot listen on ", address_, " for workers"));
  }

  grpc::Status Start(grpc::ServerContext* context, const worker::StartRequest*,
                     worker::Training* reply) override {
    if (!Admits(*context)) return Refusal();
    *reply = training_;
    return grpc::Status::OK;
  }

  grpc::Status Report(grpc::ServerContext* context, const worker::Events* request,
                      worker::Orders* reply) override {
    if (!Admits(*context)) return Refusal();
    absl::MutexLock lock(&mutex_);
    events_.insert(events_.end(), request->events().begin(), request->events().end());
    *reply = orders_;
    changed_.NotifyAll();
    return grpc::Status::OK;
  }

  grpc::Status AnswerLive(grpc::ServerContext* context, const worker::Outcome* request,
                          worker::Empty*) override {
    if (!Admits(*context)) return Refusal();
    absl::MutexLock lock(&mutex_);
    orders_.clear_live_directory();
    live_ = FromMessage(*request);
    published_.reset();
    changed_.NotifyAll();
    changed_.WaitFor(&mutex_, absl::InfiniteDuration(),
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
                       return closed_ || published_.has_value();
                     });
    const absl::Status published =
        published_.value_or(absl::CancelledError("the daemon ends the workers"));
    return {static_cast<grpc::StatusCode>(published.code()), std::string(published.message())};
  }

  grpc::Status Finish(grpc::ServerContext* context, const worker::Outcome* request,
                      worker::Empty*) override {
    if (!Admits(*context)) return Refusal();
    absl::MutexLock lock(&mutex_);
    outcome_ = *request;
    changed_.NotifyAll();
    return grpc::Status::OK;
  }

  const std::string& address() const { return address_; }
  const std::string& token_file() const { return token_file_; }

  std::vector<worker::Event> TakeEvents(absl::Duration timeout) {
    absl::MutexLock lock(&mutex_);
    changed_.WaitFor(&mutex_, timeout, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return !events_.empty() || outcome_.has_value();
    });
    return std::exchange(events_, {});
  }
  std::optional<worker::Outcome> outcome() const {
    absl::MutexLock lock(&mutex_);
    return outcome_;
  }
  absl::Time last_call() const {
    absl::MutexLock lock(&mutex_);
    return last_call_;
  }
  void Order(bool cancel, bool end_early) {
    absl::MutexLock lock(&mutex_);
    orders_.set_cancel(cancel);
    orders_.set_end_early(end_early);
  }
  std::optional<absl::StatusOr<TrainingResult>> AskLive(const std::string& directory,
                                                        absl::Duration timeout) {
    absl::MutexLock lock(&mutex_);
    if (!live_.has_value() && orders_.live_directory() != directory) {
      orders_.set_live_directory(directory);
      orders_.set_live_number(orders_.live_number() + 1);
    }
    changed_.WaitFor(&mutex_, timeout,
                     [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return live_.has_value(); });
    return live_;
  }
  void EndLive(const absl::Status& published) {
    absl::MutexLock lock(&mutex_);
    orders_.clear_live_directory();
    live_.reset();
    published_ = published;
    changed_.NotifyAll();
  }

 private:
  static grpc::Status Refusal() {
    return {grpc::StatusCode::UNAUTHENTICATED, "the token is not the one of this training"};
  }
  bool Admits(const grpc::ServerContext& context) {
    const auto found = context.client_metadata().find(kWorkerToken);
    if (found == context.client_metadata().end() ||
        std::string(found->second.data(), found->second.size()) != token_) {
      return false;
    }
    absl::MutexLock lock(&mutex_);
    last_call_ = SteadyNow();
    return true;
  }

  const std::string folder_;
  const std::string token_;
  const worker::Training training_;
  const std::string address_;
  const std::string token_file_;
  std::unique_ptr<grpc::Server> server_;
  mutable absl::Mutex mutex_;
  SteadyCondVar changed_;
  std::vector<worker::Event> events_ ABSL_GUARDED_BY(mutex_);
  worker::Orders orders_ ABSL_GUARDED_BY(mutex_);
  std::optional<worker::Outcome> outcome_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_call_ ABSL_GUARDED_BY(mutex_) = SteadyNow();
  std::optional<absl::StatusOr<TrainingResult>> live_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> published_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

WorkerHost::WorkerHost(std::unique_ptr<Server> server) : server_(std::move(server)) {}
WorkerHost::~WorkerHost() = default;

absl::StatusOr<std::unique_ptr<WorkerHost>> WorkerHost::Create(worker::Training training) {
  // A short path, because those of sockets have at most 107 bytes. mkdtemp makes it private.
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string() + "/vrpd-XXXXXX";
  if (error || mkdtemp(folder.data()) == nullptr) {
    return absl::UnavailableError(
        Concat(folder, ": cannot create a folder for the workers' socket"));
  }
  auto server = std::make_unique<Server>(folder, NewWorkerToken(), std::move(training));
  VRP_RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<WorkerHost>(new WorkerHost(std::move(server)));
}

const std::string& WorkerHost::address() const { return server_->address(); }
const std::string& WorkerHost::token_file() const { return server_->token_file(); }
std::vector<worker::Event> WorkerHost::TakeEvents(absl::Duration timeout) {
  return server_->TakeEvents(timeout);
}
std::optional<worker::Outcome> WorkerHost::outcome() const { return server_->outcome(); }
absl::Time WorkerHost::last_call() const { return server_->last_call(); }
void WorkerHost::Order(bool cancel, bool end_early) { server_->Order(cancel, end_early); }
std::optional<absl::StatusOr<TrainingResult>> WorkerHost::AskLive(const std::string& directory,
                                                                  absl::Duration timeout) {
  return server_->AskLive(directory, timeout);
}
void WorkerHost::EndLive(const absl::Status& published) { server_->EndLive(published); }

}  // namespace vrp
