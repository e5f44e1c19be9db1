// Measures the attention decoder alone, one instance on one thread. Covers forced rollouts, sampled
// rollouts and second passes of the attention model (one trajectory) and of POMO (one per
// customer). The plans of forced rollouts and second passes come from a nearest-neighbour rule that
// returns to the depot only when it must. Their numbers of steps are therefore close to those of a
// trained model. `steps` is the total number of steps, and `us_per_step` is the best time divided
// by `steps`.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "tests/bench/decoder_subject.h"
#include "tests/bench/json_line.h"

namespace vrp {
namespace {

constexpr double kSecondsPerCase = 0.5;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Run>
void Measure(const DecoderCase& c, const std::string& pass, const Run& run) {
  std::vector<double> ms;
  int64_t steps = run();
  const double end = Now() + kSecondsPerCase;
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
  DecoderSubject subject(c);
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
        .choice = choice, .trajectories = c.trajectories, .forced_choices = subject.plans.data()};
    decoder->Rollout(subject.problem, nodes, request, result, scratch.data());
    int64_t steps = 0;
    for (const int32_t length : lengths) steps += length;
    return steps;
  };
  Measure(c, "rollout", [&] { return roll(StepChoice::kForced); });
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
