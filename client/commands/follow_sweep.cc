#include "client/commands/follow_sweep.h"

#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/connection/model_kind.h"
#include "client/output/event_sinks.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "nlohmann/json.hpp"
#include "vrp/v1/sweep_service.grpc.pb.h"

namespace vrp::client {
namespace {

using SweepEvent = v1::WatchSweepResponse;

// Returns a text such as "trial 2, epoch 3/10, val 6.7072".
std::string TrialProgressText(const v1::TrialProgressEvent& event) {
  const v1::TrainingProgress& progress = event.progress();
  std::string text = absl::StrCat("trial ", event.trial(), ", epoch ", progress.epoch(), "/",
                                  progress.total_epochs());
  if (progress.has_validation_cost()) {
    absl::StrAppendFormat(&text, ", val %.4f", progress.validation_cost());
  }
  return text;
}

// Returns the line of an event other than progress; empty for unknown events of a newer daemon.
std::string SweepEventLine(const SweepEvent& event) {
  switch (event.event_case()) {
    case SweepEvent::kState:
      return StateLine(event.state());
    case SweepEvent::kLog:
      return WithoutControls(event.log().line());
    case SweepEvent::kTrial:
      return WithoutControls(TrialText(event.trial()));
    case SweepEvent::kResumedAfter:
      return absl::StrCat("resumed (attempt ", event.attempt(), ")");
    case SweepEvent::kResult:
      return absl::StrCat("trial ", event.result().best_trial(),
                          " is the best: ", event.result().model());
    default:
      return "";
  }
}

// A sink that prints one line per event, and on a terminal a bar below them.
class SweepLinesSink final : public SweepEventSink {
 public:
  SweepLinesSink(Environment& environment, int32_t trials)
      : bottom_(environment), has_bar_(environment.terminal_width().has_value()), trials_(trials) {}

  void OnEvent(const SweepEvent& event) override {
    if (event.has_progress()) {
      progress_ = TrialProgressText(event.progress());
      if (!has_bar_) Print(progress_);
    } else {
      Print(SweepEventLine(event));
    }
    if (event.has_trial() && IsFinal(event.trial().state())) ended_.insert(event.trial().number());
    if (has_bar_ && (event.has_trial() || event.has_progress())) DrawBar();
    OnHeartbeat(event);
  }
  void OnHeartbeat(const SweepEvent& heartbeat) override {
    Print(queue_.Line(heartbeat.queue_position()));
  }
  void OnConnectionLost(const absl::Status& status) override { Print(ConnectionLostLine(status)); }
  void OnReconnected() override { Print(kReconnectedLine); }
  void OnEnd() override { bottom_.End(); }

 private:
  void DrawBar() {
    bottom_.Draw([this](int width) {
      const std::string noun = progress_.empty() ? "trials" : absl::StrCat("trials; ", progress_);
      return CountBarLine(static_cast<int64_t>(ended_.size()), trials_, noun, width);
    });
  }
  void Print(const std::string& line) {
    if (!line.empty()) bottom_.PrintAbove(line);
  }

  BottomLine bottom_;
  const bool has_bar_;
  const int32_t trials_;
  std::set<int32_t> ended_;  // numbers of the trials that have ended
  std::string progress_;     // of the trial that reported last
  QueuePosition queue_;
};

absl::StatusOr<v1::Sweep> FetchSweep(CommandContext& context, const std::string& name) {
  v1::GetSweepRequest request;
  request.set_name(name);
  return context.client().Call(&v1::SweepService::Stub::GetSweep, request);
}

std::unique_ptr<SweepEventSink> MakeSweepSink(CommandContext& context, const std::string& name) {
  if (context.json()) return std::make_unique<JsonLineSink<SweepEvent>>(context.environment());
  const absl::StatusOr<v1::Sweep> sweep = FetchSweep(context, name);
  return std::make_unique<SweepLinesSink>(context.environment(),
                                          sweep.ok() ? sweep->trial_count() : 0);
}

void PrintHowToWatchOrStopSweep(CommandContext& context, const std::string& name) {
  const std::string arguments = absl::StrCat(name, " --remote ", context.client().remote());
  context.err() << "the sweep continues; watch it again: vrpctl sweeps watch " << arguments
                << "\nend it with its best trial: vrpctl sweeps stop " << arguments << std::endl;
}

}  // namespace

ExitCode FollowSweep(CommandContext& context, const WatchOptions& options) {
  const std::unique_ptr<SweepEventSink> sink = MakeSweepSink(context, options.name);
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, *sink);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    PrintHowToWatchOrStopSweep(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  const bool succeeded = outcome->state == v1::JOB_STATE_SUCCEEDED;
  if (!context.json()) {
    const absl::StatusOr<v1::Sweep> sweep = FetchSweep(context, options.name);
    if (!sweep.ok()) return context.Fail(sweep.status(), options.name);
    context.out() << TrialsText(*sweep);
    if (succeeded) context.out() << UseLine(context.client(), sweep->model()) << std::endl;
  }
  if (succeeded) return kExitDone;
  context.err() << "vrpctl: " << options.name << " " << JobStateWord(outcome->state)
                << (outcome->error.empty() ? "" : ": ") << outcome->error << std::endl;
  return kExitFailed;
}

}  // namespace vrp::client
