// Learning to repeat good plans: teacher forcing, or scheduled sampling where its ratio is below 1.
#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/base/status_macros.h"
#include "core/model/rollout.h"
#include "core/train/autocast.h"
#include "core/train/labels.h"
#include "core/train/learner.h"

namespace vrp {
namespace {

constexpr uint64_t kShuffleStream = 1;
constexpr uint64_t kDropoutStream = 2;
constexpr uint64_t kForcingStream = 3;

class SupervisedLearner final : public Learner {
 public:
  SupervisedLearner(const LearnerOptions& options, std::vector<LabelledInput> labels)
      : options_(options), network_(*options.network), labels_(std::move(labels)) {}

  absl::StatusOr<StepOutcome> ComputeGradient(int64_t step, const StopCondition& stop) override {
    const auto [inputs, choices, cost] = Batch(step);
    // Torch's own generator draws the dropout: set anew at each step, it needs no checkpoint.
    at::manual_seed(CounterRandom(options_.config.seed, Stream(kDropoutStream, step)).Next64());
    const AutocastScope autocast(network_.tensor_options().device().type(), options_.amp);
    const bool dropout = options_.config.network.dropout > 0;
    const EncodedNodes encoded =
        network_.Encode(MakeNodeBatch(inputs, network_.tensor_options()), dropout);
    VRP_ASSIGN_OR_RETURN(const Rollout rollout, RunRollout(network_, encoded.Detached(), inputs,
                                                           {.choice = Choice::kFollow,
                                                            .seed = options_.config.seed,
                                                            .stream = Stream(kForcingStream, step),
                                                            .choices = choices,
                                                            .teacher_forcing = TeacherForcing(step),
                                                            .record = true,
                                                            .stop = stop}));
    const at::Tensor log_probabilities =
        ReplayLogProbabilities(network_, encoded, rollout, dropout);
    const at::Tensor loss = -log_probabilities.sum() / rollout.active.sum();
    loss.backward();
    return StepOutcome{.loss = loss.item<double>(), .cost = cost};
  }

  absl::StatusOr<std::string> EndEpoch(int64_t, const StopCondition&) override {
    return std::string();
  }

 private:
  struct Drawn {
    std::vector<NetworkInput> inputs;
    std::vector<std::vector<int32_t>> choices;
    double cost = 0;  // mean
  };

  static uint64_t Stream(uint64_t purpose, int64_t number) {
    return purpose << 56 | static_cast<uint64_t>(number);
  }

  // Each epoch takes the labels in an order of its own; the last batch may be smaller.
  Drawn Batch(int64_t step) {
    const int64_t steps = options_.config.StepsPerEpoch();
    const int64_t epoch = (step - 1) / steps;
    if (epoch != shuffled_epoch_) {
      order_.resize(labels_.size());
      std::iota(order_.begin(), order_.end(), size_t{0});
      CounterRandom random(options_.config.seed, Stream(kShuffleStream, epoch));
      random.Shuffle(std::span<size_t>(order_));
      shuffled_epoch_ = epoch;
    }
    Drawn drawn;
    const auto batch = static_cast<size_t>(options_.config.batch_size);
    const size_t first = static_cast<size_t>((step - 1) % steps) * batch % labels_.size();
    const size_t last = std::min(first + batch, labels_.size());
    for (size_t i = first; i < last; ++i) {
      const LabelledInput& label = labels_[order_[i]];
      drawn.inputs.push_back(label.input);
      drawn.choices.push_back(label.choices);
      drawn.cost += label.cost / static_cast<double>(last - first);
    }
    return drawn;
  }

  double TeacherForcing(int64_t step) const {
    const SupervisedConfig& supervised = options_.config.supervised;
    const int64_t epochs = options_.config.epochs;
    const int64_t epoch = (step - 1) / options_.config.StepsPerEpoch();
    const double share =
        epochs > 1 ? static_cast<double>(epoch) / static_cast<double>(epochs - 1) : 0;
    return supervised.teacher_forcing_start +
           share * (supervised.teacher_forcing_end - supervised.teacher_forcing_start);
  }

  const LearnerOptions options_;
  PointerNetwork& network_;
  const std::vector<LabelledInput> labels_;
  std::vector<size_t> order_;  // of the epoch shuffled_epoch_
  int64_t shuffled_epoch_ = -1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Learner>> MakeSupervisedLearner(const LearnerOptions& options,
                                                               const StopCondition& stop) {
  const bool made = options.config.supervised.labels == LabelSource::kHeuristic;
  VRP_ASSIGN_OR_RETURN(
      std::vector<LabelledInput> labels,
      made ? HeuristicLabels(options.config, options.threads, stop) : FileLabels(options.config));
  return std::make_unique<SupervisedLearner>(options, std::move(labels));
}

}  // namespace vrp
