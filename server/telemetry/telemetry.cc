#include "server/telemetry/telemetry.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/telemetry/expiry_monitor.h"
#include "server/telemetry/metrics_text.h"

namespace vrp {
namespace {

constexpr char kStarting[] = "starting";
constexpr char kDraining[] = "draining";
constexpr char kMetricsPage[] = "/metrics";

// Bounds of the server, whose clients are few and fetch one page per connection.
constexpr int64_t kMaxConnections = 32;
constexpr absl::Duration kTimeout = absl::Seconds(5);

}  // namespace

absl::StatusOr<std::unique_ptr<Telemetry>> Telemetry::Create(const Options& options) {
  std::unique_ptr<Telemetry> telemetry(new Telemetry(options.started, options.tls));
  telemetry->readiness_.Set(kStarting, true);
  if (options.metrics_listen.empty()) return telemetry;
  VRP_ASSIGN_OR_RETURN(telemetry->http_, HttpServer::Create({.listen = options.metrics_listen,
                                                             .option = "metrics_listen",
                                                             .pages = telemetry->Pages(),
                                                             .tls = options.tls,
                                                             .access = options.access,
                                                             .metrics = &telemetry->metrics_,
                                                             .max_connections = kMaxConnections,
                                                             .threads = 1,
                                                             .handshake = kTimeout,
                                                             .silence = kTimeout}));
  return telemetry;
}

std::string Telemetry::metrics_url() const {
  if (http_ == nullptr) return "";
  return Concat(tls_ == nullptr ? "http://" : "https://", http_->address(), kMetricsPage);
}

StatusPages Telemetry::Pages() {
  StatusPages pages;
  pages[kMetricsPage] = [this] {
    return StatusPage{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                      .body = MetricsText(Families())};
  };
  pages["/healthz"] = [] { return StatusPage{.body = "alive\n"}; };
  pages["/readyz"] = [this] { return ReadyPage(); };
  return pages;
}

void Telemetry::Serve(const LiveSources& sources) {
  {
    absl::MutexLock lock(&mutex_);
    sources_ = sources;
  }
  readiness_.Set(kStarting, false);
}

void Telemetry::Drain() { readiness_.Set(kDraining, true); }

void Telemetry::DropSources() {
  absl::MutexLock lock(&mutex_);
  sources_ = {};
}

LiveFigures Telemetry::Figures() const {
  LiveFigures figures;
  {
    absl::MutexLock lock(&mutex_);
    figures = GatherFigures(sources_);
  }
  figures.started = started_;
  figures.not_ready = readiness_.reasons();
  return figures;
}

std::vector<MetricFamily> Telemetry::Families() const {
  std::vector<MetricFamily> families = metrics_.Collect();
  std::vector<MetricFamily> live = ToFamilies(Figures());
  families.insert(families.end(), std::make_move_iterator(live.begin()),
                  std::make_move_iterator(live.end()));
  {
    absl::MutexLock lock(&mutex_);
    if (sources_.roads != nullptr) sources_.roads->AppendMetrics(families);
  }
  if (tls_ != nullptr) families.push_back(ExpiryFamily(*tls_));
  return families;
}

StatusPage Telemetry::ReadyPage() const {
  const std::vector<std::string> reasons = readiness_.reasons();
  if (reasons.empty()) return {.body = "ready\n"};
  return {.status = 503, .body = absl::StrJoin(reasons, "\n") + "\n"};
}

}  // namespace vrp
