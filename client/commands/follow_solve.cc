#include "client/commands/follow_solve.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/output/event_sinks.h"
#include "client/output/tables.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

// Returns the event's line. Returns an empty text for the response, which is printed at the end,
// and for unknown events of a newer daemon.
std::string SolveEventLine(const v1::WatchSolveJobResponse& event, const v1::Units& units) {
  switch (event.event_case()) {
    case v1::WatchSolveJobResponse::kState:
      return StateLine(event.state());
    case v1::WatchSolveJobResponse::kLog:
      return WithoutControls(event.log().line());
    case v1::WatchSolveJobResponse::kImprovement:
      return SolveProgressText(event.improvement(), absl::ZeroDuration(), units);
    case v1::WatchSolveJobResponse::kResumed:
      return absl::StrCat("resumed (attempt ", event.attempt(), ") at ",
                          SolveProgressText(event.resumed(), absl::ZeroDuration(), units));
    default:
      return "";
  }
}

// A sink that prints one line per event.
class PlainSolveSink final : public LineSink<v1::WatchSolveJobResponse> {
 public:
  PlainSolveSink(Environment& environment, v1::Units units)
      : LineSink(environment), units_(std::move(units)) {}
  void OnEvent(const v1::WatchSolveJobResponse& event) override {
    PrintLine(SolveEventLine(event, units_));
    OnHeartbeat(event);
  }
  void OnHeartbeat(const v1::WatchSolveJobResponse& heartbeat) override {
    PrintLine(queue_.Line(heartbeat.queue_position()));
  }

 private:
  void PrintLine(const std::string& line) {
    if (!line.empty()) environment_.out << line << std::endl;
  }

  const v1::Units units_;
  QueuePosition queue_;
};

// A sink that stores the response.
class ResponseRecorder final : public ForwardingSink<v1::WatchSolveJobResponse> {
 public:
  using ForwardingSink::ForwardingSink;

  void OnEvent(const v1::WatchSolveJobResponse& event) override {
    if (event.has_response()) response_ = event.response();
    ForwardingSink::OnEvent(event);
  }

  const std::optional<v1::SolveResponse>& response() const { return response_; }

 private:
  std::optional<v1::SolveResponse> response_;
};

// Returns the units of the job's numbers; empty if the call fails.
v1::Units UnitsOf(CommandContext& context, const std::string& job) {
  v1::GetSolveJobRequest request;
  request.set_name(job);
  const absl::StatusOr<v1::SolveJob> found =
      context.client().Call(&v1::SolverService::Stub::GetSolveJob, request);
  return found.ok() ? found->units() : v1::Units();
}

std::unique_ptr<SolveEventSink> MakeSolveEventSink(CommandContext& context,
                                                   const std::string& job) {
  if (context.json()) {
    return std::make_unique<JsonLineSink<v1::WatchSolveJobResponse>>(context.environment());
  }
  return std::make_unique<PlainSolveSink>(context.environment(), UnitsOf(context, job));
}

void PrintHowToWatchOrStop(CommandContext& context, const std::string& job) {
  const std::string arguments = absl::StrCat(job, " --remote ", context.client().remote());
  context.err() << "the job continues; watch it again: vrpctl solve-jobs watch " << arguments
                << "\nend it and keep its best plan: vrpctl solve-jobs stop " << arguments
                << std::endl;
}

}  // namespace

ExitCode FollowSolveJob(CommandContext& context, const WatchOptions& options,
                        const PlanFiles& files) {
  const std::unique_ptr<SolveEventSink> sink = MakeSolveEventSink(context, options.name);
  ResponseRecorder recorder(*sink);
  SolveEventSink& recording = recorder;
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, recording);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    PrintHowToWatchOrStop(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  if (outcome->state != v1::JOB_STATE_SUCCEEDED) {
    context.err() << "vrpctl: " << options.name << " " << JobStateWord(outcome->state)
                  << (outcome->error.empty() ? "" : ": ") << outcome->error << std::endl;
    return kExitFailed;
  }
  if (!recorder.response().has_value()) return kExitDone;  // --from skipped the response
  return PrintAndWriteResponse(context, files, *recorder.response());
}

ExitCode PrintAndWriteResponse(CommandContext& context, const PlanFiles& files,
                               const v1::SolveResponse& response) {
  absl::Status status = context.json() ? absl::OkStatus() : PrintSolveResponse(context, response);
  status.Update(WritePlanFiles(files, response));
  if (!status.ok()) return context.Fail(status);
  return response.feasible() ? kExitDone : kExitNoPlan;
}

}  // namespace vrp::client
