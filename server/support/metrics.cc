#include "server/support/metrics.h"

#include <utility>

#include "core/base/text.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace vrp {
namespace {

// Returns boundaries in seconds. They are close together around usual budgets (50, 100, 500 ms), so
// that late answers differ from timely ones. The largest are for jobs and streams.
const prometheus::Histogram::BucketBoundaries& DurationBuckets() {
  static const auto* const buckets = new prometheus::Histogram::BucketBoundaries{
      0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.055, 0.06, 0.08, 0.1, 0.11,
      0.15,   0.2,   0.3,   0.5,   0.55, 1,    2,    5,    10,    30,   60,   300, 3600};
  return *buckets;
}

const prometheus::Histogram::BucketBoundaries& BatchBuckets() {
  static const auto* const buckets = new prometheus::Histogram::BucketBoundaries{
      1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024};
  return *buckets;
}

template <typename Build>
auto& Register(Build build, prometheus::Registry& registry, const char* name, const char* help) {
  return build.Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests = Register(
      prometheus::BuildCounter(), registry, kRequestsFamily, "Finished requests by outcome.");
  prometheus::Family<prometheus::Gauge>& in_flight =
      Register(prometheus::BuildGauge(), registry, kInFlightFamily, "Requests in flight.");
  prometheus::Family<prometheus::Histogram>& duration =
      Register(prometheus::BuildHistogram(), registry, kRequestDurationFamily,
               "Time from the receipt of a request to its status, or to the end of a stream.");
  prometheus::Family<prometheus::Histogram>& wait =
      Register(prometheus::BuildHistogram(), registry, kQueueWaitFamily,
               "Time that work waited for a thread.");
  prometheus::Family<prometheus::Histogram>& solve =
      Register(prometheus::BuildHistogram(), registry, kSolveDurationFamily,
               "Time of search and network per answer, in requests, batches and jobs.");
  prometheus::Histogram& batch_size = Register(prometheus::BuildHistogram(), registry,
                                               kBatchSizeFamily, "Requests per batch of a network.")
                                          .Add({}, BatchBuckets());
  prometheus::Histogram& batch_duration =
      Register(prometheus::BuildHistogram(), registry, kBatchDurationFamily,
               "Time that a network took for a batch of requests.")
          .Add({}, DurationBuckets());
  prometheus::Family<prometheus::Counter>& refused_callers =
      Register(prometheus::BuildCounter(), registry, kRefusedCallersFamily,
               "Calls refused for their token; vrp_requests_total does not count them.");
  prometheus::Gauge& connections =
      Register(prometheus::BuildGauge(), registry, kConnectionsFamily,
               "Open connections of clients, including those in their handshake.")
          .Add({});
  prometheus::Counter& refused_connections =
      Register(prometheus::BuildCounter(), registry, kRefusedConnectionsFamily,
               "Connections closed at once because max_connections were open.")
          .Add({});
  prometheus::Family<prometheus::Counter>& overdue =
      Register(prometheus::BuildCounter(), registry, kOverdueFamily,
               "Watchdog warnings about work far beyond its usual time.");
};

Metrics::Rpc::Rpc(Metrics& metrics, std::string name)
    : metrics_(metrics),
      name_(std::move(name)),
      succeeded_(
          metrics.families_->requests.Add({{"rpc", name_}, {"code", "OK"}, {"reason", "ok"}})),
      in_flight_(metrics.families_->in_flight.Add({{"rpc", name_}})),
      duration_(metrics.families_->duration.Add({{"rpc", name_}}, DurationBuckets())) {}

void Metrics::Rpc::Began() {
  in_flight_.Increment();
  ++metrics_.in_flight_;
  ++metrics_.begun_;
}

void Metrics::Rpc::Ended(const RequestOutcome& outcome) {
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
  prometheus::Histogram& wait =
      families_->wait.Add({{"queue", std::string(queue)}}, DurationBuckets());
  return [&wait](absl::Duration waited) { wait.Observe(absl::ToDoubleSeconds(waited)); };
}

void Metrics::Solved(std::string_view strategy, absl::Duration duration) {
  absl::MutexLock lock(&mutex_);
  auto known = solves_.find(strategy);
  if (known == solves_.end()) {
    prometheus::Histogram& added =
        families_->solve.Add({{"strategy", std::string(strategy)}}, DurationBuckets());
    known = solves_.emplace(strategy, &added).first;
  }
  known->second->Observe(absl::ToDoubleSeconds(duration));
}

void Metrics::Decoded(size_t requests, absl::Duration duration) {
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

std::vector<prometheus::MetricFamily> Metrics::Collect() const {
  return families_->registry.Collect();
}

}  // namespace vrp
