#include "core/train/learners/learner.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/fake_engine.h"

namespace vrp {
namespace {

// An engine that forwards to a fake one and records the learner's requests.
class RecordingEngine final : public PolicyEngine {
 public:
  std::string_view architecture() const override { return "fake"; }
  const NetworkInputs& inputs() const override { return inner_->inputs(); }
  FlatParameters& parameters() override { return inner_->parameters(); }
  const FlatParameters& parameters() const override { return std::as_const(*inner_).parameters(); }
  absl::Status ParametersChanged() override {
    ++changes;
    return absl::OkStatus();
  }
  absl::StatusOr<Trajectories> Run(const NetworkBatch& batch,
                                   const RolloutRequest& given) const override {
    runs.push_back(given);
    run = inner_->Run(batch, given);
    return run;
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch& batch,
                                              const GradientRequest& given,
                                              WeighTrajectories weigh) override {
    request = given;
    forced_choices.assign(given.rollout.choices.begin(), given.rollout.choices.end());
    weights.assign(batch.problems.size() * static_cast<size_t>(given.rollout.trajectories), 0);
    const auto per_instance = static_cast<size_t>(given.rollout.trajectories);
    const auto record = [&](int64_t first, std::span<const double> costs, std::span<double> out) {
      weigh(first, costs, out);
      std::copy(
          out.begin(), out.end(),
          weights.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(first) * per_instance));
    };
    auto outcome = inner_->AddGradient(batch, given, record);
    if (outcome.ok()) {
      outcome->pass_difference = pass_difference;
      trajectories = outcome->trajectories;
    }
    return outcome;
  }

  double pass_difference = 0;
  int changes = 0;
  mutable std::vector<RolloutRequest> runs;
  mutable absl::StatusOr<Trajectories> run = absl::UnknownError("");
  GradientRequest request;
  std::vector<std::vector<int32_t>> forced_choices;
  std::vector<double> weights;
  Trajectories trajectories;

 private:
  const std::unique_ptr<PolicyEngine> inner_ = test::MakeFakeEngine();
};

class LearnerTest : public testing::Test {
 protected:
  LearnerTest() {
    config_.problem.customers = {5, 5};
    config_.batch_size = 6;
    config_.batches_per_epoch = 4;
    engine_.parameters().TrackGradient();
  }
  std::unique_ptr<Learner> Make() {
    source_ = instances_.empty() ? MakeGeneratedSource(config_, NodeOrder::kAsGiven)
                                 : MakeInstanceSource(config_, NodeOrder::kAsGiven, instances_);
    LearnerOptions options{.config = config_,
                           .engine = &engine_,
                           .baseline = nullptr,
                           .source = source_.get(),
                           .pool = nullptr,
                           .bf16 = false};
    if (config_.reinforce.baseline == Baseline::kGreedyRollout) {
      auto baseline = std::make_unique<RecordingEngine>();
      baseline_ = baseline.get();
      options.baseline = std::move(baseline);
    }
    return *MakeLearner(std::move(options));
  }
  TrainingBatch Batch(int64_t number) { return *source_->Make(number, 1, nullptr); }
  // Computes the gradient with `per_instance` trajectories per instance. Expects the weight of a
  // trajectory to be the difference between its cost and the mean cost of its instance. The
  // difference is divided by the instance's scale and the number of the batch's trajectories.
  void ExpectOwnMeanAsBaseline(size_t per_instance, bool distinct_starts) {
    const auto learner = Make();
    const TrainingBatch batch = Batch(0);
    ASSERT_TRUE(learner->AddGradient(1, batch, 0, {}).ok());
    EXPECT_EQ(engine_.request.rollout.trajectories, static_cast<int32_t>(per_instance));
    EXPECT_EQ(engine_.request.rollout.distinct_starts, distinct_starts);
    for (size_t b = 0; b < 6; ++b) {
      double mean = 0;
      double sum = 0;
      for (size_t p = 0; p < per_instance; ++p)
        mean += engine_.trajectories.costs[b * per_instance + p];
      mean /= static_cast<double>(per_instance);
      for (size_t p = 0; p < per_instance; ++p) {
        const double advantage = (engine_.trajectories.costs[b * per_instance + p] - mean) /
                                 batch.parts[0].batch.problems[b].scale;
        EXPECT_NEAR(engine_.weights[b * per_instance + p],
                    advantage / static_cast<double>(6 * per_instance), 1e-12);
        sum += engine_.weights[b * per_instance + p];
      }
      EXPECT_NEAR(sum, 0, 1e-12);
    }
  }

  TrainingConfig config_;
  std::vector<Instance> instances_;  // empty: generated instances
  RecordingEngine engine_;
  RecordingEngine* baseline_ = nullptr;
  std::unique_ptr<BatchSource> source_;
};

TEST_F(LearnerTest, GreedyRolloutWeighsByTheDifferenceToTheFrozenPolicy) {
  config_.reinforce.warmup_epochs = 0;
  const auto learner = Make();
  baseline_->parameters().values()[0] += 3;  // makes the policy differ from the trained one
  const TrainingBatch batch = Batch(0);
  ASSERT_TRUE(learner->AddGradient(1, batch, 0, {}).ok());
  ASSERT_EQ(baseline_->runs.size(), 1u);
  EXPECT_EQ(baseline_->runs[0].choice, Choice::kGreedy);
  EXPECT_EQ(engine_.request.rollout.choice, Choice::kSample);
  for (size_t i = 0; i < 6; ++i) {
    const double scale = batch.parts[0].batch.problems[i].scale;
    EXPECT_NEAR(engine_.weights[i],
                (engine_.trajectories.costs[i] - baseline_->run->costs[i]) / scale / 6, 1e-12);
  }
}

TEST_F(LearnerTest, ExponentialWeighsByTheAverageOfEarlierSteps) {
  config_.reinforce.baseline = Baseline::kExponential;
  config_.reinforce.average_decay = 0.75;
  const auto learner = Make();
  double average = 0;
  for (int64_t step = 1; step <= 3; ++step) {
    const TrainingBatch batch = Batch(step - 1);
    ASSERT_TRUE(learner->AddGradient(step, batch, 0, {}).ok());
    const auto scaled = [&](const Trajectories& rollout, size_t i) {
      return rollout.costs[i] / batch.parts[0].batch.problems[i].scale;
    };
    if (step == 1) {  // a greedy rollout replaces the average
      ASSERT_EQ(engine_.runs.size(), 1u);
      for (size_t i = 0; i < 6; ++i) average += scaled(*engine_.run, i) / 6;
    }
    double mean = 0;
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(engine_.weights[i], (scaled(engine_.trajectories, i) - average) / 6, 1e-12)
          << step;
      mean += scaled(engine_.trajectories, i) / 6;
    }
    average = 0.75 * average + 0.25 * mean;
    EXPECT_NEAR(learner->ScalarState().at("reinforce.average"), average, 1e-12);
  }
  EXPECT_EQ(engine_.runs.size(), 1u);
}

TEST_F(LearnerTest, GreedyRolloutUsesTheAverageDuringWarmUp) {
  config_.reinforce.warmup_epochs = 1;  // warm-up of 4 steps
  const auto learner = Make();
  for (int64_t step = 1; step <= 5; ++step) {
    ASSERT_TRUE(learner->AddGradient(step, Batch(step - 1), 0, {}).ok());
    EXPECT_EQ(baseline_->runs.size(), step <= 4 ? 0u : 1u);
  }
}

TEST_F(LearnerTest, PomoWeighsByTheMeanOfAnInstancesOwnTrajectories) {
  config_.reinforce.baseline = Baseline::kPomo;
  for (const int32_t starts : {0, 3}) {
    config_.reinforce.starts = starts;
    ExpectOwnMeanAsBaseline(starts == 0 ? 5 : starts, true);
  }
}

TEST_F(LearnerTest, SamplesWeighByTheirMeanAndStartFreely) {
  config_.reinforce.baseline = Baseline::kSamples;
  config_.reinforce.samples = 4;
  ExpectOwnMeanAsBaseline(4, false);
}

TEST_F(LearnerTest, SelfLabellingForcesItsBestSample) {
  config_.method = TrainingMethod::kSelfLabelling;
  config_.self_labelling_samples = 7;
  const auto learner = Make();
  ASSERT_TRUE(learner->AddGradient(1, Batch(0), 0, {}).ok());
  ASSERT_EQ(engine_.runs.size(), 1u);
  EXPECT_EQ(engine_.runs[0].trajectories, 7);
  EXPECT_EQ(engine_.runs[0].choice, Choice::kSample);
  EXPECT_EQ(engine_.request.rollout.choice, Choice::kForced);
  for (size_t b = 0; b < 6; ++b) {
    const auto from = engine_.run->costs.begin() + static_cast<std::ptrdiff_t>(b * 7);
    EXPECT_NEAR(engine_.trajectories.costs[b], *std::min_element(from, from + 7), 1e-12);
    EXPECT_NEAR(engine_.weights[b],
                -1.0 / (6 * static_cast<double>(engine_.forced_choices[b].size())), 1e-12);
  }
}

TEST_F(LearnerTest, SupervisionWeighsEveryChoiceOfAStepEqually) {
  config_.method = TrainingMethod::kSupervised;
  config_.supervised.samples = 24;  // 4 steps per epoch
  config_.supervised.label_smoothing = 0.1;
  config_.supervised.teacher_forcing_start = 1;
  config_.supervised.teacher_forcing_end = 0.5;
  config_.epochs = 3;
  const auto learner = Make();
  TrainingBatch batch = Batch(0);
  const auto greedy = engine_.Run(batch.parts[0].batch, {});
  for (int64_t b = 0; b < 6; ++b) {
    const auto choices = greedy->Choices(b);
    batch.parts[0].choices.emplace_back(choices.begin(), choices.end());
    batch.label_steps += static_cast<int64_t>(choices.size());
  }
  batch.label_cost = 4.5;
  const auto outcome = learner->AddGradient(5, batch, 0, {});  // the first step of the second epoch
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  for (const double weight : engine_.weights) {
    EXPECT_NEAR(weight, -1 / static_cast<double>(batch.label_steps), 1e-12);
  }
  EXPECT_EQ(engine_.request.label_smoothing, 0.1);
  EXPECT_DOUBLE_EQ(engine_.request.rollout.teacher_forcing, 0.75);
  EXPECT_EQ(outcome->accuracy, 1);  // the labels are the network's most likely choices
  EXPECT_EQ(outcome->cost, 4.5);
}

TEST_F(LearnerTest, RequestsCapturedStepsAlongLabels) {
  config_.method = TrainingMethod::kSupervised;
  config_.problem.customers = {5, 9};
  config_.sizes.dropout = 0.2;
  config_.supervised.label_smoothing = 0.1;
  config_.weight_average = 0.5;
  const auto request = Make()->RequestCapturedSteps();
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_TRUE(request->labels);
  EXPECT_TRUE(request->dropout);
  EXPECT_EQ(request->label_smoothing, 0.1);
  EXPECT_EQ(request->weight_average, 0.5);
  EXPECT_EQ(request->instances, 6);
  EXPECT_EQ(request->nodes, 10);  // largest number of customers, and the depot
  config_.sizes.dropout = 0;
  EXPECT_FALSE(Make()->RequestCapturedSteps()->dropout);
}

TEST_F(LearnerTest, RequestsCapturedStepsForItsLargestInstances) {
  config_.problem.customers = {5, 9};
  config_.reinforce = {.baseline = Baseline::kPomo, .starts = 4};
  EXPECT_EQ(Make()->RequestCapturedSteps()->nodes, 10);
  instances_ = {test::AnInstance().WithCustomers(7).Build(),
                test::AnInstance().WithCustomers(4).Build()};
  auto request = Make()->RequestCapturedSteps();
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->nodes, 8);
  EXPECT_FALSE(request->tsp);
  EXPECT_EQ(request->trajectories, 4);
  EXPECT_TRUE(request->distinct_starts);
  config_.reinforce.starts = 0;
  instances_ = {test::AnInstance().WithCustomers(7).Build(),
                test::AnInstance().Kind(ProblemKind::kTsp).WithCustomers(6).Build()};
  request = Make()->RequestCapturedSteps();
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->nodes, 8);
  EXPECT_TRUE(request->tsp);
  EXPECT_EQ(request->trajectories, 7);
}

TEST_F(LearnerTest, RequestsAsManyPartsAsAreAccumulated) {
  EXPECT_EQ(Make()->RequestCapturedSteps()->parts, 1);
  config_.accumulate_steps = 3;
  EXPECT_EQ(Make()->RequestCapturedSteps()->parts, 3);
}

TEST_F(LearnerTest, RequestsTrajectoriesPerBatchIfSizesDiffer) {
  config_.method = TrainingMethod::kReinforce;
  config_.reinforce.baseline = Baseline::kPomo;
  config_.problem.customers = {5, 6};
  EXPECT_EQ(Make()->RequestCapturedSteps()->trajectories, 0);
  config_.problem.customers = {6, 6};
  EXPECT_EQ(Make()->RequestCapturedSteps()->trajectories, 6);
  config_.problem.customers = {5, 6};
  config_.reinforce.starts = 4;
  EXPECT_EQ(Make()->RequestCapturedSteps()->trajectories, 4);
}

TEST_F(LearnerTest, RequestsCapturedStepsForItsInstances) {
  config_.method = TrainingMethod::kSelfLabelling;
  config_.self_labelling_samples = 5;
  instances_ = {test::AnInstance().WithCustomers(4).Build(),
                test::AnInstance().WithCustomers(6).ExplicitMatrix(0.4).Build()};
  const auto request = Make()->RequestCapturedSteps();
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->trajectories, 5);
  EXPECT_EQ(request->nodes, 7);
  EXPECT_TRUE(request->matrices);
  instances_ = {};
  EXPECT_FALSE(Make()->RequestCapturedSteps()->matrices);
}

TEST_F(LearnerTest, RefusesPassesThatDifferByMoreThanRounding) {
  const auto learner = Make();
  engine_.pass_difference = 0.01;
  EXPECT_EQ(learner->AddGradient(1, Batch(0), 0, {}).status().code(), absl::StatusCode::kInternal);
  engine_.pass_difference = 1e-4;
  EXPECT_TRUE(learner->AddGradient(1, Batch(0), 0, {}).ok());
}

TEST_F(LearnerTest, ReplacesTheBaselineByABetterPolicyOnly) {
  config_.reinforce.baseline_instances = 200;
  engine_.parameters().values()[kNodeFeatures] = 20;  // chooses the farthest node
  const auto learner = Make();
  const auto equal = learner->EndEpoch(1, {});
  ASSERT_TRUE(equal.ok());
  EXPECT_NE(equal->find("the baseline stays"), std::string::npos) << *equal;
  EXPECT_NE(equal->find("on 200 instances"), std::string::npos) << *equal;
  for (float& value : engine_.parameters().values()) value = 0;
  engine_.parameters().values()[kNodeFeatures] = -20;      // chooses the nearest node
  engine_.parameters().values()[kNodeFeatures + 1] = -50;  // avoids the depot
  const auto better = learner->EndEpoch(2, {});
  ASSERT_TRUE(better.ok());
  EXPECT_NE(better->find("becomes the baseline"), std::string::npos) << *better;
  EXPECT_TRUE(std::ranges::equal(baseline_->parameters().values(), engine_.parameters().values()));
  EXPECT_EQ(learner->ScalarState().at("reinforce.replacements"), 1);
}

// Returns the number after `label`.
double NumberAfter(const std::string& text, const std::string& label) {
  const size_t at = text.find(label);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + label.size()));
}

TEST_F(LearnerTest, ReportsCostsInTheUnitOfTheInstances) {
  for (int i = 0; i < 3; ++i) {
    instances_.push_back(
        test::AnInstance().WithCustomers(4).Seed(static_cast<uint64_t>(i) + 1).Build());
  }
  config_.problem.augment = false;
  config_.reinforce.baseline_instances = 3;
  const auto line = Make()->EndEpoch(1, {});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_GT(NumberAfter(*line, "cost of the policy "), 100);
  EXPECT_GT(NumberAfter(*line, "of the baseline "), 100);
}

}  // namespace
}  // namespace vrp
