#include "client/commands/follow_solve.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/output/event_sinks.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Empty for the answer, which is printed at the end, and for events of a newer daemon.
std::string EventLine(const v1::WatchSolveJobResponse& event, const v1::Units& units) {
  switch (event.event_case()) {
    case v1::WatchSolveJobResponse::kState:
      return absl::StrCat("state ", JobStateWord(event.state().state()),
                          event.state().error().empty() ? "" : ": ",
                          WithoutControls(event.state().error()));
    case v1::WatchSolveJobResponse::kLog:
      return WithoutControls(event.log().line());
    case v1::WatchSolveJobResponse::kImprovement:
      return SolveProgressText(event.improvement(), absl::ZeroDuration(), units);
    case v1::WatchSolveJobResponse::kResumed:
      return absl::StrCat("goes on (attempt ", event.attempt(), ") at ",
                          SolveProgressText(event.resumed(), absl::ZeroDuration(), units));
    default:
      return "";
  }
}

class PlainSolveSink final : public LineSink<v1::WatchSolveJobResponse> {
 public:
  PlainSolveSink(Environment& environment, v1::Units units)
      : LineSink(environment), units_(std::move(units)) {}
  void OnEvent(const v1::WatchSolveJobResponse& event) override {
    Say(EventLine(event, units_));
    OnHeartbeat(event);
  }
  void OnHeartbeat(const v1::WatchSolveJobResponse& heartbeat) override {
    Say(queue_.Line(heartbeat.queue_position()));
  }

 private:
  void Say(const std::string& line) {
    if (!line.empty()) environment_.out << line << std::endl;
  }

  const v1::Units units_;
  QueuePosition queue_;
};

// Remembers the answer.
class AnswerNoter final : public SolveEventSink {
 public:
  explicit AnswerNoter(SolveEventSink& next) : next_(next) {}

  void OnEvent(const v1::WatchSolveJobResponse& event) override {
    if (event.has_answer()) answer_ = event.answer();
    next_.OnEvent(event);
  }
  void OnHeartbeat(const v1::WatchSolveJobResponse& heartbeat) override {
    next_.OnHeartbeat(heartbeat);
  }
  void OnConnectionLost(const absl::Status& status) override { next_.OnConnectionLost(status); }
  void OnReconnected() override { next_.OnReconnected(); }
  void OnEnd() override { next_.OnEnd(); }

  const std::optional<v1::SolveResponse>& answer() const { return answer_; }

 private:
  SolveEventSink& next_;
  std::optional<v1::SolveResponse> answer_;
};

// Returns the units of the job's numbers; empty if the call fails.
v1::Units UnitsOf(CommandContext& context, const std::string& job) {
  v1::GetSolveJobRequest request;
  request.set_name(job);
  const absl::StatusOr<v1::SolveJob> found = context.client().GetSolveJob(request);
  return found.ok() ? found->units() : v1::Units();
}

std::unique_ptr<SolveEventSink> MakeSink(CommandContext& context, const std::string& job) {
  if (context.json()) {
    return std::make_unique<JsonLineSink<v1::WatchSolveJobResponse>>(context.environment());
  }
  return std::make_unique<PlainSolveSink>(context.environment(), UnitsOf(context, job));
}

void SayHowToComeBack(CommandContext& context, const std::string& job) {
  const std::string rest = absl::StrCat(job, " --remote ", context.client().remote());
  context.err() << "the job goes on; look again with: vrpctl solve-jobs watch " << rest
                << "\nend it and keep its best plan with: vrpctl solve-jobs stop " << rest
                << std::endl;
}

}  // namespace

ExitCode FollowSolveJob(CommandContext& context, const WatchOptions& options,
                        const AnswerFiles& files) {
  const std::unique_ptr<SolveEventSink> sink = MakeSink(context, options.name);
  AnswerNoter noter(*sink);
  SolveEventSink& noting = noter;
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, noting);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    SayHowToComeBack(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  if (outcome->state != v1::JOB_STATE_SUCCEEDED) {
    context.err() << "vrpctl: " << options.name << " " << JobStateWord(outcome->state)
                  << (outcome->error.empty() ? "" : ": ") << outcome->error << std::endl;
    return kExitFailed;
  }
  if (!noter.answer().has_value()) return kExitDone;  // the first event wanted came after it
  return CloseAnswer(context, files, *noter.answer());
}

ExitCode CloseAnswer(CommandContext& context, const AnswerFiles& files,
                     const v1::SolveResponse& answer) {
  absl::Status status = context.json() ? absl::OkStatus() : PrintAnswer(context, answer);
  status.Update(WriteAnswerFiles(files, answer));
  if (!status.ok()) return context.Fail(status);
  return IsComplete(answer) ? kExitDone : kExitNoPlan;
}

}  // namespace vrp::client
