// Formats progress in one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns a text such as "-4.10 % vs nearest neighbour"; empty without a validation gap.
std::string GapText(const v1::TrainingProgress& progress);

// Returns a line such as "epoch 2/10  step 37/250  loss 1.25  cost 6.91  val 6.32 (-4.10 % vs
// nearest neighbour) 1234 instances/s  0.104 s/step  26.4 s/epoch  ETA 1m20s".
std::string PlainProgressLine(const v1::TrainingProgress& progress,
                              std::optional<absl::Duration> remaining);

// Returns a bar, a percentage and the values of PlainProgressLine, in at most `width` columns.
// Drops the least important values first.
std::string ProgressBarLine(const v1::TrainingProgress& progress,
                            std::optional<absl::Duration> remaining, int width);

// Returns a bar such as "[=====>    ]  56%  of 120 MiB" in at most `width` columns.
std::string BytesBarLine(int64_t done, int64_t total, int width);

// Returns a bar such as "[=====>    ]  40%  TEXT" in at most `width` columns.
std::string TextBarLine(int64_t done, int64_t total, std::string_view text, int width);

// Returns a bar such as "[=====>    ]  40%  2 of 5 days" in at most `width` columns.
std::string CountBarLine(int64_t done, int64_t total, std::string_view noun, int width);

// An estimator of the remaining time from the mean pace so far, including validations.
class RemainingTime {
 public:
  // Takes each event of an attempt in order and returns the remaining time. Returns nullopt until
  // an event has a later step than the first one, and if the total number of steps is unknown.
  std::optional<absl::Duration> Update(const v1::TrainingProgress& progress, absl::Time time);
  // Forgets the pace of the previous attempt.
  void Restart() { first_step_ = 0; }

 private:
  int64_t first_step_ = 0;  // 0 before the first event
  absl::Time first_time_;
};

}  // namespace vrp::client
