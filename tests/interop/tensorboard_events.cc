// Usage: tensorboard_events FOLDER. Writes two event files, like a job that is killed after step 5
// and resumed from step 3. The first file ends in the middle of a record.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <limits>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_scalars.h"
#include "core/jobs/tensorboard_writer.h"

namespace vrp {
namespace {

constexpr int64_t kStart = 1'800'000'000;  // Unix time in seconds

absl::Status WriteAttempt(const std::string& folder, int32_t attempt, int64_t first, int64_t last) {
  const int64_t seconds = kStart + 100 * attempt;
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<TensorBoardWriter> writer,
                       TensorBoardWriter::Open({.folder = folder,
                                                .time = absl::FromUnixSeconds(seconds),
                                                .attempt = attempt,
                                                .resumed_from = first - 1}));
  TrainingTotals before;
  for (int64_t step = first; step <= last; ++step) {
    TrainingProgress progress{.step = step, .loss = -0.5 * static_cast<double>(step)};
    progress.train_cost = 100 * attempt + static_cast<double>(step);
    progress.validation_cost = std::numeric_limits<double>::quiet_NaN();
    progress.learning_rate = 1e-4;
    progress.device_memory_used_bytes = int64_t{3} << 29;
    progress.totals.steps = step - first + 1;
    progress.totals.phase_seconds[0] = 0.002 * static_cast<double>(progress.totals.steps);
    VRP_RETURN_IF_ERROR(writer->Add(absl::FromUnixSeconds(seconds + step), step,
                                    ProgressScalars(progress, before)));
    before = progress.totals;
  }
  return absl::OkStatus();
}

// Removes the last 7 bytes of each file of `folder`, as a crash during a write would.
absl::Status TruncateFiles(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (truncate(entry.path().c_str(), static_cast<off_t>(entry.file_size()) - 7) != 0) {
      return absl::ErrnoToStatus(errno, Concat("cannot truncate ", entry.path().string()));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteRun(const std::string& folder) {
  VRP_RETURN_IF_ERROR(WriteAttempt(folder, 1, 1, 5));
  VRP_RETURN_IF_ERROR(TruncateFiles(folder));
  return WriteAttempt(folder, 2, 4, 6);
}

}  // namespace
}  // namespace vrp

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: tensorboard_events FOLDER\n";
    return 2;
  }
  const absl::Status status = vrp::WriteRun(arguments[1]);
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
