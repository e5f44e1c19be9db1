#include "core/habits/evaluation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/random.h"

namespace vrp {
namespace {

constexpr uint64_t kOrderSeed = 44;  // of the orders of stops

size_t LikeliestOf(std::span<const float> logs, std::span<const uint8_t> visited) {
  size_t best = 0;
  for (size_t j = 1; j < logs.size(); ++j) {
    if (visited[j] == 0 && (best == 0 || logs[j] > logs[best])) best = j;
  }
  return best;
}

void ScoreChoices(const HabitModel& model, const HabitCase& question, CaseScore& score) {
  std::vector<uint8_t> visited(question.stops.size(), 0);
  for (size_t i = 0; i < question.route.size(); ++i) {
    const std::vector<float> logs = model.NextStopLogProbabilities(
        question.stops, question.driver, std::span(question.route).first(i));
    const auto next = static_cast<size_t>(question.route[i]);
    ChoiceScore choice = {.log_probability = logs[next], .choices = 1};
    if (i + 1 < question.route.size()) {
      choice.open_choices = 1;
      choice.hits = LikeliestOf(logs, visited) == next ? 1 : 0;
    }
    score.all += choice;
    if (!model.KnowsStop(question.stops[next].id)) score.new_stops += choice;
    visited[next] = 1;
  }
}

// Returns the length of a route from and to the depot; nullopt if a position is unknown.
std::optional<double> LengthOf(const HabitCase& question, std::span<const int32_t> route,
                               CoordinateSystem coordinates) {
  double length = 0;
  size_t from = 0;
  const auto drive_to = [&](size_t to) {
    const std::optional<Position>& a = question.stops[from].position;
    const std::optional<Position>& b = question.stops[to].position;
    if (!a.has_value() || !b.has_value()) return false;
    length += coordinates == CoordinateSystem::kPlanar
                  ? MetricDistance(Metric::kExact, *a, *b)
                  : GreatCircleDistance(Metric::kExact, *a, *b);
    from = to;
    return true;
  };
  for (const int32_t stop : route) {
    if (!drive_to(static_cast<size_t>(stop))) return std::nullopt;
  }
  if (!drive_to(0)) return std::nullopt;
  return length;
}

std::set<std::pair<int32_t, int32_t>> LegsOfRoute(std::span<const int32_t> route) {
  std::set<std::pair<int32_t, int32_t>> legs;
  int32_t from = 0;
  for (const int32_t stop : route) {
    legs.emplace(from, stop);
    from = stop;
  }
  legs.emplace(from, 0);
  return legs;
}

}  // namespace

std::vector<HabitCase> CasesOf(const RouteHistory& history, size_t first) {
  std::vector<HabitCase> cases;
  for (size_t number = first; number < history.routes.size(); ++number) {
    const PastRoute& route = history.routes[number];
    std::vector<int32_t> order(route.stops.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    CounterRandom random(kOrderSeed, number);
    random.Shuffle(std::span(order));
    HabitCase question = {.driver = history.DriverName(route.driver)};
    question.stops.resize(order.size() + 1);
    question.stops[0] = {.id = {}, .position = route.depot};
    question.route.resize(order.size());
    for (size_t place = 0; place < order.size(); ++place) {
      const auto visit = static_cast<size_t>(order[place]);
      const PastStop& stop = route.stops[visit];
      question.stops[place + 1] = {
          .id = stop.id < 0 ? std::string_view() : history.ids[static_cast<size_t>(stop.id)],
          .position = stop.position,
          .demand = stop.demand,
          .window = stop.window};
      question.route[visit] = static_cast<int32_t>(place) + 1;
    }
    cases.push_back(std::move(question));
  }
  return cases;
}

double RouteSimilarity(std::span<const int32_t> driven, std::span<const int32_t> proposed) {
  const std::set<std::pair<int32_t, int32_t>> wanted = LegsOfRoute(driven);
  const std::set<std::pair<int32_t, int32_t>> got = LegsOfRoute(proposed);
  const auto common = std::count_if(wanted.begin(), wanted.end(),
                                    [&](const auto& leg) { return got.contains(leg); });
  return static_cast<double>(common) / static_cast<double>(wanted.size());
}

std::vector<int32_t> MostLikelyRoute(const HabitModel& model, const HabitCase& question) {
  std::vector<int32_t> route;
  std::vector<uint8_t> visited(question.stops.size(), 0);
  while (route.size() + 1 < question.stops.size()) {
    const std::vector<float> logs =
        model.NextStopLogProbabilities(question.stops, question.driver, route);
    const size_t next = LikeliestOf(logs, visited);
    visited[next] = 1;
    route.push_back(static_cast<int32_t>(next));
  }
  return route;
}

CaseScore ScoreCase(const HabitModel& model, const HabitCase& question,
                    CoordinateSystem coordinates) {
  CaseScore score;
  ScoreChoices(model, question, score);
  const std::vector<int32_t> proposed = MostLikelyRoute(model, question);
  score.similarity = RouteSimilarity(question.route, proposed);
  score.driven = LengthOf(question, question.route, coordinates);
  score.proposed = LengthOf(question, proposed, coordinates);
  return score;
}

ChoiceScore& ChoiceScore::operator+=(const ChoiceScore& other) {
  log_probability += other.log_probability;
  choices += other.choices;
  open_choices += other.open_choices;
  hits += other.hits;
  return *this;
}

double ChoiceScore::MeanLogProbability() const {
  return choices == 0 ? 0 : log_probability / static_cast<double>(choices);
}

double ChoiceScore::Accuracy() const {
  return open_choices == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(open_choices);
}

HabitScore Summarise(std::span<const CaseScore> cases) {
  HabitScore total = {.routes = std::ssize(cases)};
  ChoiceScore all;
  ChoiceScore new_stops;
  double driven = 0;
  double proposed = 0;
  bool lengths = true;
  for (const CaseScore& score : cases) {
    all += score.all;
    new_stops += score.new_stops;
    total.route_similarity += score.similarity;
    lengths = lengths && score.driven.has_value() && score.proposed.has_value();
    driven += score.driven.value_or(0);
    proposed += score.proposed.value_or(0);
  }
  total.choices = all.choices;
  total.mean_log_probability = all.MeanLogProbability();
  total.next_stop_accuracy = all.Accuracy();
  total.new_choices = new_stops.choices;
  total.new_mean_log_probability = new_stops.MeanLogProbability();
  total.new_next_stop_accuracy = new_stops.Accuracy();
  total.route_similarity /= static_cast<double>(std::max<int64_t>(1, total.routes));
  if (lengths && driven > 0) total.length_ratio = proposed / driven;
  return total;
}

HabitScore EvaluateHabits(const HabitModel& model, std::span<const HabitCase> cases,
                          CoordinateSystem coordinates, CpuPool& pool) {
  std::vector<CaseScore> scores(cases.size());
  pool.ParallelFor(std::ssize(cases), [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    scores[i] = ScoreCase(model, cases[i], coordinates);
  });
  return Summarise(scores);
}

}  // namespace vrp
