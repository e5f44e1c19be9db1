#include "client/output/stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/strip.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Returns `now` minus `before`, which has the same bounds or is empty.
v1::DurationHistogram Difference(v1::DurationHistogram now, const v1::DurationHistogram& before) {
  if (before.buckets_size() != now.buckets_size()) return now;
  for (int i = 0; i < now.buckets_size(); ++i) {
    now.mutable_buckets(i)->set_count(now.buckets(i).count() - before.buckets(i).count());
  }
  now.set_count(now.count() - before.count());
  now.set_sum_seconds(now.sum_seconds() - before.sum_seconds());
  return now;
}

void AddHistogram(const v1::DurationHistogram& other, v1::DurationHistogram& sum) {
  if (sum.buckets_size() == 0) {
    sum = other;
  } else if (sum.buckets_size() == other.buckets_size()) {
    for (int i = 0; i < sum.buckets_size(); ++i) {
      sum.mutable_buckets(i)->set_count(sum.buckets(i).count() + other.buckets(i).count());
    }
    sum.set_count(sum.count() + other.count());
  }
}

int64_t RequestsOf(const v1::RpcStats& rpc, bool failed_only) {
  int64_t requests = 0;
  for (const v1::RpcStats::Outcome& outcome : rpc.outcomes()) {
    if (!failed_only || outcome.code() != "OK") requests += outcome.requests();
  }
  return requests;
}

std::string ShortName(const std::string& rpc) {
  return std::string(absl::StripPrefix(rpc, "vrp.v1."));
}

}  // namespace

double QuantileOf(const v1::DurationHistogram& histogram, double quantile) {
  int64_t count = 0;
  for (const v1::DurationHistogram::Bucket& bucket : histogram.buckets()) count += bucket.count();
  if (count == 0) return kNan;
  const double wanted = quantile * static_cast<double>(count);
  double below = 0, lower = 0;
  for (const v1::DurationHistogram::Bucket& bucket : histogram.buckets()) {
    const auto here = static_cast<double>(bucket.count());
    if (here > 0 && below + here >= wanted) {
      if (std::isinf(bucket.upper_bound())) return lower;
      return lower + (bucket.upper_bound() - lower) * (wanted - below) / here;
    }
    below += here;
    lower = bucket.upper_bound();
  }
  return lower;
}

StatsInterval::StatsInterval(v1::ServerStats now, std::optional<v1::ServerStats> before,
                             std::string device_loss)
    : now_(std::move(now)), before_(std::move(before)), device_loss_(std::move(device_loss)) {
  const absl::Time begin = ToTime(before_.has_value() ? before_->time() : now_.start_time());
  seconds_ = absl::ToDoubleSeconds(ToTime(now_.time()) - begin);
}

const v1::RpcStats* StatsInterval::PreviousStats(const std::string& rpc) const {
  if (!before_.has_value()) return nullptr;
  const auto found = std::find_if(before_->rpcs().begin(), before_->rpcs().end(),
                                  [&](const v1::RpcStats& other) { return other.rpc() == rpc; });
  return found == before_->rpcs().end() ? nullptr : &*found;
}

std::vector<StatsInterval::Rpc> StatsInterval::Rpcs() const {
  std::vector<Rpc> rpcs;
  const v1::RpcStats none;
  for (const v1::RpcStats& rpc : now_.rpcs()) {
    const v1::RpcStats* found = PreviousStats(rpc.rpc());
    const v1::RpcStats& before = found == nullptr ? none : *found;
    const v1::DurationHistogram recent = Difference(rpc.duration(), before.duration());
    const int64_t total = RequestsOf(rpc, false);
    const auto new_requests = static_cast<double>(total - RequestsOf(before, false));
    rpcs.push_back({.name = ShortName(rpc.rpc()),
                    .per_second = seconds_ > 0 ? new_requests / seconds_ : 0,
                    .failed = RequestsOf(rpc, true) - RequestsOf(before, true),
                    .total = total,
                    .in_flight = rpc.in_flight(),
                    .median = QuantileOf(recent, 0.5),
                    .p99 = QuantileOf(recent, 0.99)});
  }
  std::stable_sort(rpcs.begin(), rpcs.end(),
                   [](const Rpc& a, const Rpc& b) { return a.per_second > b.per_second; });
  return rpcs;
}

StatsInterval::Rpc StatsInterval::Total() const {
  Rpc total{.name = "all"};
  v1::DurationHistogram recent;
  const v1::RpcStats none;
  for (const v1::RpcStats& rpc : now_.rpcs()) {
    const v1::RpcStats* before = PreviousStats(rpc.rpc());
    AddHistogram(Difference(rpc.duration(), (before == nullptr ? none : *before).duration()),
                 recent);
  }
  for (const Rpc& rpc : Rpcs()) {
    total.per_second += rpc.per_second;
    total.failed += rpc.failed;
    total.total += rpc.total;
    total.in_flight += rpc.in_flight;
  }
  total.median = QuantileOf(recent, 0.5);
  total.p99 = QuantileOf(recent, 0.99);
  return total;
}

double StatsInterval::QueueWaitP99(const v1::QueueStats& queue) const {
  v1::DurationHistogram before;
  if (before_.has_value()) {
    for (const v1::QueueStats& other : before_->queues()) {
      if (other.queue() == queue.queue()) before = other.wait();
    }
  }
  return QuantileOf(Difference(queue.wait(), before), 0.99);
}

double StatsInterval::BusyCores() const {
  const double before = before_.has_value() ? before_->process().cpu_seconds() : 0;
  return seconds_ > 0 ? (now_.process().cpu_seconds() - before) / seconds_ : 0;
}

}  // namespace vrp::client
