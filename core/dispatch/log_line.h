// Lines of request logs, as they are in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// Largest number of requests of a log.
inline constexpr int64_t kMaxLoggedRequests = 1'000'000;

// A request of a log, before its customer is looked up at a site. Absent values are the customer's.
struct LogLine {
  int64_t number = 0;  // of the line in its file, from 1
  std::string day = {};
  std::string id = {};
  double at = 0;  // time when it became known
  std::string customer = {};
  std::optional<std::vector<double>> demand = {};
  std::optional<TimeWindow> window = {};
  std::optional<double> service = {};
};

// A reader of a log, line by line:
//   {"day": "2026-11-02", "id": "a17", "at": 28800, "customer": "c12", "demand": 3,
//    "window": [30000, 36000], "service": 120}
// `demand` is a number or an array with one number per load dimension. Demand, window and service
// time are optional. Not thread-safe.
class LogLineReader {
 public:
  // Whether `line` is a line of a log and not an instance: a JSON object with `day`, `at` or
  // `customer`.
  static bool Recognises(std::string_view line);

  // Reads the next line, which is not blank. Checks what does not depend on the site: the keys, the
  // order of the days, that ids are unique within their day, and the ranges of the numbers. Returns
  // kInvalidArgument that begins with the field: `day: got "2026-11-01" after "2026-11-02", ...`.
  // A refused line changes nothing.
  absl::StatusOr<LogLine> Read(std::string_view line);

  int64_t days() const { return days_; }
  int64_t requests() const { return requests_; }

 private:
  absl::Status CheckOrder(const LogLine& line) const;

  std::string day_;                      // the last one
  std::unordered_set<std::string> ids_;  // of the last day
  int64_t days_ = 0;
  int64_t requests_ = 0;
};

// Parses a whole log, `name` in errors. Returns kInvalidArgument naming line and field:
// `log.jsonl:3: day: got ...`, or if the log has no requests.
absl::StatusOr<std::vector<LogLine>> ParseLogLines(std::string_view text, std::string_view name);
// Returns an error about a line of the file `name`, with both before its message.
absl::Status LogLineError(std::string_view name, int64_t number, const absl::Status& status);

}  // namespace vrp
