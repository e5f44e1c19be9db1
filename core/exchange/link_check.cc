#include "core/exchange/link_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"

namespace vrp {
namespace {

constexpr double kSmallMessages = 3;
constexpr double kGradientMessages = 2;

std::string RateText(double bytes_per_second) {
  const double megabits = bytes_per_second * 8 / 1e6;
  return megabits >= 1000 ? absl::StrFormat("%.1f Gbit/s", megabits / 1000)
                          : absl::StrFormat("%.0f Mbit/s", megabits);
}

// Returns the bytes that a rank sends in a step.
double SentBytes(const LinkFigures& figures) {
  const double others = static_cast<double>(figures.ranks - 1) / figures.ranks;
  return kGradientMessages * others * static_cast<double>(figures.gradient_bytes);
}

double SecondsSince(absl::Time begun) { return absl::ToDoubleSeconds(SteadyNow() - begun); }

}  // namespace

absl::StatusOr<LinkFigures> MeasureLink(RankGroup& ranks, int64_t values) {
  constexpr int kMessages = 11;
  constexpr int kSums = 3;
  LinkFigures figures = {.ranks = ranks.ranks(),
                         .gradient_bytes = values * static_cast<int64_t>(sizeof(float))};
  std::vector<double> times;
  for (int i = 0; i < kMessages; ++i) {
    const absl::Time begun = SteadyNow();
    VRP_RETURN_IF_ERROR(ranks.Meet(absl::OkStatus()));
    times.push_back(SecondsSince(begun));
  }
  std::nth_element(times.begin(), times.begin() + kMessages / 2, times.end());
  figures.latency_seconds = times[kMessages / 2];
  // The fastest sum, because the first ones also wait for memory.
  std::vector<float> gradient(static_cast<size_t>(values));
  double fastest = 0;
  for (int i = 0; i < kSums; ++i) {
    VRP_RETURN_IF_ERROR(ranks.Meet(absl::OkStatus()));
    const absl::Time begun = SteadyNow();
    VRP_RETURN_IF_ERROR(ranks.SumGradient(gradient));
    const double seconds = SecondsSince(begun);
    fastest = i == 0 ? seconds : std::min(fastest, seconds);
  }
  figures.bytes_per_second = SentBytes(figures) / std::max(1e-9, fastest);
  return figures;
}

double ExchangeSeconds(const LinkFigures& figures) {
  if (figures.ranks < 2) return 0;
  const double latency = (kSmallMessages + kGradientMessages) * figures.latency_seconds;
  if (figures.bytes_per_second <= 0) return latency;
  return latency + SentBytes(figures) / figures.bytes_per_second;
}

double ExchangeShare(const LinkFigures& figures) {
  const double exchange = ExchangeSeconds(figures);
  const double step = exchange + figures.compute_seconds;
  return step > 0 ? exchange / step : 0;
}

int64_t BatchThatHides(const LinkFigures& figures, double share) {
  if (ExchangeShare(figures) <= share || figures.compute_seconds <= 0) return figures.batch_size;
  // exchange / (exchange + compute * batch / batch_size) = share
  const double compute = ExchangeSeconds(figures) * (1 - share) / share;
  const double factor = compute / figures.compute_seconds;
  return static_cast<int64_t>(std::ceil(factor * static_cast<double>(figures.batch_size)));
}

std::string LinkText(const LinkFigures& figures) {
  const double share = ExchangeShare(figures);
  std::string text = absl::StrFormat(
      "network between the workers: %s, %.0f us; the exchange of %.1f MB takes %.1f ms, %.0f %% of "
      "a step",
      RateText(figures.bytes_per_second), 1e6 * figures.latency_seconds,
      static_cast<double>(figures.gradient_bytes) / 1e6, 1e3 * ExchangeSeconds(figures),
      100 * share);
  if (share <= kLargestHiddenShare) return text;
  return text +
         absl::StrFormat(
             ": the network is the bottleneck; training.batch_size: %d or more would hide it",
             BatchThatHides(figures, kLargestHiddenShare));
}

}  // namespace vrp
