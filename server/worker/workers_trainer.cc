#include "server/worker/workers_trainer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/worker/training_messages.h"
#include "server/worker/worker_host.h"
#include "server/worker/worker_process.h"

namespace vrp {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(50);
// Longest time from the start of the processes to the first call of rank 0.
constexpr absl::Duration kStartLimit = absl::Minutes(1);
// Time for the processes to end by themselves.
constexpr absl::Duration kGrace = absl::Seconds(5);
constexpr absl::Duration kRestartDelay = absl::Seconds(1);

// Returns what the environment of the launcher needs. Open MPI's mpirun refuses to run as root
// without it, as in a container.
std::vector<std::string> LauncherVariables() {
  if (geteuid() != 0) return {};
  return {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
}

// One start of the processes, from their first to their last report.
class WorkersRun {
 public:
  WorkersRun(const TrainingRequest& request, const StopCondition& stop, TrainingObserver& observer,
             absl::Duration patience)
      : request_(request), stop_(stop), observer_(observer), patience_(patience) {}

  // Starts `command` with the options that name the host, and returns the outcome. It is
  // kUnavailable if a process died or hung.
  absl::StatusOr<TrainingResult> Run(std::vector<std::string> command) {
    VRP_ASSIGN_OR_RETURN(host_, WorkerHost::Create(ToMessage(request_, request_.config.workers)));
    for (const std::string& word :
         {std::string("--daemon"), host_->address(), std::string("--token-file"),
          host_->token_file(), std::string("--patience"),
          Concat(absl::ToInt64Seconds(patience_))}) {
      command.push_back(word);
    }
    VRP_ASSIGN_OR_RETURN(process_, WorkerProcess::Start(command, LauncherVariables()));
    started_ = SteadyNow();
    absl::Status failure;
    while (failure.ok() && !host_->outcome().has_value()) failure = Follow();
    // The last reports may have arrived after the last look.
    PassEvents(absl::ZeroDuration());
    if (host_->outcome().has_value()) {
      WaitForEnd();
      return FromMessage(*host_->outcome());
    }
    process_->Stop(kGrace);
    return failure;
  }

 private:
  // Passes reports and orders on for a moment. Returns why there will be no outcome, if so.
  absl::Status Follow() {
    const std::optional<std::string> ended = process_->Ended();
    PassEvents(kPoll);
    host_->Order(stop_.ShouldStop(),
                 request_.end_early != nullptr && request_.end_early->cancelled());
    if (host_->outcome().has_value()) return absl::OkStatus();
    if (ended.has_value()) {
      return absl::UnavailableError(Concat("the workers ended with ", *ended, OutputText()));
    }
    VRP_RETURN_IF_ERROR(CheckSilence());
    VRP_RETURN_IF_ERROR(CheckStop());
    if (request_.live != nullptr && request_.live->Waits()) ServeLive();
    return absl::OkStatus();
  }

  // Returns kCancelled if rank 0 reports but does not end although it was asked to.
  absl::Status CheckStop() {
    if (!stop_.ShouldStop()) return absl::OkStatus();
    if (stopped_ == absl::InfiniteFuture()) stopped_ = SteadyNow();
    const bool patient = SteadyNow() - stopped_ < patience_;
    return patient ? absl::OkStatus() : absl::CancelledError("the workers did not end in time");
  }

  absl::Status CheckSilence() {
    const absl::Time heard = std::max(started_, host_->last_call());
    const absl::Duration limit =
        host_->last_call() > started_ ? patience_ : std::max(patience_, kStartLimit);
    const absl::Duration silence = SteadyNow() - heard;
    if (silence < limit) return absl::OkStatus();
    return absl::UnavailableError(
        Concat("rank 0 has not reported for ",
               absl::FormatDuration(absl::Trunc(silence, absl::Seconds(1))), OutputText()));
  }

  void PassEvents(absl::Duration timeout) {
    for (const worker::Event& event : host_->TakeEvents(timeout)) {
      Deliver(event, observer_).IgnoreError();  // both sides are of one build
    }
  }

  // Serves the waiting requests for live models, one after the other.
  void ServeLive() {
    request_.live->Serve([this](const std::string& directory) -> absl::StatusOr<TrainingResult> {
      while (true) {
        const auto answer = host_->AskLive(directory, kPoll);
        if (answer.has_value()) return *answer;
        const bool over = process_->Ended().has_value() || host_->outcome().has_value();
        const absl::Status silent = CheckSilence();
        if (over || !silent.ok()) {
          return absl::UnavailableError("the workers ended before they wrote the model; try again");
        }
        PassEvents(absl::ZeroDuration());
      }
    });
    host_->EndLive(absl::OkStatus());
  }

  void WaitForEnd() {
    const absl::Time limit = SteadyNow() + kGrace;
    while (!process_->Ended() && SteadyNow() < limit) absl::SleepFor(kPoll);
    process_->Stop(kGrace);
  }

  std::string OutputText() {
    const std::string lines = process_->LastLines();
    return lines.empty() ? "" : Concat("; their last output:\n", lines);
  }

  const TrainingRequest& request_;
  const StopCondition& stop_;
  TrainingObserver& observer_;
  const absl::Duration patience_;
  std::unique_ptr<WorkerHost> host_;
  std::unique_ptr<WorkerProcess> process_;
  absl::Time started_;
  absl::Time stopped_ = absl::InfiniteFuture();  // when the end was asked for
};

}  // namespace

std::string WorkerProgramPath() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "vrp_worker";
}

std::vector<std::string> WorkersTrainer::Command(int32_t workers) const {
  std::vector<std::string> words = absl::StrSplit(options_.launcher, ' ', absl::SkipEmpty());
  for (std::string& word : words)
    word = absl::StrReplaceAll(word, {{"{workers}", Concat(workers)}});
  words.push_back(options_.program);
  return words;
}

absl::Status WorkersTrainer::CheckWorkers(const TrainingRequest& request) const {
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(
        Concat("training.workers: got ", request.config.workers, ", but ", why));
  };
  if (request.device.kind != DeviceKind::kCpu) {
    return refuse(Concat("several workers train on CPUs only, and the device is ",
                         request.device.ToString(), "; submit the job with device cpu"));
  }
  if (!FindProgram(options_.program)) {
    return refuse(
        Concat(options_.program, " is missing; build vrpd where libopenmpi-dev is installed"));
  }
  const std::string launcher = Command(request.config.workers).front();
  if (FindProgram(launcher)) return absl::OkStatus();
  return refuse(Concat(launcher,
                       " is not installed; install it (apt-get install openmpi-bin) or name ",
                       "another command by vrpd's option worker_launcher"));
}

absl::Status WorkersTrainer::CheckInputs(const TrainingRequest& request) const {
  if (request.config.workers > 1) VRP_RETURN_IF_ERROR(CheckWorkers(request));
  return trainer_.CheckInputs(request);
}

absl::StatusOr<TrainingResult> WorkersTrainer::Train(const TrainingRequest& request,
                                                     const StopCondition& stop,
                                                     TrainingObserver& observer) {
  if (request.config.workers == 1) return trainer_.Train(request, stop, observer);
  VRP_RETURN_IF_ERROR(CheckWorkers(request));
  const absl::Time begun = SteadyNow();
  TrainingRequest rest = request;
  VRP_ASSIGN_OR_RETURN(int64_t step, ResumeStep(request.checkpoint_directory));
  int starts = 0;
  while (true) {
    rest.time_limit = std::max(request.time_limit - (SteadyNow() - begun), absl::ZeroDuration());
    const absl::StatusOr<TrainingResult> result =
        WorkersRun(rest, stop, observer, options_.patience).Run(Command(request.config.workers));
    if (!absl::IsUnavailable(result.status())) return result;
    if (stop.ShouldStop()) return absl::CancelledError("cancelled");
    VRP_ASSIGN_OR_RETURN(const int64_t newest, ResumeStep(request.checkpoint_directory));
    starts = newest > step ? 1 : starts + 1;
    step = newest;
    if (starts >= kMaxWorkerStarts) return result;
    observer.OnLog(
        Concat(FromAbsl(result.status().message()), "\nstarts the workers again from step ", step));
    absl::SleepFor(kRestartDelay);
  }
}

}  // namespace vrp
