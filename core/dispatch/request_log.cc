#include "core/dispatch/request_log.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/state.h"

namespace vrp {
namespace {

// Looks up the customers of a log at its site.
class LogBinder {
 public:
  explicit LogBinder(const DispatchSite& site) : site_(site) {
    const Instance& instance = site.instance();
    for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
      customers_.emplace(instance.id(node), node);
    }
  }

  absl::Status Add(const LogLine& line) {
    const auto node = customers_.find(line.customer);
    if (node == customers_.end()) {
      return absl::InvalidArgumentError(Concat("customer: got ", Quoted(line.customer),
                                               ", wanted the id of a customer of the site"));
    }
    LoggedRequest logged = {.at = line.at, .request = site_.RequestOf(node->second, line.id)};
    if (line.demand.has_value()) logged.request.demand = *line.demand;
    if (line.window.has_value()) logged.request.window = *line.window;
    if (line.service.has_value()) logged.request.service = *line.service;
    VRP_RETURN_IF_ERROR(CheckRequest(site_, logged.request));
    if (log_.empty() || log_.back().name != line.day) log_.push_back({.name = line.day});
    log_.back().requests.push_back(std::move(logged));
    return absl::OkStatus();
  }

  RequestLog Take() && { return std::move(log_); }

 private:
  const DispatchSite& site_;
  std::unordered_map<std::string, NodeIndex> customers_;
  RequestLog log_;
};

// Returns the number of the first decision, counted in epochs from time 0, at which a request is
// known.
double EpochOf(double at, double epoch) { return std::max(0.0, std::ceil(at / epoch)); }

// Returns the first departure for which a request is known in time; the last one if there is none.
double DepartureOf(double at, std::span<const double> departures, double margin) {
  const auto found = std::find_if(departures.begin(), departures.end(),
                                  [&](double departure) { return at <= departure - margin; });
  return found == departures.end() ? departures.back() : *found;
}

}  // namespace

absl::StatusOr<RequestLog> LogOfSite(std::span<const LogLine> lines, std::string_view name,
                                     const DispatchSite& site) {
  LogBinder binder(site);
  for (const LogLine& line : lines) {
    const absl::Status added = binder.Add(line);
    if (!added.ok()) return LogLineError(name, line.number, added);
  }
  return std::move(binder).Take();
}

absl::StatusOr<RequestLog> ParseRequestLog(std::string_view text, std::string_view name,
                                           const DispatchSite& site) {
  VRP_ASSIGN_OR_RETURN(const std::vector<LogLine> lines, ParseLogLines(text, name));
  return LogOfSite(lines, name, site);
}

absl::StatusOr<std::vector<double>> DeparturesOf(const RequestLog& log, const DayShape& shape) {
  if (!(shape.epoch > 0) || !(shape.margin >= 0)) {
    return absl::InvalidArgumentError("epoch must be above 0 and margin at least 0");
  }
  double first = kNoLimit;
  double last = 0;
  for (const LoggedDay& day : log) {
    for (const LoggedRequest& logged : day.requests) {
      first = std::min(first, EpochOf(logged.at, shape.epoch));
      last = std::max(last, EpochOf(logged.at, shape.epoch));
    }
  }
  if (last - first >= kMaxEpochs) {
    return absl::InvalidArgumentError(Concat("epoch: got ", shape.epoch,
                                             ", with which the days have ", last - first + 1,
                                             " decisions, wanted at most ", kMaxEpochs));
  }
  std::vector<double> departures;
  for (int32_t i = 0; i <= static_cast<int32_t>(last - first); ++i) {
    departures.push_back((first + i) * shape.epoch + shape.margin);
  }
  return departures;
}

DispatchDay DayOf(const LoggedDay& logged, std::vector<double> departures, double margin) {
  DispatchDay day = {.name = logged.name, .departures = std::move(departures)};
  for (const LoggedRequest& one : logged.requests) {
    day.requests.push_back(one.request);
    day.requests.back().release = DepartureOf(one.at, day.departures, margin);
  }
  return day;
}

std::vector<DispatchRequest> LogSampler::Draw(std::span<const double> departures,
                                              CounterRandom& random) const {
  std::vector<DispatchRequest> drawn;
  if (departures.size() < 2) return drawn;
  for (const LoggedRequest& logged : DrawDay(random).requests) {
    const bool is_known = logged.at <= departures.front() - margin_;
    if (is_known || logged.at > departures.back() - margin_) continue;
    DispatchRequest request = logged.request;
    request.release = DepartureOf(logged.at, departures, margin_);
    if (site_.ReachesDirectly(request, request.release)) drawn.push_back(std::move(request));
  }
  return drawn;
}

const LoggedDay& LogSampler::DrawDay(CounterRandom& random) const {
  const auto days = static_cast<int64_t>(log_->size());
  auto day = static_cast<size_t>(random.UniformInt(0, days - (excluded_.has_value() ? 2 : 1)));
  if (excluded_.has_value() && day >= *excluded_) ++day;
  return (*log_)[day];
}

}  // namespace vrp
