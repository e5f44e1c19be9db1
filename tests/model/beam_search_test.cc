// Tests beam search by both CPU engines.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/routing/routing_step.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/pointer_network/cpu_pointer_network.h"
#include "core/model/policy/engine_policy.h"
#include "core/problem/checker/checker.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using Sequence = std::vector<int32_t>;

class BeamSearchTest : public testing::TestWithParam<std::string> {
 protected:
  BeamSearchTest() : engine_(Make()) {}

  static std::unique_ptr<PolicyEngine> Make() {
    if (GetParam() == "gt") {
      return MakeCpuGraphTransformer({.hidden = 32, .heads = 4, .feed_forward = 48, .layers = 2},
                                     5);
    }
    return MakeCpuPointerNetwork({.hidden = 32, .layers = 2, .dropout = 0}, 5);
  }

  NetworkBatch BatchOf(const std::vector<Instance>& instances) const {
    return MakeNetworkBatch(instances, engine_->batch_form());
  }
  Trajectories Run(const NetworkBatch& batch, const RolloutRequest& request) const {
    auto trajectories = engine_->Run(batch, request);
    EXPECT_TRUE(trajectories.ok()) << trajectories.status();
    return *std::move(trajectories);
  }
  Trajectories Beam(const NetworkBatch& batch, int32_t width, CpuPool* pool = nullptr) const {
    return Run(batch, {.choice = Choice::kBeam, .trajectories = width, .pool = pool});
  }

  // Returns one instance of each variant that the network supports.
  static std::vector<Instance> Variants() {
    std::vector<Instance> variants = {
        AnInstance().WithCustomers(7).RandomDemands().Build(),
        AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(2).Build(),
        AnInstance().WithCustomers(6).RandomWindows().Service(2).Seed(3).Build(),
    };
    if (GetParam() != "gt") return variants;
    variants.push_back(AnInstance().WithCustomers(8).OpenEnd().Seed(4).Build());
    variants.push_back(AnInstance().WithCustomers(6).MaxDistance(400).Seed(5).Build());
    variants.push_back(AnInstance()
                           .WithCustomers(6)
                           .Backhauls({0, 3, 0, 2, 0, 4})
                           .Demands({3, 0, 2, 0, 5, 0})
                           .Build());
    variants.push_back(AnInstance().WithCustomers(7).ExplicitMatrix(0.4).Seed(6).Build());
    return variants;
  }

  const std::unique_ptr<PolicyEngine> engine_;
};

std::vector<Instance> RandomInstances(int32_t customers, int32_t count) {
  return *GenerateInstances({.kind = ProblemKind::kCvrp, .customers = customers}, count);
}

Sequence ChoicesAt(const Trajectories& trajectories, int64_t row) {
  const auto choices = trajectories.Choices(row);
  return {choices.begin(), choices.end()};
}

TEST_P(BeamSearchTest, WidthOneEqualsGreedy) {
  for (const std::vector<Instance>& instances : {RandomInstances(20, 12), Variants()}) {
    const NetworkBatch batch = BatchOf(instances);
    const Trajectories greedy = Run(batch, {});
    const Trajectories beam = Beam(batch, 1);
    EXPECT_EQ(beam.choices, greedy.choices);
    EXPECT_EQ(beam.lengths, greedy.lengths);
    EXPECT_EQ(beam.costs, greedy.costs);
    EXPECT_EQ(beam.agreements, greedy.agreements);
    EXPECT_EQ(beam.log_likelihoods, greedy.log_likelihoods);
  }
}

TEST_P(BeamSearchTest, IsNeverWorseThanGreedyInLikelihoodAndCost) {
  const NetworkBatch batch = BatchOf(RandomInstances(20, 40));
  const Trajectories greedy = Run(batch, {});
  double gained = 0;
  for (const int32_t width : {2, 5, 18, 60}) {
    const Trajectories beam = Beam(batch, width);
    for (int32_t b = 0; b < batch.size(); ++b) {
      const int64_t first = int64_t{b} * width;
      EXPECT_GE(beam.log_likelihoods[first], greedy.log_likelihoods[b]);
      const auto costs = beam.costs.begin() + first;
      EXPECT_LE(*std::min_element(costs, costs + width), greedy.costs[b]);
      gained += beam.log_likelihoods[first] - greedy.log_likelihoods[b];
    }
  }
  EXPECT_GT(gained, 1);
}

TEST_P(BeamSearchTest, ReturnsDistinctRankedToursWithTheirLikelihoods) {
  constexpr int32_t kWidth = 50;
  const NetworkBatch batch = BatchOf(RandomInstances(15, 6));
  const Trajectories beam = Beam(batch, kWidth);
  std::vector<Sequence> choices;
  for (int64_t row = 0; row < std::ssize(beam.lengths); ++row) {
    choices.push_back(ChoicesAt(beam, row));
  }
  const Trajectories forced =
      Run(batch, {.choice = Choice::kForced, .trajectories = kWidth, .choices = choices});
  for (size_t row = 0; row < choices.size(); ++row) {
    EXPECT_NEAR(beam.log_likelihoods[row], forced.log_likelihoods[row], 1e-4);
    EXPECT_EQ(beam.costs[row], forced.costs[row]);
    EXPECT_EQ(beam.agreements[row], forced.agreements[row]);
    if (row % kWidth == 0) continue;
    EXPECT_LE(beam.log_likelihoods[row], beam.log_likelihoods[row - 1]);
  }
  for (int32_t b = 0; b < batch.size(); ++b) {
    const auto begin = choices.begin() + b * kWidth;
    EXPECT_EQ(std::set<Sequence>(begin, begin + kWidth).size(), static_cast<size_t>(kWidth));
  }
}

// All tours of one instance, and the network's log-likelihood of each prefix.
struct AllTours {
  std::vector<Sequence> tours;
  std::vector<double> log_likelihoods;
  std::map<Sequence, double> prefix_log_likelihoods;
};

void AddTours(const StepRules& rules, const RouteState& state, const std::vector<uint8_t>& visited,
              const Sequence& prefix, std::vector<Sequence>& tours) {
  if (IsDone(state)) {
    tours.push_back(prefix);
    return;
  }
  for (int32_t node = 0; node < rules.problem.nodes; ++node) {
    if (!IsAllowed(rules, state, visited.data(), node)) continue;
    RouteState next = state;
    std::vector<uint8_t> next_visited = visited;
    Take(rules, node, next, next_visited.data());
    Sequence longer = prefix;
    longer.push_back(node);
    AddTours(rules, next, next_visited, longer, tours);
  }
}

// Lists all tours and sums the likelihoods of all completions of each prefix.
AllTours ListAllTours(const PolicyEngine& engine, const NetworkBatch& batch) {
  AllTours all;
  const StepRules rules = MakeStepRules(batch.problems[0]);
  std::vector<uint8_t> visited(static_cast<size_t>(batch.nodes(0)));
  const RouteState state = BeginTrajectory(rules, visited.data());
  AddTours(rules, state, visited, {}, all.tours);
  const auto run = engine.Run(batch, {.choice = Choice::kForced,
                                      .trajectories = static_cast<int32_t>(all.tours.size()),
                                      .choices = all.tours});
  EXPECT_TRUE(run.ok()) << run.status();
  all.log_likelihoods = run->log_likelihoods;
  for (size_t k = 0; k < all.tours.size(); ++k) {
    for (size_t length = 0; length <= all.tours[k].size(); ++length) {
      const Sequence prefix(all.tours[k].begin(),
                            all.tours[k].begin() + static_cast<int64_t>(length));
      all.prefix_log_likelihoods[prefix] += std::exp(all.log_likelihoods[k]);
    }
  }
  EXPECT_NEAR(all.prefix_log_likelihoods[{}], 1, 1e-5);
  for (auto& [prefix, likelihood] : all.prefix_log_likelihoods) likelihood = std::log(likelihood);
  return all;
}

std::vector<Sequence> Extensions(const AllTours& all, const Sequence& prefix, int32_t nodes) {
  std::vector<Sequence> longer;
  for (int32_t node = 0; node < nodes; ++node) {
    Sequence next = prefix;
    next.push_back(node);
    if (all.prefix_log_likelihoods.contains(next)) longer.push_back(next);
  }
  return longer.empty() ? std::vector<Sequence>{prefix} : longer;
}

// Returns the tours of a reference beam search that always keeps the greedy tour.
std::vector<Sequence> ReferenceBeamSearch(const AllTours& all, int32_t nodes, size_t width) {
  const auto likelier = [&](const Sequence& a, const Sequence& b) {
    return all.prefix_log_likelihoods.at(a) > all.prefix_log_likelihoods.at(b);
  };
  Sequence greedy;
  std::vector<Sequence> kept = {{}};
  for (int32_t t = 0; t < 2 * nodes; ++t) {
    std::vector<Sequence> next;
    for (const Sequence& prefix : kept) {
      const std::vector<Sequence> extensions = Extensions(all, prefix, nodes);
      next.insert(next.end(), extensions.begin(), extensions.end());
    }
    const std::vector<Sequence> greedy_extensions = Extensions(all, greedy, nodes);
    greedy = *std::min_element(greedy_extensions.begin(), greedy_extensions.end(), likelier);
    std::erase(next, greedy);
    std::sort(next.begin(), next.end(), likelier);
    next.resize(std::min(next.size(), width - 1));
    next.push_back(greedy);
    kept = next;
  }
  std::sort(kept.begin(), kept.end(), likelier);
  return kept;
}

TEST_P(BeamSearchTest, KeepsTheToursOfAReferenceBeamSearch) {
  const std::vector<Instance> instances = {
      AnInstance().WithCustomers(4).Demands({4, 3, 5, 2}).Capacity(7).Build(),
      AnInstance().WithCustomers(5).Kind(ProblemKind::kTsp).Seed(3).Build()};
  for (const Instance& instance : instances) {
    const NetworkBatch batch = BatchOf({instance});
    const AllTours all = ListAllTours(*engine_, batch);
    for (const int32_t width : {1, 2, 3, 4, 7, 12, 19, 50}) {
      const Trajectories beam = Beam(batch, width);
      const auto wanted = ReferenceBeamSearch(all, batch.nodes(0), static_cast<size_t>(width));
      ASSERT_EQ(wanted.size(), std::min<size_t>(width, all.tours.size()));
      for (size_t k = 0; k < wanted.size(); ++k) {
        EXPECT_EQ(ChoicesAt(beam, static_cast<int64_t>(k)), wanted[k]) << width << ", tour " << k;
      }
    }
  }
}

TEST_P(BeamSearchTest, LeavesRowsEmptyBeyondTheNumberOfTours) {
  constexpr int32_t kWidth = 30;
  const NetworkBatch batch =
      BatchOf({AnInstance().WithCustomers(3).Kind(ProblemKind::kTsp).Build()});
  const Trajectories beam = Beam(batch, kWidth);
  double sum = 0;
  for (int32_t k = 0; k < kWidth; ++k) {
    EXPECT_EQ(beam.lengths[k], k < 24 ? 4 : 0);
    EXPECT_EQ(std::isinf(beam.costs[k]), k >= 24);
    sum += std::exp(beam.log_likelihoods[k]);
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_P(BeamSearchTest, MakesFeasibleToursWithTheCheckersCosts) {
  constexpr int32_t kWidth = 17;
  const std::vector<Instance> variants = Variants();
  const NetworkBatch batch = BatchOf(variants);
  const Trajectories beam = Beam(batch, kWidth);
  for (int32_t b = 0; b < batch.size(); ++b) {
    for (int64_t row = b * kWidth; row < (b + 1) * kWidth; ++row) {
      const CheckReport report = CheckPlan(variants[b], ChoicesToPlan(batch, b, beam.Choices(row)));
      ASSERT_TRUE(report.feasible) << b << ": " << report.violations.front().message;
      EXPECT_NEAR(report.cost, beam.costs[row], 1e-6 * report.cost);
    }
  }
}

TEST_P(BeamSearchTest, DoesNotDependOnThreadsOrBatch) {
  CpuPool pool(2);
  std::vector<Instance> instances = RandomInstances(20, 9);
  for (Instance& instance : RandomInstances(33, 3)) instances.push_back(std::move(instance));
  const NetworkBatch batch = BatchOf(instances);
  const Trajectories alone = Beam(batch, 8);
  const Trajectories together = Beam(batch, 8, &pool);
  EXPECT_EQ(alone.choices, together.choices);
  EXPECT_EQ(alone.log_likelihoods, together.log_likelihoods);
  for (size_t i = 0; i < instances.size(); i += 4) {
    const Trajectories one = Beam(BatchOf({instances[i]}), 8);
    for (int64_t k = 0; k < 8; ++k) {
      const int64_t row = static_cast<int64_t>(i) * 8 + k;
      EXPECT_EQ(ChoicesAt(one, k), ChoicesAt(alone, row));
      EXPECT_EQ(one.log_likelihoods[k], alone.log_likelihoods[row]);
    }
  }
}

TEST_P(BeamSearchTest, ReturnsToursOfADivergedNetwork) {
  const auto values = engine_->parameters().values();
  std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(engine_->ParametersChanged().ok());
  const std::vector<Instance> variants = Variants();
  const NetworkBatch batch = BatchOf(variants);
  const Trajectories beam = Beam(batch, 3);
  for (int32_t b = 0; b < batch.size(); ++b) {
    EXPECT_TRUE(CheckPlan(variants[b], ChoicesToPlan(batch, b, beam.Choices(b * 3))).feasible);
  }
}

TEST_P(BeamSearchTest, StopsOnRequest) {
  const auto flag = std::make_shared<CancelFlag>();
  flag->Cancel();
  const RolloutRequest request{.choice = Choice::kBeam,
                               .trajectories = 10,
                               .stop = StopCondition(absl::InfiniteFuture(), flag)};
  EXPECT_EQ(engine_->Run(BatchOf(RandomInstances(20, 3)), request).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_P(BeamSearchTest, RefusesGradientsAndDistinctStarts) {
  const NetworkBatch batch = BatchOf(RandomInstances(5, 1));
  engine_->parameters().TrackGradient();
  const RolloutRequest beam{.choice = Choice::kBeam, .trajectories = 2};
  const auto gradient = engine_->AddGradient(batch, {.rollout = beam}, [](auto, auto, auto) {});
  EXPECT_EQ(gradient.status().message(),
            "rollout.choice: a beam search has no gradient; force its choices instead");
  RolloutRequest starts = beam;
  starts.distinct_starts = true;
  EXPECT_EQ(engine_->Run(batch, starts).status().message(),
            "distinct_starts: got true, wanted false for beam search");
}

TEST_P(BeamSearchTest, NamesAnUnreachableCustomer) {
  const NetworkBatch batch = BatchOf(
      {AnInstance().At({{0, 0}, {5, 0}, {50, 0}}).Windows({{0, 900}, {0, 40}}, 1000).Build()});
  const auto beam = engine_->Run(batch, {.choice = Choice::kBeam, .trajectories = 4});
  EXPECT_EQ(beam.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(beam.status().message().find("customer 2"), absl::string_view::npos);
}

TEST_P(BeamSearchTest, PolicyReturnsTheCheapestTourAndBoundsTheWidth) {
  const std::vector<Instance> instances = RandomInstances(15, 8);
  const Trajectories beam = Beam(BatchOf(instances), 12);
  const auto policy = MakeEnginePolicy(Make(), {ProblemKind::kCvrp}, {});
  DecodeOptions options{.method = DecodeMethod::kBeam, .width = 12};
  const auto plans = policy->Decode(instances, options);
  options.augmentations = 8;
  const auto augmented = policy->Decode(instances, options);
  ASSERT_TRUE(plans.ok() && augmented.ok()) << plans.status() << augmented.status();
  for (size_t i = 0; i < instances.size(); ++i) {
    const auto costs = beam.costs.begin() + static_cast<int64_t>(i) * 12;
    const double cost = CheckPlan(instances[i], (*plans)[i].plan).cost;
    EXPECT_NEAR(cost, *std::min_element(costs, costs + 12), 1e-9);
    EXPECT_LE(CheckPlan(instances[i], (*augmented)[i].plan).cost, cost + 1e-9);
  }
  options.width = 10001;
  EXPECT_EQ(policy->Decode(instances, options).status().message(),
            "width: got 10001, wanted 1 to 10000");
}

INSTANTIATE_TEST_SUITE_P(Engines, BeamSearchTest, testing::Values("gt", "ptrnet"));

}  // namespace
}  // namespace vrp
