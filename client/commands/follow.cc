#include "client/commands/follow.h"

#include <memory>

#include "client/output/event_sinks.h"
#include "client/output/json.h"
#include "client/output/tables.h"

namespace vrp::client {
namespace {

// Remembers which model came out, for the closing line.
class ModelNoter : public EventSink {
 public:
  explicit ModelNoter(EventSink& next) : next_(next) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override {
    if (event.has_model()) model_ = event.model();
    next_.OnEvent(event);
  }
  void OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) override {
    next_.OnHeartbeat(heartbeat);
  }
  void OnConnectionLost(const absl::Status& status) override { next_.OnConnectionLost(status); }
  void OnReconnected() override { next_.OnReconnected(); }
  void OnEnd() override { next_.OnEnd(); }

  const v1::ModelEvent& model() const { return model_; }

 private:
  EventSink& next_;
  v1::ModelEvent model_;
};

void SayHowToComeBack(CommandContext& context, const std::string& job) {
  context.err() << "the job goes on; come back with: vrpctl jobs watch " << job << " --remote "
                << context.client().remote() << std::endl;
}

void PrintEnd(CommandContext& context, const WatchOutcome& outcome, const WatchOptions& options,
              const v1::ModelEvent& model) {
  const std::string state = JobStateWord(outcome.state);
  if (outcome.state != v1::JOB_STATE_SUCCEEDED) {
    context.err() << "vrpctl: " << options.name << " " << state;
    if (!outcome.error.empty()) context.err() << ": " << outcome.error;
    context.err() << std::endl;
    return;
  }
  if (context.json()) return;
  context.out() << options.name << " " << state << std::endl;
  if (model.model().empty()) return;
  if (model.has_published()) {
    context.out() << "published: " << PublishedText(model.published()) << '\n';
  }
  context.out() << "solve with it: vrpctl solve FILE --strategy seeded --model " << model.model()
                << std::endl;
}

}  // namespace

ExitCode FollowJob(CommandContext& context, const WatchOptions& options) {
  const std::unique_ptr<EventSink> sink = MakeEventSink(context.environment(), context.json());
  ModelNoter noter(*sink);
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, noter);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    SayHowToComeBack(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  PrintEnd(context, *outcome, options, noter.model());
  return outcome->state == v1::JOB_STATE_SUCCEEDED ? kExitDone : kExitFailed;
}

}  // namespace vrp::client
