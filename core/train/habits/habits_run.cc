#include "core/train/habits/habits_run.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/disk_space.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/habits/counts/count_model.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/model/habits/habit_model_files.h"
#include "core/problem/plan/gap_reference.h"
#include "core/train/habits/distance_reference.h"
#include "core/train/run/result_card.h"

namespace vrp {
namespace {

// Returns the request with the number of steps of an epoch.
TrainingRequest WithSteps(const TrainingRequest& request, const ParameterCandidates& candidates) {
  TrainingRequest with_steps = request;
  with_steps.config.batches_per_epoch = candidates.TriesPerPass();
  return with_steps;
}

}  // namespace

HabitsRun::HabitsRun(const TrainingRequest& request, const StopCondition& stop,
                     TrainingObserver& observer, RouteHistory history, absl::Time started)
    : started_(started),
      history_(std::move(history)),
      candidates_(CandidatesWith(request.config.habits->half_lives)),
      held_out_(FirstRouteOfLastDays(history_, request.config.habits->validation_days)),
      request_(WithSteps(request, candidates_)),
      context_(request_, stop, observer),
      counter_(history_, held_out_, request.config.habits->zones, request.config.seed),
      cases_(CasesOf(history_, held_out_)),
      search_(counter_, cases_, candidates_, context_.pool) {}

absl::StatusOr<TrainingResult> HabitsRun::Run() {
  LogBanner();
  ComputeReference();
  VRP_ASSIGN_OR_RETURN(const TrainingEnd end, Search());
  return Publish(end);
}

TrainingTotals HabitsRun::Totals() {
  totals_.run_phases = context_.clock.Read();
  return totals_;
}

void HabitsRun::LogBanner() {
  const std::span<const PastRoute> routes = history_.routes;
  context_.observer.OnLog(Concat(
      "habits: counts the legs of ", held_out_, " routes of ", CountDays(routes.first(held_out_)),
      " days, ", history_.ids.size(), " stops and ", history_.drivers.size(),
      " drivers; validated on ", cases_.size(), " routes of the last ",
      CountDays(routes.subspan(held_out_)), " days; ", context_.pool.threads(), " threads"));
  if (request_.device.kind == DeviceKind::kCuda) {
    context_.observer.OnLog(Concat("trains on the CPU instead of on ", request_.device.ToString(),
                                   ", which habit models do not use"));
  }
}

void HabitsRun::ComputeReference() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPreparation);
  context_.observer.OnPhase("references");
  reference_ = FitDistances(counter_, cases_, candidates_.powers, context_.pool).cost;
}

absl::StatusOr<TrainingEnd> HabitsRun::Search() {
  pace_.Begin(true);
  while (true) {
    const RunClock::Scope clocked(context_.clock, RunPhase::kSteps);
    step_began_ = SteadyNow();
    const absl::StatusOr<bool> changed = search_.Pass([this] { return EndStep(); });
    if (absl::IsAborted(changed.status())) {
      EndEpoch();
      return EarlyEnd();
    }
    VRP_RETURN_IF_ERROR(changed.status());
    EndEpoch();
    const int64_t epochs = step_ / context_.steps_per_epoch;
    if (epochs >= context_.config.epochs) return TrainingEnd::kAllEpochs;
    if (!*changed) {
      context_.observer.OnLog("no other parameter is better; ends");
      return TrainingEnd::kNoImprovement;
    }
    if (request_.epoch_limit > 0 && epochs >= request_.epoch_limit) return TrainingEnd::kEpochLimit;
  }
}

TrainingEnd HabitsRun::EarlyEnd() const {
  if (SteadyNow() - started_ >= request_.time_limit) return TrainingEnd::kTimeLimit;
  const bool asked = request_.end_early != nullptr && request_.end_early->cancelled();
  return asked && !context_.stop.ShouldStop() ? TrainingEnd::kStopped : TrainingEnd::kUnknown;
}

absl::Status HabitsRun::EndStep() {
  ++step_;
  const absl::Time now = SteadyNow();
  const double seconds = absl::ToDoubleSeconds(now - step_began_);
  step_began_ = now;
  ++totals_.steps;
  totals_.instances += std::ssize(cases_);
  totals_.seconds += seconds;
  FillProgress();
  progress_.end_of_epoch = false;
  progress_.instances_per_second = seconds > 0 ? static_cast<double>(cases_.size()) / seconds : 0;
  context_.observer.OnProgress(progress_);
  if (request_.live != nullptr) {
    request_.live->Serve([&](const std::string& directory) -> absl::StatusOr<TrainingResult> {
      const TrainingResult result = ResultOf(PublishReason::kBestValidation);
      VRP_RETURN_IF_ERROR(WriteModel(directory, LiveJobName(request_.job_name, step_), result));
      return result;
    });
  }
  VRP_RETURN_IF_ERROR(StopStatus(context_.stop.Check()));
  if (EarlyEnd() != TrainingEnd::kUnknown) return absl::AbortedError("ends early");
  context_.observer.OnPhase("training step");
  return absl::OkStatus();
}

void HabitsRun::FillProgress() {
  totals_.run_phases = context_.clock.Read();
  const double cost = -search_.best_log_probability();
  progress_.epoch = context_.EpochOf(step_);
  progress_.epochs = context_.config.epochs;
  progress_.step = step_;
  progress_.steps = context_.Steps();
  progress_.loss = cost;
  progress_.train_cost = cost;
  progress_.validation_cost = cost;
  progress_.validation_reference = reference_;
  progress_.validation_gap = Gap(cost, reference_);
  progress_.accuracy = std::numeric_limits<double>::quiet_NaN();
  progress_.validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  progress_.reference = kDistanceReference;
  progress_.seconds_per_step = pace_.SecondsPerStep(totals_);
  progress_.seconds_per_epoch = pace_.seconds_per_epoch();
  progress_.instances_seen = totals_.instances;
  progress_.totals = totals_;
}

void HabitsRun::EndEpoch() {
  const RunClock::Scope clocked(context_.clock, RunPhase::kValidation);
  context_.observer.OnPhase("validation");
  score_ = EvaluateHabits(CountModel(counter_.Count(search_.best())), cases_, history_.coordinates,
                          context_.pool);
  context_.observer.OnLog(absl::StrFormat(
      "epoch %d/%d: -log p %.4f (%.4f by distance alone), next stop right in %.1f %%, routes "
      "similar by %.1f %%",
      context_.EpochOf(step_), context_.config.epochs, -search_.best_log_probability(), reference_,
      100 * score_.next_stop_accuracy, 100 * score_.route_similarity));
  const double seconds_per_step = pace_.SecondsPerStep(totals_);
  pace_.EndEpoch(totals_);
  FillProgress();
  progress_.validation_accuracy = score_.next_stop_accuracy;
  progress_.seconds_per_step = seconds_per_step;
  progress_.end_of_epoch = true;
  context_.observer.OnProgress(progress_);
}

TrainingResult HabitsRun::ResultOf(PublishReason reason) const {
  const double cost = -search_.best_log_probability();
  return {.steps = step_,
          .epoch = context_.EpochOf(step_),
          .reason = reason,
          .validation_cost = cost,
          .validation_reference = reference_,
          .validation_gap = Gap(cost, reference_),
          .reference = std::string(kDistanceReference),
          .end = TrainingEnd::kUnknown};
}

absl::StatusOr<TrainingResult> HabitsRun::Publish(TrainingEnd end) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kPublication);
  context_.observer.OnPhase("publication");
  TrainingResult result = ResultOf(PublishReason::kBestValidation);
  result.end = end;
  const CountParameters& best = search_.best();
  context_.observer.OnLog(absl::StrFormat(
      "publishes half-life %g days, availability %g, distance power %g, strengths: zones %g, zones "
      "of a driver %g, stops %g, stops of a driver %g",
      best.half_life, best.availability, best.distance_power, best.zone_strength,
      best.driver_zone_strength, best.stop_strength, best.driver_stop_strength));
  VRP_RETURN_IF_ERROR(WriteWhenDiskHasSpace(
      context_.stop,
      [&] { return WriteModel(request_.model_directory, request_.job_name, result); },
      [&](const absl::Status& full) {
        context_.observer.OnLog(
            Concat("waits for disk space to write the model: ", FromAbsl(full.message())));
      }));
  return result;
}

absl::Status HabitsRun::WriteModel(const std::string& directory, const std::string& job_name,
                                   const TrainingResult& result) {
  const HabitsConfig& config = *context_.config.habits;
  const size_t routes = config.refit ? history_.routes.size() : held_out_;
  const CountTables tables =
      config.refit
          ? LegCounter(history_, routes, config.zones, context_.config.seed).Count(search_.best())
          : counter_.Count(search_.best());
  const HabitSettings settings = {.history = config.history,
                                  .first_day = history_.routes.front().day,
                                  .last_day = history_.routes[routes - 1].day,
                                  .routes = static_cast<int64_t>(routes),
                                  .validation_days = config.validation_days,
                                  .next_stop_accuracy = score_.next_stop_accuracy,
                                  .route_similarity = score_.route_similarity};
  return WriteCountModel(directory, tables,
                         LearnRouteHabits(history_, routes, context_.config.seed), settings,
                         CardOf(context_.config, job_name, result));
}

}  // namespace vrp
