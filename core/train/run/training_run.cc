#include "core/train/run/training_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/file.h"
#include "core/base/isa.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/train/run/run_data.h"
#include "core/train/run/run_end.h"
#include "core/train/run/training_banner.h"

namespace vrp {
namespace {

void LogBanner(const RunContext& context, const TrainedNetwork& network, const ValidationSet& set) {
  DeviceInfo device{.id = context.request.device, .name = {}};
  for (const DeviceInfo& listed : ListDevices()) {
    if (listed.id == context.request.device) device = listed;
  }
  const BannerFacts facts{.config = context.config,
                          .device = device,
                          .threads = context.request.threads,
                          .workers = context.ranks.ranks(),
                          .precision = network.precision(),
                          .cpu_has_bf16 = IsNative(UsableBf16()),
                          .parameters = network.engine().parameters().size(),
                          .validation_instances = set.size(),
                          .reference = set.reference_name(),
                          .reference_cost = set.reference()};
  for (const std::string& line : BannerLines(facts)) context.observer.OnLog(line);
}

}  // namespace

TrainingRun::TrainingRun(const TrainingRequest& request, const StopCondition& stop,
                         TrainingObserver& observer)
    : started_(SteadyNow()), context_(request, stop, observer) {}

absl::StatusOr<TrainingResult> TrainingRun::Run(const EngineFactory& factory) {
  absl::StatusOr<TrainingResult> result = RunToModel(factory);
  TrainingTotals totals = reporter_ == nullptr ? TrainingTotals() : reporter_->totals();
  totals.run_phases = context_.clock.Read();
  context_.observer.OnEnd(totals);
  return result;
}

absl::StatusOr<TrainingResult> TrainingRun::RunToModel(const EngineFactory& factory) {
  const absl::Status prepared = Prepare(factory);
  if (!prepared.ok()) context_.ranks.Fail(prepared);
  VRP_RETURN_IF_ERROR(prepared);
  const absl::StatusOr<TrainingEnd> end = Loop();
  if (!end.ok()) context_.ranks.Fail(end.status());
  if (absl::IsCancelled(end.status()) && !checkpoints_->IsSaved()) {
    const absl::Status saved = checkpoints_->Save();
    // The job need not fail: it can resume from an earlier checkpoint.
    if (!saved.ok())
      context_.observer.OnLog(Concat("could not write the last checkpoint: ", saved.ToString()));
  }
  VRP_RETURN_IF_ERROR(end.status());
  if (!context_.ranks.leads()) return TrainingResult{.steps = position_.step, .end = *end};
  return publisher_->Publish(position_.step, *end);
}

absl::Status TrainingRun::Prepare(const EngineFactory& factory) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPreparation);
  context_.observer.OnPhase("preparation");
  VRP_ASSIGN_OR_RETURN(network_, TrainedNetwork::Make(context_, factory));
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> baseline, network_->MakeBaseline(factory));
  const LabelContext label_context = LabelContextOf(context_, "references");
  VRP_RETURN_IF_ERROR(EnsureDirectory(label_context.folder));
  // Rank 0 makes the labels and references; the others then find them, or make the same ones.
  if (!context_.ranks.leads()) VRP_RETURN_IF_ERROR(context_.ranks.Meet(absl::OkStatus()));
  const BatchForm& form = network_->engine().batch_form();
  VRP_ASSIGN_OR_RETURN(std::vector<Instance> user_instances, ReadUserInstances(context_, form));
  VRP_ASSIGN_OR_RETURN(ValidationSet set, ValidationSet::Make(context_.config, form, user_instances,
                                                              label_context, &context_.ranks));
  LogBanner(context_, *network_, set);
  VRP_ASSIGN_OR_RETURN(batches_, MakeBatchSource(context_, form, std::move(user_instances)));
  if (context_.ranks.leads()) VRP_RETURN_IF_ERROR(context_.ranks.Meet(absl::OkStatus()));
  VRP_RETURN_IF_ERROR(MakeParts(std::move(set), std::move(baseline)));
  context_.observer.OnPhase("resumption");
  VRP_RETURN_IF_ERROR(checkpoints_->Resume());
  VRP_RETURN_IF_ERROR(checkpoints_->ShareState());
  if (!context_.ranks.alone()) {
    VRP_ASSIGN_OR_RETURN(link_,
                         MeasureLink(context_.ranks, network_->engine().parameters().size()));
  }
  return steps_->Start(position_.step);
}

absl::Status TrainingRun::MakeParts(ValidationSet set, std::unique_ptr<PolicyEngine> baseline) {
  validator_ = std::make_unique<Validator>(context_, *network_, std::move(set));
  reporter_ = std::make_unique<Reporter>(context_, *validator_);
  VRP_ASSIGN_OR_RETURN(learner_, MakeLearner({.config = context_.config,
                                              .engine = &network_->engine(),
                                              .baseline = std::move(baseline),
                                              .source = batches_.get(),
                                              .pool = &context_.pool,
                                              .bf16 = network_->precision() == Precision::kBf16,
                                              .ranks = &context_.ranks}));
  steps_ = std::make_unique<StepSource>(StepSource::Parts{.context = context_,
                                                          .network = *network_,
                                                          .learner = *learner_,
                                                          .batches = *batches_,
                                                          .reporter = *reporter_});
  checkpoints_ = std::make_unique<CheckpointKeeper>(CheckpointKeeper::Parts{
      context_, position_, *network_, *learner_, *steps_, *validator_, *reporter_});
  publisher_ = std::make_unique<Publisher>(context_, *network_, *validator_);
  return absl::OkStatus();
}

absl::StatusOr<TrainingEnd> TrainingRun::Loop() {
  int64_t& step = position_.step;
  const int64_t steps_per_epoch = context_.steps_per_epoch;
  reporter_->Start(step == position_.epochs_ended * steps_per_epoch);
  // The run may have been interrupted between an epoch's last step and its end.
  if (step > 0 && step / steps_per_epoch > position_.epochs_ended) VRP_RETURN_IF_ERROR(EndEpoch());
  while (true) {
    VRP_ASSIGN_OR_RETURN(const Order order, NextOrder());
    if (order.end == TrainingEnd::kUnknown) {
      VRP_RETURN_IF_ERROR(TakeStep(order.live));
      continue;
    }
    VRP_RETURN_IF_ERROR(ValidateLastStep(order.end));
    LogEnd(context_, position_, validator_->best(), order.end);
    return order.end;
  }
}

absl::Status TrainingRun::TakeStep(bool live) {
  int64_t& step = position_.step;
  VRP_RETURN_IF_ERROR(steps_->Take(step + 1));
  ++step;
  ReportLink();
  if (step % context_.steps_per_epoch == 0) VRP_RETURN_IF_ERROR(EndEpoch());
  if (step % context_.config.checkpoint_every_steps == 0 || checkpoints_->IsOneOfTheBest()) {
    VRP_RETURN_IF_ERROR(checkpoints_->Save());
  }
  return live ? ServeLive() : absl::OkStatus();
}

void TrainingRun::ReportLink() {
  constexpr int64_t kMeasuredSteps = 5;
  const TrainingTotals& totals = reporter_->totals();
  if (context_.ranks.alone() || totals.steps != kMeasuredSteps) return;
  link_.batch_size = context_.config.batch_size;
  const double step = totals.seconds / static_cast<double>(kMeasuredSteps);
  link_.compute_seconds = std::max(0.0, step - ExchangeSeconds(link_));
  context_.observer.OnLog(LinkText(link_));
}

absl::StatusOr<TrainingRun::Order> TrainingRun::NextOrder() {
  LiveModels* const requests = context_.request.live;
  Order order = {
      .end = EndReason(context_, position_, validator_->Stalled(position_.epochs_ended), started_),
      // A single process serves the requests that arrive during the step, too.
      .live = context_.ranks.alone() || (requests != nullptr && requests->Waits())};
  absl::Status status;
  if (order.end == TrainingEnd::kUnknown) {
    status = StopStatus(context_.stop.Check());
    if (status.ok() && EndsEarly(context_)) {
      status = absl::CancelledError("ended before its first step");
    }
  }
  VRP_ASSIGN_OR_RETURN(
      const std::vector<double> orders,
      context_.ranks.Gather(status, {{static_cast<double>(order.end), order.live ? 1.0 : 0.0}}));
  return Order{.end = static_cast<TrainingEnd>(static_cast<int>(orders[0])),
               .live = orders[1] != 0};
}

absl::Status TrainingRun::ServeLive() {
  if (context_.ranks.alone()) {
    return publisher_->ServeLive(position_.step, [this] { return Evaluate(); });
  }
  // All ranks score the weights once, for all requests.
  VRP_ASSIGN_OR_RETURN(const ValidationScore score, Evaluate());
  if (!context_.ranks.leads()) return absl::OkStatus();
  return publisher_->ServeLive(position_.step, [&score] { return score; });
}

absl::StatusOr<ValidationScore> TrainingRun::Evaluate() {
  VRP_RETURN_IF_ERROR(steps_->Settle());
  return validator_->Evaluate(position_.step);
}

absl::Status TrainingRun::Validate() {
  VRP_RETURN_IF_ERROR(steps_->Settle());
  return validator_->Validate(position_.step);
}

absl::Status TrainingRun::EndEpoch() {
  context_.observer.OnPhase("validation");
  const int64_t epoch = position_.epochs_ended + 1;
  VRP_RETURN_IF_ERROR(Validate());
  std::string line;
  {
    const RunClock::Scope clocked(context_.clock, RunPhase::kBaseline);
    VRP_ASSIGN_OR_RETURN(line, learner_->EndEpoch(epoch, context_.stop));
  }
  position_.epochs_ended = epoch;
  validator_->UpdateBest(epoch);
  if (!line.empty()) context_.observer.OnLog(line);
  reporter_->EndEpoch(epoch, position_.step);
  return absl::OkStatus();
}

absl::Status TrainingRun::ValidateLastStep(TrainingEnd end) {
  const bool mid_epoch = end == TrainingEnd::kTimeLimit || end == TrainingEnd::kStopped;
  // The checkpoint of an earlier version may have ended all epochs without any best weights.
  const bool no_best =
      context_.config.publish == PublishRule::kBest && validator_->best().step() == 0;
  if (validator_->Validated(position_.step) || !(mid_epoch || no_best)) return absl::OkStatus();
  VRP_RETURN_IF_ERROR(Validate());
  validator_->UpdateBest(position_.epochs_ended);
  context_.observer.OnLog(
      Concat("step ", position_.step, ": ", ScoreText(validator_->score(), validator_->set())));
  return absl::OkStatus();
}

}  // namespace vrp
