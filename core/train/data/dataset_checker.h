// A checker of a user's instances, request log or history of routes, as they arrive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/dispatch/log_line.h"
#include "core/habits/route_line.h"
#include "core/problem/instance/instance.h"
#include "core/train/data/dataset_summary.h"
#include "core/train/data/json_lines.h"

namespace vrp {

// Largest number of errors that are shown. Lines with further errors are only counted.
inline constexpr int64_t kShownErrors = 20;

// A checker of JSON lines. The first line tells whether they are a history of routes, which
// RouteLineReader checks, a request log, which LogLineReader checks, or instances. Of these it
// calls ParseDataLine with NodeOrder::kAsGiven, which accepts every instance that some network
// accepts. The longest line, the ids of a day or the drivers bound the memory, however many lines
// are bad. Not thread-safe.
class DatasetChecker {
 public:
  // Makes a checker. `name` is the file's name in errors.
  explicit DatasetChecker(std::string name) : name_(std::move(name)) {}

  // Checks the complete lines, including those after a bad one. Returns kInvalidArgument
  // immediately if a line is too long.
  absl::Status Add(std::string_view piece);
  // Checks the last line. Returns kInvalidArgument if lines are bad or there is none. The error has
  // the first kShownErrors errors, each as `own.jsonl:17: FIELD: ...`. If there are more errors,
  // the message also has the number of bad lines.
  absl::Status Finish();

  // Whether no line is bad so far.
  bool valid() const { return bad_lines_ == 0; }
  // Returns the largest possible size of the incomplete line, in bytes, once `more` bytes have
  // arrived.
  int64_t BufferedBytes(size_t more) const { return lines_.BufferedBytes(more); }
  const DatasetSummary& summary() const { return summary_; }

 private:
  // Checks one line. Always returns true, to see all lines.
  absl::StatusOr<bool> CheckLine(std::string_view line, int64_t number);
  absl::Status CheckInstance(std::string_view line, const std::string& where);
  absl::Status CheckRequest(std::string_view line, const std::string& where);
  absl::Status CheckRoute(std::string_view line, const std::string& where);
  absl::Status CheckOfKind(std::string_view line, const std::string& where);
  void RecordErrors(std::string_view message);
  void Count(const Instance& instance, bool labelled, const std::string& where);
  // Keeps only the columns that the instance counted last also has.
  void CountColumns(const std::vector<FeatureColumn>& features);

  const std::string name_;
  LineSplitter lines_;
  DatasetSummary summary_;
  bool begun_ = false;  // whether there was a line, which determines summary_.kind
  LogLineReader log_;
  RouteLineReader history_;
  std::vector<std::string> errors_;  // at most kShownErrors
  bool all_recorded_ = true;         // whether errors_ has every error
  int64_t bad_lines_ = 0;
};

}  // namespace vrp
