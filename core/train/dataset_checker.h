// Checks a user's instances as they arrive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/problem/instance.h"
#include "core/train/dataset_summary.h"
#include "core/train/json_lines.h"

namespace vrp {

// Errors of the lines that are shown; the rest are counted.
inline constexpr int64_t kShownErrors = 20;

// JSON lines as of ParseDataLine, for networks that read nodes as given, which know all that any
// network does. One thread.
class DatasetChecker {
 public:
  // `name` is the file's, for errors.
  explicit DatasetChecker(std::string name) : name_(std::move(name)) {}

  // Checks the lines that are whole. A bad line is remembered, and those after it are checked too.
  // kInvalidArgument, at once: a line that is too long.
  absl::Status Add(std::string_view piece);
  // Checks the last line. kInvalidArgument: the first kShownErrors errors, each as
  // `own.jsonl:17: FIELD: ...`, and how many lines are bad; or there is no instance.
  absl::Status Finish();

  bool sound() const { return bad_lines_ == 0; }
  // Memory of the line that is not whole yet, once `more` bytes have come.
  int64_t RoomFor(size_t more) const { return lines_.RoomFor(more); }
  const DatasetSummary& summary() const { return summary_; }

 private:
  void Check(std::string_view line, int64_t number);
  void Remember(std::string_view message);
  void Count(const Instance& instance, bool labelled, const std::string& where);
  // Leaves the columns that the instance which was counted last has too.
  void CountColumns(const std::vector<FeatureColumn>& features);

  const std::string name_;
  LineSplitter lines_;
  DatasetSummary summary_;
  std::vector<std::string> errors_;
  int64_t bad_lines_ = 0;
};

}  // namespace vrp
