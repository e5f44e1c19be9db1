// Request logs: the requests of past days, to replay and to draw from.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/random.h"
#include "core/dispatch/day.h"
#include "core/dispatch/log_line.h"
#include "core/dispatch/request.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"

namespace vrp {

// A request and the time at which it became known.
struct LoggedRequest {
  double at = 0;
  DispatchRequest request = {};  // its release is not used
};

// A day of a log.
struct LoggedDay {
  std::string name = {};
  std::vector<LoggedRequest> requests = {};  // in the order of the log
};

// Days in increasing order, each with a request at least. There is at least one day.
using RequestLog = std::vector<LoggedDay>;

// Returns the log of the lines, which come from ParseLogLines. `customer` is the id of a customer
// of the site; absent values are that customer's. Returns kInvalidArgument naming line and field:
// `log.jsonl:3: customer: got "c99", wanted ...`.
absl::StatusOr<RequestLog> LogOfSite(std::span<const LogLine> lines, std::string_view name,
                                     const DispatchSite& site);
// Parses the text of a log. Returns the errors of ParseLogLines and LogOfSite.
absl::StatusOr<RequestLog> ParseRequestLog(std::string_view text, std::string_view name,
                                           const DispatchSite& site);

// Returns the departures that all days of the log share: that of each decision, from the first to
// the last at which a request of any day becomes known. Decisions are made at multiples of
// shape.epoch. Returns kInvalidArgument if shape.epoch or shape.margin is out of range, or there
// would be more than kMaxEpochs decisions.
absl::StatusOr<std::vector<double>> DeparturesOf(const RequestLog& log, const DayShape& shape);

// Returns the day with the given departures, which cover it. A request is known at a decision at or
// after LoggedRequest::at, and may leave `margin` later.
DispatchDay DayOf(const LoggedDay& logged, std::vector<double> departures, double margin);

// Draws the future of a random day of a log: all requests of one draw are of the same day, so that
// their number and their places fit together.
class LogSampler : public RequestSampler {
 public:
  // `excluded` is the index of a day that is never drawn: the one that is being replayed. There
  // must be another one.
  LogSampler(DispatchSite site, std::shared_ptr<const RequestLog> log, double margin,
             std::optional<size_t> excluded = std::nullopt)
      : site_(std::move(site)), log_(std::move(log)), margin_(margin), excluded_(excluded) {}

  std::vector<DispatchRequest> Draw(std::span<const double> departures,
                                    CounterRandom& random) const override;

 private:
  const LoggedDay& DrawDay(CounterRandom& random) const;

  const DispatchSite site_;
  const std::shared_ptr<const RequestLog> log_;
  const double margin_;
  const std::optional<size_t> excluded_;
};

}  // namespace vrp
