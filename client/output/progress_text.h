// A training job's progress in one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// Returns "-4.10 % vs nearest neighbour"; empty before the first validation.
std::string GapText(const v1::TrainingProgress& progress);

// "epoch 2/10  step 37/250  loss 1.25  cost 6.91  val 6.32 (-4.10 % vs nearest neighbour)  1234
// instances/s  0.104 s/step  26.4 s/epoch  ETA 1m20s"
std::string PlainProgressLine(const v1::TrainingProgress& progress,
                              std::optional<absl::Duration> remaining);

// The same with a bar in front, exactly as many columns or fewer as `width`: what matters least is
// left out first.
std::string ProgressBarLine(const v1::TrainingProgress& progress,
                            std::optional<absl::Duration> remaining, int width);

// "[=====>    ]  56%  of 120 MiB", in at most `width` columns.
std::string BytesBarLine(int64_t done, int64_t total, int width);

// How long the rest will take at the mean pace so far, which includes the pauses for validation.
class RemainingTime {
 public:
  // Of one attempt; call with each event, in order. Nothing before the second one.
  std::optional<absl::Duration> Update(const v1::TrainingProgress& progress, absl::Time time);
  // The job was started anew.
  void Restart() { first_step_ = 0; }

 private:
  int64_t first_step_ = 0;  // seen; 0: none yet
  absl::Time first_time_;
};

}  // namespace vrp::client
