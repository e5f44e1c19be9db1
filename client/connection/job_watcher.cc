#include "client/connection/job_watcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/connection/rpc_client.h"
#include "client/support/steady_now.h"
#include "vrp/v1/simulation_service.grpc.pb.h"
#include "vrp/v1/solver_service.grpc.pb.h"
#include "vrp/v1/sweep_service.grpc.pb.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

// Whether the connection or the daemon was lost. If not, the daemon refused the call.
bool IsBrokenConnection(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:  // the daemon shuts down
      return true;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return absl::StrContains(status.message(), "RST_STREAM") ||
             absl::StrContains(status.message(), "Stream removed");
    default:
      return false;
  }
}

// Number of consecutive streams without the requested event after which the event log counts as
// damaged.
constexpr int kMaxGaps = 5;

// Calls the RPC of the job's kind, as do the next functions.
absl::Status Watch(RpcClient& client, const WatchOptions& options, int64_t from,
                   absl::FunctionRef<bool(const v1::WatchTrainingJobResponse&)> receive) {
  v1::WatchTrainingJobRequest request;
  request.set_name(options.name);
  request.set_from_sequence(from);
  return client.Stream(&v1::TrainingService::Stub::WatchTrainingJob, request, receive);
}

absl::Status Watch(RpcClient& client, const WatchOptions& options, int64_t from,
                   absl::FunctionRef<bool(const v1::WatchSolveJobResponse&)> receive) {
  v1::WatchSolveJobRequest request;
  request.set_name(options.name);
  request.set_from_sequence(from);
  return client.Stream(&v1::SolverService::Stub::WatchSolveJob, request, receive);
}

absl::Status Watch(RpcClient& client, const WatchOptions& options, int64_t from,
                   absl::FunctionRef<bool(const v1::WatchSimulationResponse&)> receive) {
  v1::WatchSimulationRequest request;
  request.set_name(options.name);
  request.set_from_sequence(from);
  return client.Stream(&v1::SimulationService::Stub::WatchSimulation, request, receive);
}

absl::Status Watch(RpcClient& client, const WatchOptions& options, int64_t from,
                   absl::FunctionRef<bool(const v1::WatchSweepResponse&)> receive) {
  v1::WatchSweepRequest request;
  request.set_name(options.name);
  request.set_from_sequence(from);
  return client.Stream(&v1::SweepService::Stub::WatchSweep, request, receive);
}

absl::StatusOr<v1::TrainingJob> Get(RpcClient& client, const WatchOptions& options,
                                    const EventSink&) {
  v1::GetTrainingJobRequest request;
  request.set_name(options.name);
  return client.Call(&v1::TrainingService::Stub::GetTrainingJob, request);
}

absl::StatusOr<v1::SolveJob> Get(RpcClient& client, const WatchOptions& options,
                                 const SolveEventSink&) {
  v1::GetSolveJobRequest request;
  request.set_name(options.name);
  return client.Call(&v1::SolverService::Stub::GetSolveJob, request);
}

absl::StatusOr<v1::Simulation> Get(RpcClient& client, const WatchOptions& options,
                                   const SimulationEventSink&) {
  v1::GetSimulationRequest request;
  request.set_name(options.name);
  return client.Call(&v1::SimulationService::Stub::GetSimulation, request);
}

absl::StatusOr<v1::Sweep> Get(RpcClient& client, const WatchOptions& options,
                              const SweepEventSink&) {
  v1::GetSweepRequest request;
  request.set_name(options.name);
  return client.Call(&v1::SweepService::Stub::GetSweep, request);
}

// Returns the first sequence number that the event represents.
int64_t FirstSequence(const v1::WatchTrainingJobResponse& event) {
  return event.has_compacted() ? event.compacted().first_sequence() : event.sequence();
}

int64_t FirstSequence(const v1::WatchSweepResponse& event) {
  return event.has_compacted() ? event.compacted().first_sequence() : event.sequence();
}

int64_t FirstSequence(const v1::WatchSolveJobResponse& event) { return event.sequence(); }
int64_t FirstSequence(const v1::WatchSimulationResponse& event) { return event.sequence(); }

template <typename Event>
class Watcher {
 public:
  Watcher(RpcClient& client, const Interrupt& interrupt, const WatchOptions& options,
          JobEventSink<Event>& sink)
      : client_(client),
        interrupt_(interrupt),
        options_(options),
        sink_(sink),
        next_(std::max<int64_t>(options.from_sequence, 1)),
        reachable_(options.was_reachable),
        backoff_(options.initial_backoff) {}

  absl::StatusOr<WatchOutcome> Run() {
    while (true) {
      absl::Status status = WatchOnce();
      if (outcome_.has_value()) return *outcome_;
      if (interrupt_.triggered()) return absl::CancelledError("interrupted");
      if (status.ok()) status = LookUpState();
      if (outcome_.has_value()) return *outcome_;
      if (!IsBrokenConnection(status) || !reachable_) return status;
      if (gaps_ >= kMaxGaps) return MissingEventError();
      if (SteadyNow() - last_contact_ > options_.give_up_after)
        return absl::UnavailableError(status.message());
      if (!std::exchange(lost_, true)) sink_.OnConnectionLost(status);
      if (interrupt_.WaitFor(backoff_)) return absl::CancelledError("interrupted");
      backoff_ = std::min(backoff_ * 2, options_.max_backoff);
    }
  }

 private:
  absl::Status WatchOnce() {
    const auto receive = [this](const Event& event) {
      RecordContact();
      return HandleEvent(event);
    };
    return Watch(client_, options_, next_, absl::FunctionRef<bool(const Event&)>(receive));
  }

  void RecordContact() {
    last_contact_ = SteadyNow();
    reachable_ = true;
    backoff_ = options_.initial_backoff;
    if (std::exchange(lost_, false)) sink_.OnReconnected();
  }

  // Returns false if events are missing, to end the stream and request them again.
  bool HandleEvent(const Event& event) {
    if (event.sequence() == 0) sink_.OnHeartbeat(event);
    if (event.sequence() < next_) return true;
    if (FirstSequence(event) > next_) {
      ++gaps_;
      return false;
    }
    next_ = event.sequence() + 1;
    gaps_ = 0;
    sink_.OnEvent(event);
    if (event.has_state() && IsFinal(event.state().state())) {
      outcome_ = WatchOutcome{event.state().state(), event.state().error()};
    }
    return true;
  }

  // Handles a stream that ended without an error and without a final event. Either the job ended
  // before from_sequence, or events are missing.
  absl::Status LookUpState() {
    const auto job = Get(client_, options_, sink_);
    if (!job.ok()) return job.status();
    if (IsFinal(job->state()) && job->last_sequence() < next_) {
      outcome_ = WatchOutcome{job->state(), job->error().message()};
      return absl::OkStatus();
    }
    return absl::UnavailableError(absl::StrCat("the daemon ended the stream before event ", next_));
  }

  absl::Status MissingEventError() const {
    return absl::DataLossError(absl::StrCat("the daemon does not send event ", next_, " of ",
                                            options_.name, "; its event log is damaged"));
  }

  RpcClient& client_;
  const Interrupt& interrupt_;
  const WatchOptions& options_;
  JobEventSink<Event>& sink_;
  int64_t next_;
  bool reachable_;
  bool lost_ = false;
  int gaps_ = 0;  // consecutive gaps
  absl::Duration backoff_;
  absl::Time last_contact_ = SteadyNow();
  std::optional<WatchOutcome> outcome_;
};

}  // namespace

bool IsFinal(v1::JobState state) {
  return state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED ||
         state == v1::JOB_STATE_CANCELLED;
}

template <typename Event>
absl::StatusOr<WatchOutcome> WatchJob(RpcClient& client, const Interrupt& interrupt,
                                      const WatchOptions& options, JobEventSink<Event>& sink) {
  absl::StatusOr<WatchOutcome> outcome = Watcher<Event>(client, interrupt, options, sink).Run();
  sink.OnEnd();
  return outcome;
}

template absl::StatusOr<WatchOutcome> WatchJob(RpcClient&, const Interrupt&, const WatchOptions&,
                                               EventSink&);
template absl::StatusOr<WatchOutcome> WatchJob(RpcClient&, const Interrupt&, const WatchOptions&,
                                               SolveEventSink&);
template absl::StatusOr<WatchOutcome> WatchJob(RpcClient&, const Interrupt&, const WatchOptions&,
                                               SimulationEventSink&);
template absl::StatusOr<WatchOutcome> WatchJob(RpcClient&, const Interrupt&, const WatchOptions&,
                                               SweepEventSink&);

}  // namespace vrp::client
