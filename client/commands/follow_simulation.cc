#include "client/commands/follow_simulation.h"

#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/output/event_sinks.h"
#include "client/output/gap_plot.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/text.h"
#include "nlohmann/json.hpp"
#include "vrp/v1/simulation_service.grpc.pb.h"

namespace vrp::client {
namespace {

using SimulationEvent = v1::WatchSimulationResponse;

// Returns the event's line; empty for the summary, which is printed at the end, and for unknown
// events of a newer daemon.
std::string SimulationEventLine(const SimulationEvent& event) {
  switch (event.event_case()) {
    case SimulationEvent::kState:
      return StateLine(event.state());
    case SimulationEvent::kLog:
      return WithoutControls(event.log().line());
    case SimulationEvent::kDay:
      return WithoutControls(SimulatedDayText(event.day()));
    case SimulationEvent::kResumed:
      return absl::StrCat("resumed (attempt ", event.attempt(), ") after ",
                          SimulationProgressText(event.resumed()));
    default:
      return "";
  }
}

// A sink that prints one line per event, and on a terminal a bar below them.
class LinesAndBarSink final : public SimulationEventSink {
 public:
  LinesAndBarSink(Environment& environment, int32_t days, int32_t finished)
      : bottom_(environment),
        has_bar_(environment.terminal_width().has_value()),
        days_(days),
        finished_(finished) {}

  void OnEvent(const SimulationEvent& event) override {
    Print(SimulationEventLine(event));
    if (event.has_day()) {
      ++finished_;
      if (has_bar_) {
        bottom_.Draw([this](int width) { return CountBarLine(finished_, days_, "days", width); });
      }
    }
    OnHeartbeat(event);
  }
  void OnHeartbeat(const SimulationEvent& heartbeat) override {
    Print(queue_.Line(heartbeat.queue_position()));
  }
  void OnConnectionLost(const absl::Status& status) override { Print(ConnectionLostLine(status)); }
  void OnReconnected() override { Print(kReconnectedLine); }
  void OnEnd() override { bottom_.End(); }

 private:
  void Print(const std::string& line) {
    if (!line.empty()) bottom_.PrintAbove(line);
  }

  BottomLine bottom_;
  const bool has_bar_;
  const int32_t days_;
  int32_t finished_;
  QueuePosition queue_;
};

// A sink that prints one JSON line per day and policy.
class DayLineSink final : public LineSink<SimulationEvent> {
 public:
  using LineSink::LineSink;
  void OnEvent(const SimulationEvent& event) override {
    for (const v1::SimulatedDay& day : event.day().results()) {
      WriteJsonLine(environment_.out, SimulatedDayJson(day));
    }
  }
};

absl::StatusOr<v1::Simulation> FetchSimulation(CommandContext& context, const std::string& name) {
  v1::GetSimulationRequest request;
  request.set_name(name);
  return context.client().Call(&v1::SimulationService::Stub::GetSimulation, request);
}

std::unique_ptr<SimulationEventSink> MakeSimulationSink(CommandContext& context,
                                                        const WatchOptions& options,
                                                        bool only_days) {
  if (context.json() && only_days) return std::make_unique<DayLineSink>(context.environment());
  if (context.json()) return std::make_unique<JsonLineSink<SimulationEvent>>(context.environment());
  const absl::StatusOr<v1::Simulation> simulation = FetchSimulation(context, options.name);
  const int32_t days = simulation.ok() ? simulation->progress().day_count() : 0;
  const bool from_start = options.from_sequence <= 1 || !simulation.ok();
  return std::make_unique<LinesAndBarSink>(
      context.environment(), days, from_start ? 0 : simulation->progress().finished_day_count());
}

void PrintHowToWatchOrStopSimulation(CommandContext& context, const std::string& name) {
  const std::string arguments = absl::StrCat(name, " --remote ", context.client().remote());
  context.err() << "the simulation continues; watch it again: vrpctl dispatch simulations watch "
                << arguments << "\nend it with its finished days: vrpctl dispatch simulations stop "
                << arguments << std::endl;
}

ExitCode PrintSimulationResults(CommandContext& context, const std::string& name,
                                const SimulationOutput& output) {
  if (context.json() && output.plot.empty()) return kExitDone;
  const absl::StatusOr<v1::Simulation> simulation = FetchSimulation(context, name);
  if (!simulation.ok()) return context.Fail(simulation.status(), name);
  if (!context.json()) {
    context.out() << SimulationSummaryText(simulation->summary()) << std::flush;
    if (simulation->summary().stopped()) {
      context.out() << "stopped after " << SimulationProgressText(simulation->progress())
                    << std::endl;
    }
  }
  if (output.plot.empty()) return kExitDone;
  const absl::StatusOr<std::string> plot = PlotGaps(*simulation);
  if (!plot.ok()) return context.Fail(plot.status(), name);
  const absl::Status written = WriteFile(output.plot, *plot);
  return written.ok() ? kExitDone : context.Fail(written);
}

}  // namespace

ExitCode FollowSimulation(CommandContext& context, const WatchOptions& options,
                          const SimulationOutput& output) {
  const std::unique_ptr<SimulationEventSink> sink =
      MakeSimulationSink(context, options, output.only_days);
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, *sink);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    PrintHowToWatchOrStopSimulation(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  if (outcome->state != v1::JOB_STATE_SUCCEEDED) {
    context.err() << "vrpctl: " << options.name << " " << JobStateWord(outcome->state)
                  << (outcome->error.empty() ? "" : ": ") << outcome->error << std::endl;
    return kExitFailed;
  }
  return PrintSimulationResults(context, options.name, output);
}

}  // namespace vrp::client
