// The attention decoder by itself, one instance on one thread: rollouts and second passes of the
// attention model (one trajectory) and of POMO (as many as customers). Plans are those of a
// nearest-neighbour rule that returns only when it must, so that the numbers of steps are a trained
// model's; `steps` counts them all, `us_per_step` is the best time over these.
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/attention_decoder.h"
#include "core/kernels/routing_step.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr double kSecondsOfACase = 0.5;

struct DecoderCase {
  std::string what;
  int32_t customers = 50;
  int32_t trajectories = 1;
  bool windows = false;
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// An instance of Kool et al. 2019 and random projections of its nodes.
struct Subject {
  explicit Subject(const DecoderCase& c) : nodes(c.customers + 1), trajectories(c.trajectories) {
    CounterRandom random(1, 5);
    for (int32_t n = 0; n < nodes; ++n) {
      x.push_back(random.UniformDouble());
      y.push_back(random.UniformDouble());
      demands.push_back(n == 0 ? 0 : static_cast<double>(random.UniformInt(1, 9)));
    }
    problem = {.nodes = nodes,
               .capacity = c.customers <= 10   ? 20.0
                           : c.customers <= 20 ? 30.0
                           : c.customers <= 50 ? 40.0
                                               : 50.0,
               .x = x.data(),
               .y = y.data(),
               .demands = demands.data()};
    if (c.windows) AddWindows(random);
    stride = 5 * shape.hidden;
    projections.resize(static_cast<size_t>((nodes + 2) * stride));
    for (float& value : projections) value = static_cast<float>(random.UniformDouble() - 0.5);
    gradients.resize(projections.size());
    max_steps = MaxTourSteps(problem);
    for (int32_t p = 0; p < trajectories; ++p) AddNearestNeighbourPlan(p);
  }

  // Reachable from the depot, and wide enough for routes of some customers.
  void AddWindows(CounterRandom& random) {
    for (int32_t n = 0; n < nodes; ++n) {
      opens.push_back(n == 0 ? 0 : 3 * random.UniformDouble());
      closes.push_back(n == 0 ? 10 : opens.back() + 2);
    }
    problem.window_opens = opens.data();
    problem.window_closes = closes.data();
    problem.horizon = 10;
  }

  void AddNearestNeighbourPlan(int32_t p) {
    const StepRules rules = MakeStepRules(problem);
    std::vector<uint8_t> visited(static_cast<size_t>(nodes));
    std::vector<float> mask(visited.size());
    RouteState state = BeginTrajectory(rules, visited.data());
    std::vector<int32_t> plan;
    while (!IsDone(state)) {
      WriteMask(rules, state, visited.data(), mask.data());
      int32_t nearest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (int32_t n = 1; n < nodes; ++n) {
        const double distance = LegDistance(problem, state.current, n);
        if (mask[n] != 0 || distance >= least) continue;
        nearest = n;
        least = distance;
      }
      if (plan.empty()) nearest = 1 + p % (nodes - 1);
      plan.push_back(nearest);
      Take(rules, nearest, state, visited.data());
    }
    steps += static_cast<int64_t>(plan.size());
    plan.resize(static_cast<size_t>(max_steps), -1);
    plans.insert(plans.end(), plan.begin(), plan.end());
  }

  template <typename T>
  DecoderNodes<T> View(T* from) const {
    const int64_t hidden = shape.hidden;
    T* const rest = from + nodes * stride;
    return {.stride = stride,
            .keys = from,
            .values = from + hidden,
            .logit_keys = from + 2 * hidden,
            .queries = from + 3 * hidden,
            .first_queries = from + 4 * hidden,
            .base_query = rest,
            .start_query = rest + hidden,
            .shares_weight = rest + 2 * hidden};
  }

  DecoderShape shape;
  int32_t nodes;
  int32_t trajectories;
  std::vector<double> x, y, demands, opens, closes;
  RoutingProblem problem;
  int64_t stride = 0;
  std::vector<float> projections;
  std::vector<float> gradients;
  int32_t max_steps = 0;
  int64_t steps = 0;
  std::vector<int32_t> plans;
};

template <typename Run>
void Measure(const DecoderCase& c, const std::string& pass, const Run& run) {
  std::vector<double> ms;
  int64_t steps = run();
  const double end = Now() + kSecondsOfACase;
  while (Now() < end || ms.size() < 5) {
    const double begin = Now();
    steps = run();
    ms.push_back(1e3 * (Now() - begin));
  }
  const double best = *std::min_element(ms.begin(), ms.end());
  PrintMeasurement({{"what", "decoder_" + pass + "_" + c.what + (c.windows ? "_vrptw" : "_cvrp") +
                                 std::to_string(c.customers)},
                    {"isa", IsaName(BestIsa())},
                    {"trajectories", c.trajectories},
                    {"steps", steps},
                    {"best_ms", best},
                    {"median_ms", Median(ms)},
                    {"us_per_step", 1e3 * best / static_cast<double>(steps)},
                    {"runs", ms.size()}},
                   1);
}

void MeasureCase(const DecoderCase& c) {
  Subject subject(c);
  const auto decoder = MakeAttentionDecoder<float>(subject.shape, BestIsa());
  const auto count = static_cast<size_t>(c.trajectories);
  std::vector<float> scratch(
      static_cast<size_t>(decoder->ScratchSize(subject.problem, c.trajectories)));
  std::vector<int32_t> choices(subject.plans.size());
  std::vector<int32_t> lengths(count);
  std::vector<int32_t> agreements(count);
  std::vector<double> costs(count);
  std::vector<double> log_likelihoods(count);
  const DecodeResult<float> result = {subject.max_steps, choices.data(),         lengths.data(),
                                      costs.data(),      log_likelihoods.data(), agreements.data()};
  const DecoderNodes<const float> nodes = subject.View<const float>(subject.projections.data());
  const auto roll = [&](StepChoice choice) {
    const DecodeRequest request = {
        .choice = choice, .trajectories = c.trajectories, .follow = subject.plans.data()};
    decoder->Rollout(subject.problem, nodes, request, result, scratch.data());
    int64_t steps = 0;
    for (const int32_t length : lengths) steps += length;
    return steps;
  };
  Measure(c, "rollout", [&] { return roll(StepChoice::kFollow); });
  Measure(c, "sample", [&] { return roll(StepChoice::kSample); });
  const std::vector<double> weights(count, 0.01);
  const SecondPassRequest<float> request = {.trajectories = c.trajectories,
                                            .max_steps = subject.max_steps,
                                            .choices = subject.plans.data(),
                                            .weights = weights.data()};
  Measure(c, "second_pass", [&] {
    decoder->SecondPass(subject.problem, nodes, request, log_likelihoods.data(),
                        subject.View<float>(subject.gradients.data()), scratch.data());
    return subject.steps;
  });
}

}  // namespace
}  // namespace vrp

int main() {
  for (const int customers : {10, 20, 50, 100}) vrp::MeasureCase({"am", customers, 1});
  for (const int customers : {50, 100}) vrp::MeasureCase({"pomo", customers, customers});
  vrp::MeasureCase({"am", 50, 1, true});
  vrp::MeasureCase({"pomo", 50, 50, true});
  return 0;
}
