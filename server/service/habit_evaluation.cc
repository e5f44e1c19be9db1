#include "server/service/habit_evaluation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cpu_pool.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/evaluation.h"
#include "core/model/habits/habit_model_files.h"
#include "core/solve/habit_costs.h"
#include "core/train/data/past_routes.h"
#include "server/convert/field_violation.h"
#include "server/convert/names.h"
#include "server/convert/time_convert.h"
#include "server/service/habit_models.h"

namespace vrp {
namespace {

// Number of stops that a step asks for at least, so that it takes milliseconds to a second.
constexpr size_t kStopsPerStep = 2'000;

// Refuses the fields of evaluations of networks.
absl::Status CheckOnlyHistory(const v1::EvaluateModelRequest& request) {
  const auto refuse = [](const char* field) {
    return InvalidField(field,
                        "given, but a habit model is evaluated on a history alone; leave it out");
  };
  if (request.files_size() > 0) return refuse("files");
  if (request.has_generate()) return refuse("generate");
  if (!request.data().empty()) return refuse("data");
  if (request.modes_size() > 0) return refuse("modes");
  if (request.has_reference_search_time()) return refuse("reference_search_time");
  if (request.seed() != 0) return refuse("seed");
  if (!request.history().empty()) return absl::OkStatus();
  return InvalidField("history",
                      "absent, wanted datasets/{name} of a route history for a habit model");
}

absl::StatusOr<HabitCostOptions> CostOptionsFromProto(const v1::HabitSearch& message,
                                                      int32_t threads) {
  HabitCostOptions options;
  options.threads = threads;
  if (message.max_days() != 0) options.days = message.max_days();
  if (message.weights_size() > 0) {
    options.weights.assign(message.weights().begin(), message.weights().end());
  }
  if (message.max_iterations() != 0) options.max_iterations = message.max_iterations();
  if (!message.has_budget()) return options;
  const absl::StatusOr<absl::Duration> budget = FromProto(message.budget());
  if (!budget.ok()) return InvalidField("habit_search.budget", FromAbsl(budget.status().message()));
  options.budget = *budget;
  return options;
}

// Returns the error of a history whose days cannot be planned.
absl::Status UnplannableHistory(const std::string& name, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return InvalidField("history", Concat("got ", name, ", of which habit_search can plan no day: ",
                                        FromAbsl(status.message())));
}

void SetRow(const HabitCostRow& row, v1::HabitSearchRow& message) {
  message.set_weight(row.weight);
  message.set_leg_share(row.shares.either_way);
  message.set_leg_gain_standard_error(row.gain_errors.either_way);
  message.set_directed_leg_share(row.shares.same_way);
  message.set_directed_leg_gain_standard_error(row.gain_errors.same_way);
  message.set_extra_distance(row.extra_distance);
  message.set_extra_distance_standard_error(row.extra_distance_error);
}

v1::HabitSearchReport ToProto(const HabitCosts& costs) {
  v1::HabitSearchReport report;
  report.set_day_count(costs.days);
  report.set_skipped_day_count(costs.skipped_days);
  report.set_skip_reason(costs.skip_reason);
  report.set_late_plan_count(costs.late_plans);
  for (const HabitCostRow& row : costs.rows) SetRow(row, *report.add_rows());
  SetRow(costs.driven, *report.mutable_driven());
  return report;
}

absl::StatusOr<RouteHistory> ReadHistory(const DatasetStore& datasets, const std::string& name) {
  VRP_ASSIGN_OR_RETURN(const StoredDataset dataset, datasets.Get(name));
  VRP_RETURN_IF_ERROR(CheckDatasetKind(dataset, DatasetKind::kRouteHistory));
  VRP_ASSIGN_OR_RETURN(const std::string path, datasets.ContentPath(name));
  return ReadRouteHistory(DataFile(path, name));
}

// Returns the number of the first route after the days that the model counted. Returns
// kInvalidArgument if there is none, or the positions have another meaning than the model's.
absl::StatusOr<size_t> FirstLaterRoute(const RouteHistory& history, const HabitSettings& settings,
                                       const std::string& name) {
  if (history.coordinates != settings.coordinates) {
    return absl::InvalidArgumentError(
        Concat("got ", name,
               ", whose positions are in another coordinate system than those of the "
               "model's history; wanted the same"));
  }
  const auto later =
      std::find_if(history.routes.begin(), history.routes.end(),
                   [&](const PastRoute& route) { return route.day > settings.last_day; });
  if (later != history.routes.end()) return static_cast<size_t>(later - history.routes.begin());
  return absl::InvalidArgumentError(
      Concat("got ", name, ", whose last day is ", DayText(history.routes.back().day),
             ", but the model learned from days up to ", DayText(settings.last_day),
             "; wanted a history with later days"));
}

class HabitEvaluationSource final : public StreamSource<v1::EvaluateModelResponse> {
 public:
  HabitEvaluationSource(const ModelEvaluationContext& context, const ModelVersion& version,
                        LoadedHabits habits, std::string name, RouteHistory history, size_t first)
      : context_(context),
        model_(ModelVersionName(version.name, version.version)),
        habits_(std::move(habits)),
        name_(std::move(name)),
        history_(std::move(history)),
        first_(first),
        cases_(CasesOf(history_, first)),
        threads_(context.busy->Take(context.threads)),
        pool_(context.threads) {}

  // Adds searches to the evaluation.
  absl::Status AddSearches(const v1::HabitSearch& message) {
    VRP_ASSIGN_OR_RETURN(HabitCostOptions options, CostOptionsFromProto(message, context_.threads));
    VRP_RETURN_IF_ERROR(WithPrefix(CheckHabitCostOptions(options), "habit_search"));
    absl::StatusOr<std::unique_ptr<HabitCostEvaluation>> costs = HabitCostEvaluation::Create(
        [this](const Instance& instance, double weight) {
          return GuideBy(habits_, model_, instance, weight);
        },
        history_, first_, std::move(options));
    if (!costs.ok()) return UnplannableHistory(name_, costs.status());
    costs_ = *std::move(costs);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<v1::EvaluateModelResponse>> Next() override {
    std::vector<v1::EvaluateModelResponse> messages;
    if (AtEnd()) return messages;
    const auto watched = BeginWatch(context_.watch, "evaluation", model_);
    if (scores_.size() < cases_.size()) {
      ScoreSome();
    } else {
      VRP_RETURN_IF_ERROR(costs_->Step());
    }
    v1::EvaluateModelResponse& message = messages.emplace_back();
    message.set_done(std::ssize(scores_) + (costs_ == nullptr ? 0 : costs_->done()));
    message.set_total(std::ssize(cases_) + (costs_ == nullptr ? 0 : costs_->total()));
    if (AtEnd()) {
      VRP_ASSIGN_OR_RETURN(*message.mutable_report(), Report());
    }
    return messages;
  }
  bool AtEnd() const override {
    return scores_.size() == cases_.size() && (costs_ == nullptr || costs_->finished());
  }
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  // Asks the model for some more routes.
  void ScoreSome() {
    const size_t begin = scores_.size();
    size_t end = begin;
    for (size_t stops = 0; end < cases_.size() && stops < kStopsPerStep; ++end) {
      stops += cases_[end].stops.size();
    }
    scores_.resize(end);
    pool_.ParallelFor(static_cast<int64_t>(end - begin), [&](int64_t index) {
      const size_t i = begin + static_cast<size_t>(index);
      scores_[i] = ScoreCase(*habits_.model, cases_[i], history_.coordinates);
    });
  }

  absl::StatusOr<v1::EvaluationReport> Report() const {
    const HabitScore score = Summarise(scores_);
    v1::EvaluationReport report;
    report.set_model(model_);
    v1::HabitEvaluation& habits = *report.mutable_habits();
    habits.set_history(name_);
    habits.set_route_count(score.routes);
    habits.set_day_count(CountDays(std::span(history_.routes).subspan(first_)));
    habits.set_next_stop_accuracy(score.next_stop_accuracy);
    habits.set_mean_log_probability(score.mean_log_probability);
    habits.set_route_similarity(score.route_similarity);
    habits.set_new_stop_count(score.new_choices);
    habits.set_new_next_stop_accuracy(score.new_next_stop_accuracy);
    habits.set_new_mean_log_probability(score.new_mean_log_probability);
    if (score.length_ratio.has_value()) habits.set_length_ratio(*score.length_ratio);
    if (costs_ == nullptr) return report;
    const absl::StatusOr<HabitCosts> costs = costs_->Result();
    if (!costs.ok()) return UnplannableHistory(name_, costs.status());
    *habits.mutable_search() = ToProto(*costs);
    return report;
  }

  const ModelEvaluationContext context_;
  const std::string model_;
  const LoadedHabits habits_;
  const std::string name_;
  const RouteHistory history_;
  const size_t first_;  // number of the first evaluated route
  const std::vector<HabitCase> cases_;
  std::vector<CaseScore> scores_;
  std::unique_ptr<HabitCostEvaluation> costs_;  // null: no searches
  const BusyThreads::Lease threads_;
  CpuPool pool_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> OpenHabitEvaluation(
    const ModelEvaluationContext& context, const ModelVersion& version,
    const v1::EvaluateModelRequest& request) {
  VRP_RETURN_IF_ERROR(CheckOnlyHistory(request));
  const std::string& name = request.history();
  absl::StatusOr<RouteHistory> history = ReadHistory(*context.datasets, name);
  if (!history.ok()) return DatasetError("history", history.status());
  VRP_ASSIGN_OR_RETURN(
      LoadedHabits habits,
      LoadHabits(version.directory, ModelVersionName(version.name, version.version)));
  const absl::StatusOr<size_t> first = FirstLaterRoute(*history, habits.settings, name);
  if (!first.ok()) return DatasetError("history", first.status());
  auto source = std::make_unique<HabitEvaluationSource>(context, version, std::move(habits), name,
                                                        *std::move(history), *first);
  if (request.has_habit_search()) {
    VRP_RETURN_IF_ERROR(source->AddSearches(request.habit_search()));
  }
  return source;
}

}  // namespace vrp
