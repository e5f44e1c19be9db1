// Trains from a configuration without the daemon. Prints a JSON line for each epoch with the
// validation, the throughput and the time of each phase. Usage: train_bench CONFIG FOLDER THREADS
// [device=DEVICE] [KEY.PATH=VALUE ...]
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/device/device.h"
#include "core/train/make_trainer.h"

namespace vrp {
namespace {

[[noreturn]] void ExitWith(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <typename T>
T ValueOrExit(absl::StatusOr<T> value) {
  if (!value.ok()) ExitWith(value.status());
  return *std::move(value);
}

class Printer final : public TrainingObserver {
 public:
  void OnLog(std::string_view line) override {
    std::fprintf(stderr, "%6.1f s  %s\n", absl::ToDoubleSeconds(absl::Now() - start_),
                 std::string(line).c_str());
  }
  void OnProgress(const TrainingProgress& progress) override {
    if (!progress.end_of_epoch) return;
    const double seconds = progress.totals.seconds - before_.seconds;
    std::printf(
        "{\"what\": \"train_epoch\", \"epoch\": %ld, \"loss\": %.5f, \"train_cost\": %.4f, "
        "\"validation_cost\": %.4f, \"reference\": %.4f, \"gap_percent\": %.2f, \"seconds\": %.3f, "
        "\"instances_per_s\": %.1f, \"pass_difference\": %.1e",
        static_cast<long>(progress.epoch), progress.loss, progress.train_cost,
        progress.validation_cost, progress.validation_reference, 100 * progress.validation_gap,
        seconds, static_cast<double>(progress.totals.instances - before_.instances) / seconds,
        progress.pass_difference);
    for (size_t i = 0; i < kPhaseNames.size(); ++i) {
      std::printf(", \"%s_s\": %.3f", std::string(kPhaseNames[i]).c_str(),
                  progress.totals.phase_seconds[i] - before_.phase_seconds[i]);
    }
    std::printf("}\n");
    std::fflush(stdout);
    before_ = progress.totals;
  }
  void OnCheckpoint(int64_t) override {}

 private:
  const absl::Time start_ = absl::Now();
  TrainingTotals before_;
};

// Returns the training request of the arguments, and creates its folders.
TrainingRequest RequestOf(std::span<char* const> arguments) {
  constexpr std::string_view kDevice = "device=";
  TrainingRequest request;
  std::span<char* const> keys = arguments.subspan(3);
  if (!keys.empty() && std::string_view(keys[0]).starts_with(kDevice)) {
    request.device = ValueOrExit(ResolveDevice(keys[0] + kDevice.size()));
    keys = keys.subspan(1);
  }
  request.config =
      ValueOrExit(ParseTrainingConfig(ValueOrExit(ReadFile(arguments[0])), arguments[0],
                                      ConfigOverrides(keys.begin(), keys.end())));
  const std::string folder = arguments[1];
  request.job_name = "bench";
  request.checkpoint_directory = Concat(folder, "/checkpoint");
  request.model_directory = Concat(folder, "/model");
  for (const std::string& path : {request.checkpoint_directory, request.model_directory}) {
    if (absl::Status status = EnsureDirectory(path); !status.ok()) ExitWith(status);
  }
  return request;
}

int Main(int argc, char** argv) {
  int threads = 0;
  if (argc < 4 || !absl::SimpleAtoi(argv[3], &threads) || threads < 1) {
    std::fprintf(stderr,
                 "usage: train_bench CONFIG FOLDER THREADS [device=DEVICE] [KEY.PATH=VALUE ...]\n");
    return 2;
  }
  TrainingRequest request = RequestOf({argv + 1, static_cast<size_t>(argc - 1)});
  request.threads = threads;
  Printer printer;
  const absl::Time start = absl::Now();
  const TrainingResult result = ValueOrExit(MakeTrainer()->Train(request, {}, printer));
  std::printf(
      "{\"what\": \"train\", \"seconds\": %.1f, \"steps\": %ld, \"validation_cost\": %.4f, "
      "\"reference\": %.4f}\n",
      absl::ToDoubleSeconds(absl::Now() - start), static_cast<long>(result.steps),
      result.validation_cost, result.validation_reference);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
