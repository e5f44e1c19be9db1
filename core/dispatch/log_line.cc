#include "core/dispatch/log_line.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/state.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

constexpr char kLogKeys[] = "day, id, at, customer, demand, window and service";
// A plan has at most kMaxNodes nodes, one of which is the depot.
constexpr size_t kMaxRequestsPerDay = kMaxNodes - 1;
// Bounds a line, so that a file that is not a log is refused early.
constexpr JsonLimits kLineLimits = {
    .max_bytes = 1 << 16, .max_depth = 3, .max_containers = 100, .max_values = 10'000};

std::string ShownJson(const Json& value) {
  return Quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

absl::Status WrongField(std::string_view field, std::string_view problem) {
  return absl::InvalidArgumentError(Concat(field, ": ", problem));
}

absl::Status CheckLogKeys(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (key != "day" && key != "id" && key != "at" && key != "customer" && key != "demand" &&
        key != "window" && key != "service") {
      return WrongField(Escaped(key), Concat("unknown key, wanted ", kLogKeys));
    }
  }
  return absl::OkStatus();
}

// Returns the text of an id, which may be written as a whole number.
absl::StatusOr<std::string> ReadId(const Json& json, const std::string& key) {
  const auto value = json.find(key);
  if (value == json.end()) return WrongField(key, "absent");
  if (value->is_number_integer()) return value->dump();
  if (!value->is_string() || value->get_ref<const std::string&>().empty() ||
      !IsPrintableUtf8(value->get_ref<const std::string&>())) {
    return WrongField(key, Concat("got ", ShownJson(*value), ", wanted a text that is not empty"));
  }
  return value->get<std::string>();
}

absl::StatusOr<double> ReadNumber(const Json& value, std::string_view key) {
  if (!value.is_number() || std::abs(value.get<double>()) > kMaxMagnitude) {
    return WrongField(key, Concat("got ", ShownJson(value), ", wanted a number of at most 1e12"));
  }
  return value.get<double>();
}

absl::Status ReadDemand(const Json& json, LogLine& line) {
  const Json list = json.is_array() ? json : Json::array({json});
  line.demand.emplace();
  for (const Json& value : list) {
    VRP_ASSIGN_OR_RETURN(const double demand, ReadNumber(value, "demand"));
    line.demand->push_back(demand);
  }
  return absl::OkStatus();
}

absl::Status ReadWindow(const Json& json, LogLine& line) {
  if (!json.is_array() || json.size() != 2) {
    return WrongField("window", Concat("got ", ShownJson(json), ", wanted [open, close]"));
  }
  line.window.emplace();
  VRP_ASSIGN_OR_RETURN(line.window->open, ReadNumber(json[0], "window"));
  VRP_ASSIGN_OR_RETURN(line.window->close, ReadNumber(json[1], "window"));
  return absl::OkStatus();
}

// Reads and checks demand, window and service time.
absl::Status ReadDetails(const Json& json, LogLine& line) {
  if (json.contains("demand")) VRP_RETURN_IF_ERROR(ReadDemand(json["demand"], line));
  if (json.contains("window")) VRP_RETURN_IF_ERROR(ReadWindow(json["window"], line));
  if (json.contains("service")) {
    VRP_ASSIGN_OR_RETURN(line.service, ReadNumber(json["service"], "service"));
  }
  return CheckAmounts({.demand = line.demand.value_or(std::vector<double>()),
                       .window = line.window.value_or(TimeWindow()),
                       .service = line.service.value_or(0)});
}

absl::StatusOr<Json> ParseLogLine(std::string_view line) {
  absl::StatusOr<Json> json = ParseJsonText(line, "line", kLineLimits);
  if (json.ok() && json->is_object()) return json;
  return absl::InvalidArgumentError(Concat("wanted a JSON object with ", kLogKeys));
}

}  // namespace

bool LogLineReader::Recognises(std::string_view line) {
  const absl::StatusOr<Json> json = ParseLogLine(line);
  return json.ok() && (json->contains("day") || json->contains("at") || json->contains("customer"));
}

absl::StatusOr<LogLine> LogLineReader::Read(std::string_view line) {
  VRP_ASSIGN_OR_RETURN(const Json json, ParseLogLine(line));
  VRP_RETURN_IF_ERROR(CheckLogKeys(json));
  LogLine read;
  VRP_ASSIGN_OR_RETURN(read.day, ReadId(json, "day"));
  VRP_ASSIGN_OR_RETURN(read.id, ReadId(json, "id"));
  VRP_RETURN_IF_ERROR(CheckOrder(read));
  const auto at = json.find("at");
  if (at == json.end()) return WrongField("at", "absent, wanted the time when it became known");
  VRP_ASSIGN_OR_RETURN(read.at, ReadNumber(*at, "at"));
  VRP_ASSIGN_OR_RETURN(read.customer, ReadId(json, "customer"));
  VRP_RETURN_IF_ERROR(ReadDetails(json, read));
  if (days_ == 0 || read.day != day_) {
    ids_.clear();
    day_ = read.day;
    ++days_;
  }
  ids_.insert(read.id);
  ++requests_;
  return read;
}

absl::Status LogLineReader::CheckOrder(const LogLine& line) const {
  if (requests_ >= kMaxLoggedRequests) {
    return absl::InvalidArgumentError(Concat("has more than ", kMaxLoggedRequests,
                                             " requests, the limit of a log; give fewer days"));
  }
  if (days_ == 0 || line.day > day_) return absl::OkStatus();
  if (line.day < day_) {
    return WrongField("day", Concat("got ", Quoted(line.day), " after ", Quoted(day_),
                                    ", wanted days in increasing order"));
  }
  if (ids_.contains(line.id)) {
    return WrongField(
        "id", Concat("got ", Quoted(line.id), " again, wanted an id for each request of ", day_));
  }
  if (ids_.size() < kMaxRequestsPerDay) return absl::OkStatus();
  return WrongField("day", Concat("got more than ", kMaxRequestsPerDay, " requests of ",
                                  Quoted(day_), ", the largest number of a plan"));
}

absl::Status LogLineError(std::string_view name, int64_t number, const absl::Status& status) {
  return absl::Status(status.code(), Concat(name, ":", number, ": ", FromAbsl(status.message())));
}

absl::StatusOr<std::vector<LogLine>> ParseLogLines(std::string_view text, std::string_view name) {
  std::vector<LogLine> lines;
  LogLineReader reader;
  int64_t number = 0;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), '\n')) {
    ++number;
    const std::string_view content = FromAbsl(absl::StripAsciiWhitespace(part));
    if (content.empty()) continue;
    absl::StatusOr<LogLine> line = reader.Read(content);
    if (!line.ok()) return LogLineError(name, number, line.status());
    line->number = number;
    lines.push_back(*std::move(line));
  }
  if (!lines.empty()) return lines;
  return absl::InvalidArgumentError(
      Concat(name, ": no requests, wanted a JSON object per line with ", kLogKeys));
}

}  // namespace vrp
