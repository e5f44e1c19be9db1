#include "client/commands/follow.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/connection/model_kind.h"
#include "client/output/event_sinks.h"
#include "client/output/json.h"
#include "client/output/tables.h"

namespace vrp::client {
namespace {

// A sink that stores the published model for the closing line.
class ModelRecorder final : public ForwardingSink<v1::WatchTrainingJobResponse> {
 public:
  using ForwardingSink::ForwardingSink;

  void OnEvent(const v1::WatchTrainingJobResponse& event) override {
    if (event.has_model()) model_ = event.model();
    ForwardingSink::OnEvent(event);
  }

  const v1::ModelEvent& model() const { return model_; }

 private:
  v1::ModelEvent model_;
};

void PrintHowToWatch(CommandContext& context, const std::string& job) {
  context.err() << "the job continues; watch it again: vrpctl jobs watch " << job << " --remote "
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
  if (model.has_published_weights()) {
    context.out() << "published: " << PublishedText(model.published_weights()) << '\n';
  }
  context.out() << UseLine(context.client(), model.model()) << std::endl;
}

}  // namespace

ExitCode FollowJob(CommandContext& context, const WatchOptions& options) {
  const std::unique_ptr<EventSink> sink = MakeEventSink(context.environment(), context.json());
  ModelRecorder recorder(*sink);
  const absl::StatusOr<WatchOutcome> outcome =
      WatchJob(context.client(), context.environment().interrupt, options, recorder);
  if (context.environment().interrupt.triggered() && !outcome.ok()) {
    PrintHowToWatch(context, options.name);
    return kExitInterrupted;
  }
  if (!outcome.ok()) return context.Fail(outcome.status(), options.name);
  PrintEnd(context, *outcome, options, recorder.model());
  return outcome->state == v1::JOB_STATE_SUCCEEDED ? kExitDone : kExitFailed;
}

ExitCode PrintJobState(CommandContext& context, const v1::TrainingJob& job) {
  std::string text = absl::StrCat(job.name(), " ", JobStateWord(job.state()));
  if (job.queue_position() > 0) absl::StrAppend(&text, ", position ", job.queue_position());
  return context.Print(JobJson(job), text + "\n");
}

}  // namespace vrp::client
