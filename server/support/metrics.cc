#include "server/support/metrics.h"

#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

// Boundaries in seconds. They are close together around usual budgets (50, 100, 500 ms), so
// that late answers differ from timely ones. The largest are for jobs and streams.
constexpr double kDurationBuckets[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.055,
                                       0.06,   0.08,  0.1,   0.11,  0.15, 0.2,  0.3,  0.5,  0.55,
                                       1,      2,     5,     10,    30,   60,   300,  3600};

constexpr double kBatchBuckets[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024};

}  // namespace

struct Metrics::Families {
  MetricGroup<Counter> requests{kRequestsFamily, "Finished requests by outcome."};
  MetricGroup<Gauge> in_flight{kInFlightFamily, "Requests in flight."};
  MetricGroup<Histogram> duration{
      kRequestDurationFamily,
      "Time from the receipt of a request to its status, or to the end of a stream."};
  MetricGroup<Histogram> wait{kQueueWaitFamily, "Time that work waited for a thread or a network."};
  MetricGroup<Histogram> solve{
      kSolveDurationFamily,
      "Time of search and network per answer, in requests, batches and jobs."};
  MetricGroup<Histogram> batch_sizes{kBatchSizeFamily, "Requests per batch of a network."};
  Histogram& batch_size = batch_sizes.Add({}, kBatchBuckets);
  MetricGroup<Histogram> batch_durations{kBatchDurationFamily,
                                         "Time that a network took for a batch of requests."};
  Histogram& batch_duration = batch_durations.Add({}, kDurationBuckets);
  MetricGroup<Counter> refused_callers{
      kRefusedCallersFamily,
      "Calls refused for their token; vrp_requests_total does not count them."};
  MetricGroup<Gauge> all_connections{
      kConnectionsFamily, "Open gRPC connections of clients, including those in their handshake."};
  Gauge& connections = all_connections.Add({});
  MetricGroup<Counter> all_refused_connections{
      kRefusedConnectionsFamily,
      "Connections closed at once because too many were open, of gRPC or HTTP."};
  Counter& refused_connections = all_refused_connections.Add({});
  MetricGroup<Counter> overdue{kOverdueFamily,
                               "Watchdog warnings about work far beyond its usual time."};

  std::vector<MetricFamily> Collect() const {
    std::vector<MetricFamily> families;
    const auto append = [&families](const auto&... groups) { (groups.AppendTo(families), ...); };
    append(requests, in_flight, duration, wait, solve, batch_sizes, batch_durations,
           refused_callers, all_connections, all_refused_connections, overdue);
    return families;
  }
};

Metrics::Rpc::Rpc(Metrics& metrics, std::string name)
    : metrics_(metrics),
      name_(std::move(name)),
      succeeded_(
          metrics.families_->requests.Add({{"rpc", name_}, {"code", "OK"}, {"reason", "ok"}})),
      in_flight_(metrics.families_->in_flight.Add({{"rpc", name_}})),
      duration_(metrics.families_->duration.Add({{"rpc", name_}}, kDurationBuckets)) {}

void Metrics::Rpc::RecordStart() {
  in_flight_.Increment();
  ++metrics_.in_flight_;
  ++metrics_.begun_;
}

void Metrics::Rpc::RecordEnd(const RequestOutcome& outcome) {
  in_flight_.Decrement();
  --metrics_.in_flight_;
  duration_.Observe(absl::ToDoubleSeconds(outcome.duration));
  if (outcome.code == "OK") return succeeded_.Increment();
  metrics_.families_->requests
      .Add({{"rpc", name_},
            {"code", std::string(outcome.code)},
            {"reason", std::string(outcome.reason)}})
      .Increment();
}

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

Metrics::Rpc& Metrics::ForRpc(std::string_view name) {
  {
    absl::ReaderMutexLock lock(&mutex_);
    const auto found = rpcs_.find(name);
    if (found != rpcs_.end()) return *found->second;
  }
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Rpc>& rpc = rpcs_[std::string(name)];
  if (rpc == nullptr) rpc.reset(new Rpc(*this, std::string(name)));
  return *rpc;
}

std::function<void(absl::Duration)> Metrics::QueueWaitObserver(std::string_view queue) {
  Histogram& wait = families_->wait.Add({{"queue", std::string(queue)}}, kDurationBuckets);
  return [&wait](absl::Duration waited) { wait.Observe(absl::ToDoubleSeconds(waited)); };
}

void Metrics::RecordSolve(std::string_view strategy, absl::Duration duration) {
  absl::MutexLock lock(&mutex_);
  auto known = solves_.find(strategy);
  if (known == solves_.end()) {
    Histogram& added =
        families_->solve.Add({{"strategy", std::string(strategy)}}, kDurationBuckets);
    known = solves_.emplace(strategy, &added).first;
  }
  known->second->Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::RecordBatch(size_t requests, absl::Duration duration) {
  families_->batch_size.Observe(static_cast<double>(requests));
  families_->batch_duration.Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::CountRefusedCall(std::string_view code, std::string_view reason) {
  families_->refused_callers.Add({{"code", std::string(code)}, {"reason", std::string(reason)}})
      .Increment();
}

void Metrics::CountOpened() { families_->connections.Increment(); }
void Metrics::CountClosed() { families_->connections.Decrement(); }
void Metrics::CountRefusedConnection() { families_->refused_connections.Increment(); }

void Metrics::CountOverdue(std::string_view phase) {
  families_->overdue.Add({{"phase", std::string(phase)}}).Increment();
}

std::vector<MetricFamily> Metrics::Collect() const { return families_->Collect(); }

}  // namespace vrp
