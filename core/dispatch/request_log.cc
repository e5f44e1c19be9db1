#include "core/dispatch/request_log.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/state.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

constexpr char kKeys[] = "day, id, at, customer, demand, window and service";
constexpr std::string_view kRequestPath = "requests[0].";  // in errors of CheckState
// Bounds a line, so that a file that is not a log is refused early.
constexpr JsonLimits kLineLimits = {
    .max_bytes = 1 << 16, .max_depth = 3, .max_containers = 100, .max_values = 10'000};

std::string Shown(const Json& value) {
  return Quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

class LogReader {
 public:
  LogReader(std::string_view name, const DispatchSite& site) : name_(name), site_(site) {
    const Instance& instance = site.instance();
    for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
      customers_.emplace(instance.id(node), node);
    }
  }

  absl::Status Read(int64_t number, std::string_view line) {
    const absl::Status status = ReadObject(line);
    if (status.ok()) return status;
    return absl::Status(status.code(),
                        Concat(name_, ":", number, ": ", FromAbsl(status.message())));
  }

  RequestLog Take() && { return std::move(log_); }

 private:
  static absl::Status Wrong(std::string_view field, std::string_view problem) {
    return absl::InvalidArgumentError(Concat(field, ": ", problem));
  }

  absl::Status ReadObject(std::string_view line) {
    const absl::StatusOr<Json> json = ParseJsonText(line, "line", kLineLimits);
    if (!json.ok() || !json->is_object()) {
      return absl::InvalidArgumentError(Concat("wanted a JSON object with ", kKeys));
    }
    VRP_RETURN_IF_ERROR(CheckKeys(*json));
    VRP_RETURN_IF_ERROR(ReadDay(*json));
    VRP_ASSIGN_OR_RETURN(LoggedRequest logged, ReadRequest(*json));
    log_.back().requests.push_back(std::move(logged));
    return absl::OkStatus();
  }

  static absl::Status CheckKeys(const Json& json) {
    for (const auto& [key, value] : json.items()) {
      if (key != "day" && key != "id" && key != "at" && key != "customer" && key != "demand" &&
          key != "window" && key != "service") {
        return Wrong(Escaped(key), Concat("unknown key, wanted ", kKeys));
      }
    }
    return absl::OkStatus();
  }

  // Returns the text of an id, which may be written as a whole number.
  static absl::StatusOr<std::string> ReadText(const Json& json, const std::string& key) {
    const auto value = json.find(key);
    if (value == json.end()) return Wrong(key, "absent");
    if (value->is_number_integer()) return value->dump();
    if (!value->is_string() || value->get_ref<const std::string&>().empty() ||
        !IsPrintableUtf8(value->get_ref<const std::string&>())) {
      return Wrong(key, Concat("got ", Shown(*value), ", wanted a text that is not empty"));
    }
    return value->get<std::string>();
  }

  static absl::StatusOr<double> ReadNumber(const Json& value, std::string_view key) {
    if (!value.is_number() || std::abs(value.get<double>()) > kMaxMagnitude) {
      return Wrong(key, Concat("got ", Shown(value), ", wanted a number of at most 1e12"));
    }
    return value.get<double>();
  }

  absl::Status ReadDay(const Json& json) {
    VRP_ASSIGN_OR_RETURN(std::string day, ReadText(json, "day"));
    if (!log_.empty() && log_.back().name == day) return absl::OkStatus();
    if (!log_.empty() && day < log_.back().name) {
      return Wrong("day", Concat("got ", Quoted(day), " after ", Quoted(log_.back().name),
                                 ", wanted days in increasing order"));
    }
    ids_.clear();
    log_.push_back({.name = std::move(day)});
    return absl::OkStatus();
  }

  absl::StatusOr<LoggedRequest> ReadRequest(const Json& json) {
    VRP_ASSIGN_OR_RETURN(std::string id, ReadText(json, "id"));
    if (!ids_.insert(id).second) {
      return Wrong("id", Concat("got ", Quoted(id), " again, wanted an id for each request of ",
                                log_.back().name));
    }
    LoggedRequest logged;
    const auto at = json.find("at");
    if (at == json.end()) return Wrong("at", "absent, wanted the time when it became known");
    VRP_ASSIGN_OR_RETURN(logged.at, ReadNumber(*at, "at"));
    VRP_ASSIGN_OR_RETURN(const std::string customer, ReadText(json, "customer"));
    const auto node = customers_.find(customer);
    if (node == customers_.end()) {
      return Wrong("customer",
                   Concat("got ", Quoted(customer), ", wanted the id of a customer of the site"));
    }
    logged.request = site_.RequestOf(node->second, std::move(id));
    VRP_RETURN_IF_ERROR(ReadDetails(json, logged.request));
    return logged;
  }

  absl::Status ReadDetails(const Json& json, DispatchRequest& request) const {
    if (json.contains("demand")) {
      const Json list = json["demand"].is_array() ? json["demand"] : Json::array({json["demand"]});
      request.demand.clear();
      for (const Json& value : list) {
        VRP_ASSIGN_OR_RETURN(const double demand, ReadNumber(value, "demand"));
        request.demand.push_back(demand);
      }
    }
    if (json.contains("window")) {
      const Json& window = json["window"];
      if (!window.is_array() || window.size() != 2) {
        return Wrong("window", Concat("got ", Shown(window), ", wanted [open, close]"));
      }
      VRP_ASSIGN_OR_RETURN(request.window.open, ReadNumber(window[0], "window"));
      VRP_ASSIGN_OR_RETURN(request.window.close, ReadNumber(window[1], "window"));
    }
    if (json.contains("service")) {
      VRP_ASSIGN_OR_RETURN(request.service, ReadNumber(json["service"], "service"));
    }
    const absl::Status valid = CheckState(site_, {.requests = {request}});
    std::string_view message = FromAbsl(valid.message());
    if (message.starts_with(kRequestPath)) message.remove_prefix(kRequestPath.size());
    return absl::Status(valid.code(), ToAbsl(message));
  }

  const std::string_view name_;
  const DispatchSite& site_;
  std::unordered_map<std::string, NodeIndex> customers_;
  std::unordered_set<std::string> ids_;  // of the last day
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

absl::StatusOr<RequestLog> ParseRequestLog(std::string_view text, std::string_view name,
                                           const DispatchSite& site) {
  LogReader reader(name, site);
  int64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(ToAbsl(text), '\n')) {
    ++number;
    const std::string_view content = FromAbsl(absl::StripAsciiWhitespace(line));
    if (!content.empty()) VRP_RETURN_IF_ERROR(reader.Read(number, content));
  }
  RequestLog log = std::move(reader).Take();
  if (log.empty()) {
    return absl::InvalidArgumentError(
        Concat(name, ": no requests, wanted a JSON object per line with ", kKeys));
  }
  return log;
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
