// Fuzzes histories of routes: their reader, the learners of legs and of whole routes, evaluations,
// and past days as instances, as plans to guide and as plans to start from.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/habits/counts/choose_parameters.h"
#include "core/habits/counts/count_legs.h"
#include "core/habits/counts/count_model.h"
#include "core/habits/driven_day.h"
#include "core/habits/evaluation.h"
#include "core/habits/habit_guide.h"
#include "core/habits/history.h"
#include "core/habits/route_habits.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/habits/similar_day.h"
#include "core/problem/checker/checker.h"

namespace vrp {
namespace {

// Limits of histories that are learned from. Larger ones are only read.
constexpr size_t kMaxFuzzedRoutes = 12;
constexpr size_t kMaxFuzzedStops = 60;

[[noreturn]] void Die(const char* what, const std::string& detail = "") {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

bool IsShare(double value) { return value >= 0 && value <= 1; }

bool IsSmall(const RouteHistory& history) {
  size_t stops = 0;
  for (const PastRoute& route : history.routes) stops += route.stops.size();
  return history.routes.size() <= kMaxFuzzedRoutes && stops <= kMaxFuzzedStops;
}

void ExerciseModel(const HabitModel& model, const RouteHistory& history, CpuPool& pool) {
  const HabitScore score = EvaluateHabits(model, CasesOf(history, 0), history.coordinates, pool);
  if (!std::isfinite(score.mean_log_probability) || score.mean_log_probability > 1e-6) {
    Die("log probability", std::to_string(score.mean_log_probability));
  }
  if (!IsShare(score.next_stop_accuracy) || !IsShare(score.new_next_stop_accuracy) ||
      !IsShare(score.route_similarity)) {
    Die("a share is none");
  }
}

void ExerciseDay(const HabitModel& model, const std::shared_ptr<const RouteHabits>& habits,
                 const RouteHistory& history, std::span<const PastRoute> routes) {
  const absl::StatusOr<DrivenDay> day = MakeDrivenDay(history, routes);
  if (!day.ok()) return;
  const CheckReport report = CheckPlan(day->instance, day->driven);
  if (!report.feasible) Die("the driven routes", report.violations.front().message);
  if (SharesOfDrivenLegs(*day, day->driven).same_way != 1) Die("the driven routes are not theirs");
  const auto guide = HabitGuide::Create(day->instance, model, habits, 1);
  if (absl::IsInvalidArgument(guide.status())) return;  // distances exceed the limits
  if (!guide.ok()) Die("no guide", guide.status().ToString());
  const PlanHabits score = (*guide)->ScoreOf(day->driven);
  if (!std::isfinite(score.log_probability) || !std::isfinite(score.cost)) Die("habits of a plan");
  const UsualRoutes usual = (*guide)->Finish(day->driven, StopCondition());
  if (!CheckPlan(day->instance, usual.plan).feasible) Die("usual routes break a limit");
  const std::optional<SimilarDay> similar = PastDays(history).MostSimilarTo(day->instance);
  if (similar.has_value()) (void)CheckPlan(day->instance, similar->plan);
}

void ExerciseHistory(const RouteHistory& history) {
  if (!IsSmall(history)) return;
  static CpuPool* const pool = new CpuPool(1);
  constexpr int32_t kZones = 3;
  const size_t held_out = FirstRouteOfLastDays(history, 1);
  const LegCounter counter(history, held_out == 0 ? history.routes.size() : held_out, kZones, 1);
  const ParameterCandidates candidates{
      .half_lives = {0, 7}, .availabilities = {0, 10}, .powers = {2}, .strengths = {3}};
  const std::vector<HabitCase> cases = CasesOf(history, held_out);
  ParameterSearch search(counter, cases, candidates, *pool);
  if (!search.Pass([] { return absl::OkStatus(); }).ok()) Die("no parameters");
  const CountModel model(counter.Count(search.best()));
  ExerciseModel(model, history, *pool);
  const auto habits =
      std::make_shared<const RouteHabits>(LearnRouteHabits(history, history.routes.size(), 1));
  for (size_t begin = 0; begin < history.routes.size();) {
    size_t end = begin;
    while (end < history.routes.size() && history.routes[end].day == history.routes[begin].day)
      ++end;
    ExerciseDay(model, habits, history, std::span(history.routes).subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)vrp::RouteLineReader::Recognises(text.substr(0, text.find('\n')));
  const absl::StatusOr<vrp::RouteHistory> history = vrp::ParseRouteHistory(text, "past.jsonl");
  if (history.ok()) vrp::ExerciseHistory(*history);
  return 0;
}
