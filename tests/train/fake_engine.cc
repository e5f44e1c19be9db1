#include "tests/train/fake_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/kernels/routing/routing_step.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/pointer_network/pointer_architecture.h"

namespace vrp::test {
namespace {

constexpr size_t kInputs =
    kNodeFeatures + 2;  // the features, the distance and whether it is the depot
using Inputs = std::array<double, kInputs>;

// A step of a trajectory: the allowed nodes with their probabilities.
struct Step {
  std::vector<Inputs> inputs;         // [N]
  std::vector<double> probabilities;  // [N], 0 for forbidden nodes
  int32_t allowed = 0;
};

// A trajectory of instance `b`, which the caller extends node by node.
class Walk {
 public:
  Walk(const NetworkBatch& batch, int32_t b, std::span<const float> weights)
      : batch_(batch),
        b_(b),
        weights_(weights),
        rules_(MakeStepRules(batch.problems[static_cast<size_t>(b)])),
        visited_(static_cast<size_t>(rules_.problem.nodes)),
        state_(BeginTrajectory(rules_, visited_.data())) {}

  bool done() const { return IsDone(state_); }
  double cost() const { return state_.cost; }
  void Visit(int32_t node) { Take(rules_, node, state_, visited_.data()); }
  bool Allows(int32_t node) const { return IsAllowed(rules_, state_, visited_.data(), node); }

  // Returns the allowed nodes in ascending order.
  std::vector<int32_t> Allowed() const {
    std::vector<int32_t> nodes;
    for (int32_t n = 0; n < rules_.problem.nodes; ++n) {
      if (Allows(n)) nodes.push_back(n);
    }
    return nodes;
  }

  // Returns the network's probabilities for the next node.
  Step Observe(double temperature) const {
    const auto nodes = static_cast<size_t>(rules_.problem.nodes);
    Step step{.inputs = std::vector<Inputs>(nodes), .probabilities = std::vector<double>(nodes)};
    std::vector<double> logits(nodes, -std::numeric_limits<double>::infinity());
    for (const int32_t n : Allowed()) {
      Inputs& inputs = step.inputs[static_cast<size_t>(n)];
      FillInputs(n, inputs);
      double logit = 0;
      for (size_t k = 0; k < kInputs; ++k) logit += double{weights_[k]} * inputs[k];
      logits[static_cast<size_t>(n)] = logit / temperature;
      ++step.allowed;
    }
    const double highest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (size_t n = 0; n < nodes; ++n) sum += step.probabilities[n] = std::exp(logits[n] - highest);
    for (double& probability : step.probabilities) probability /= sum;
    return step;
  }

 private:
  void FillInputs(int32_t node, Inputs& inputs) const {
    const auto row = static_cast<size_t>(batch_.first_rows[static_cast<size_t>(b_)] + node);
    for (size_t k = 0; k < size_t{kNodeFeatures}; ++k) {
      inputs[k] = batch_.features[row * kNodeFeatures + k];
    }
    const RoutingProblem& problem = rules_.problem;
    inputs[kNodeFeatures] = LegDistance(problem, state_.current, node) / problem.scale;
    inputs[kNodeFeatures + 1] = node == 0 && !problem.tsp ? 1 : 0;
  }

  const NetworkBatch& batch_;
  const int32_t b_;
  const std::span<const float> weights_;
  const StepRules rules_;
  std::vector<uint8_t> visited_;
  RouteState state_;
};

ParameterLayout Layout() {
  return ParameterLayout({{.name = "weight", .shape = {1, kInputs - 1}, .bound = 0.1},
                          {.name = "depot", .shape = {1}, .bound = 0.1}});
}

int32_t MostLikelyNode(const Step& step) {
  const auto best = std::max_element(step.probabilities.begin(), step.probabilities.end());
  return static_cast<int32_t>(best - step.probabilities.begin());
}

int32_t SampleNode(const Step& step, CounterRandom random) {
  double remaining = random.UniformDouble();
  int32_t last = 0;
  for (size_t n = 0; n < step.probabilities.size(); ++n) {
    if (step.probabilities[n] == 0) continue;
    last = static_cast<int32_t>(n);
    remaining -= step.probabilities[n];
    if (remaining < 0) break;
  }
  return last;
}

// A trajectory in the form of Trajectories.
struct Tour {
  std::vector<int32_t> choices;
  double cost = 0;
  double log_likelihood = 0;
  int32_t agreements = 0;
};

class FakeEngine final : public PolicyEngine {
 public:
  explicit FakeEngine(const FakeEngineOptions& options)
      : options_(options),
        inputs_(InputsOf(options.order == NodeOrder::kByAngle ? PointerArchitecture()
                                                              : GraphTransformerArchitecture(),
                         {})),
        parameters_(Layout(), options.seed) {}

  std::string_view architecture() const override { return "fake"; }
  const NetworkInputs& inputs() const override { return inputs_; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  absl::Status ParametersChanged() override { return absl::OkStatus(); }

  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& request) const override {
    std::vector<Tour> tours;
    for (int32_t row = 0; row < batch.size() * request.trajectories; ++row) {
      VRP_RETURN_IF_ERROR(StopStatus(request.stop.Check()));
      VRP_ASSIGN_OR_RETURN(Tour tour, RollOut(batch, request, row));
      tours.push_back(std::move(tour));
    }
    return ToTrajectories(tours, request.trajectories);
  }

  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& request,
                                              WeighTrajectories weigh) override {
    const int32_t at_once = request.micro_batch > 0 ? request.micro_batch : batch.size();
    if (options_.max_instances > 0 && at_once > options_.max_instances) {
      return absl::ResourceExhaustedError("out of memory");
    }
    GradientOutcome outcome;
    VRP_ASSIGN_OR_RETURN(outcome.trajectories, Run(batch, request.rollout));
    const auto per_instance = static_cast<size_t>(outcome.trajectories.count);
    std::vector<double> weights(outcome.trajectories.costs.size());
    constexpr size_t kInstancesPerPart = 4;  // asks for weights in pieces, as engines do
    for (size_t first = 0; first < batch.problems.size(); first += kInstancesPerPart) {
      const size_t count = std::min(kInstancesPerPart, batch.problems.size() - first);
      weigh(
          static_cast<int64_t>(first),
          std::span(outcome.trajectories.costs).subspan(first * per_instance, count * per_instance),
          std::span(weights).subspan(first * per_instance, count * per_instance));
    }
    std::vector<double> gradient(kInputs);
    for (size_t row = 0; row < weights.size(); ++row) {
      const double likelihood = Backward(batch, request, outcome.trajectories,
                                         static_cast<int64_t>(row), weights[row], gradient);
      outcome.loss += weights[row] * likelihood;
    }
    for (size_t k = 0; k < kInputs; ++k) {
      parameters_.gradient()[k] += static_cast<float>(gradient[k]);
    }
    outcome.seconds[static_cast<size_t>(Phase::kEncode)] = 1e-6;
    for (const float weight : parameters_.values()) {
      if (std::abs(weight) > 1e30F) outcome.loss = std::numeric_limits<double>::quiet_NaN();
    }
    return outcome;
  }

 private:
  absl::StatusOr<Tour> RollOut(const NetworkBatch& batch, const RolloutRequest& request,
                               int32_t row) const {
    const int32_t b = row / request.trajectories;
    Walk walk(batch, b, parameters_.values());
    Tour tour;
    const int64_t number = request.first_instance * request.trajectories + row;
    while (!walk.done()) {
      const Step step = walk.Observe(1);
      if (step.allowed == 0) {
        return absl::FailedPreconditionError(Concat("instances[", b, "]: no customer can be next"));
      }
      const auto t = static_cast<uint32_t>(tour.choices.size());
      const bool fixed_start = t == 0 && request.distinct_starts;
      int32_t node = MostLikelyNode(step);
      if (fixed_start) {
        const std::vector<int32_t> starts = walk.Allowed();
        node = starts[static_cast<size_t>(row % request.trajectories) % starts.size()];
      } else if (request.choice == Choice::kForced) {
        node = request.choices[static_cast<size_t>(row)][t];
      } else if (request.choice == Choice::kSample) {
        const uint64_t stream = request.stream << 32 | static_cast<uint64_t>(number);
        node =
            SampleNode(walk.Observe(request.temperature), CounterRandom(request.seed, stream, t));
      }
      if (!walk.Allows(node)) return absl::InvalidArgumentError("choices: not allowed");
      tour.agreements += node == MostLikelyNode(step) ? 1 : 0;
      if (!fixed_start)
        tour.log_likelihood += std::log(step.probabilities[static_cast<size_t>(node)]);
      tour.choices.push_back(node);
      walk.Visit(node);
    }
    tour.cost = walk.cost();
    return tour;
  }

  static Trajectories ToTrajectories(const std::vector<Tour>& tours, int32_t count) {
    Trajectories table;
    table.count = count;
    for (const Tour& tour : tours) {
      table.steps = std::max(table.steps, static_cast<int32_t>(tour.choices.size()));
    }
    for (const Tour& tour : tours) {
      table.choices.insert(table.choices.end(), tour.choices.begin(), tour.choices.end());
      table.lengths.push_back(static_cast<int32_t>(tour.choices.size()));
      table.choices.resize(table.lengths.size() * static_cast<size_t>(table.steps), -1);
      table.costs.push_back(tour.cost);
      table.log_likelihoods.push_back(tour.log_likelihood);
      table.agreements.push_back(tour.agreements);
    }
    return table;
  }

  // Adds the gradient of weight * log-likelihood of trajectory `row`. Returns the log-likelihood.
  double Backward(const NetworkBatch& batch, const GradientRequest& request,
                  const Trajectories& trajectories, int64_t row, double weight,
                  std::vector<double>& gradient) const {
    Walk walk(batch, static_cast<int32_t>(row / trajectories.count), parameters_.values());
    double likelihood = 0;
    bool fixed_start = request.rollout.distinct_starts;
    for (const int32_t node : trajectories.Choices(row)) {
      if (!std::exchange(fixed_start, false)) {
        const Step step = walk.Observe(1);
        for (const int32_t n : walk.Allowed()) {
          const auto index = static_cast<size_t>(n);
          const double target = (n == node ? 1 - request.label_smoothing : 0) +
                                request.label_smoothing / step.allowed;
          likelihood += target == 0 ? 0 : target * std::log(step.probabilities[index]);
          for (size_t k = 0; k < kInputs; ++k) {
            gradient[k] += weight * (target - step.probabilities[index]) * step.inputs[index][k];
          }
        }
      }
      walk.Visit(node);
    }
    return likelihood;
  }

  const FakeEngineOptions options_;
  const NetworkInputs inputs_;
  FlatParameters parameters_;
};

}  // namespace

std::unique_ptr<PolicyEngine> MakeFakeEngine(const FakeEngineOptions& options) {
  return std::make_unique<FakeEngine>(options);
}

}  // namespace vrp::test
