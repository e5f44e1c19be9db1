#include "tests/bench/load_client.h"

#include <algorithm>
#include <cmath>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/steady_time.h"
#include "grpcpp/client_context.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp {
namespace {

class Run {
 public:
  Run(const std::shared_ptr<grpc::Channel>& channel, const std::vector<v1::SolveRequest>& requests,
      absl::Duration duration)
      : stub_(v1::SolverService::NewStub(channel)),
        requests_(requests),
        counted_from_(SteadyNow() + duration / 10),
        end_(SteadyNow() + duration) {}

  void SendRequest() {
    auto* call = new Call;
    {
      absl::MutexLock lock(&mutex_);
      ++running_;
      call->request = &requests_[next_++ % requests_.size()];
    }
    call->begun = SteadyNow();
    stub_->async()->Solve(&call->context, call->request, &call->response,
                          [this, call](const grpc::Status& status) { OnDone(call, status); });
  }

  ClientsLoad Await() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](int* running) { return *running == 0; }, &running_));
    std::sort(load_.latencies_ms.begin(), load_.latencies_ms.end());
    load_.per_second = static_cast<double>(load_.latencies_ms.size()) /
                       absl::ToDoubleSeconds(last_ - counted_from_);
    return std::move(load_);
  }

 private:
  struct Call {
    grpc::ClientContext context;
    const v1::SolveRequest* request = nullptr;
    v1::SolveResponse response;
    absl::Time begun;
  };

  void OnDone(Call* call, const grpc::Status& status) {
    const absl::Time now = SteadyNow();
    if (now < end_) SendRequest();
    absl::MutexLock lock(&mutex_);
    if (now >= counted_from_ && now < end_) {
      last_ = now;
      if (status.ok() && call->response.feasible()) {
        load_.latencies_ms.push_back(absl::ToDoubleMilliseconds(now - call->begun));
      } else {
        ++load_.failed;
      }
    }
    delete call;
    --running_;
  }

  const std::unique_ptr<v1::SolverService::Stub> stub_;
  const std::vector<v1::SolveRequest>& requests_;
  const absl::Time counted_from_;
  const absl::Time end_;
  absl::Mutex mutex_;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_ ABSL_GUARDED_BY(mutex_);
  ClientsLoad load_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

ClientsLoad RunClients(const std::shared_ptr<grpc::Channel>& channel,
                       const std::vector<v1::SolveRequest>& requests, int clients,
                       absl::Duration duration) {
  Run run(channel, requests, duration);
  for (int i = 0; i < clients; ++i) run.SendRequest();
  return run.Await();
}

double Percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

}  // namespace vrp
