#include "core/train/data/batch_source.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/file.h"
#include "core/problem/generate/generators.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/labels.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"
#include "tests/train/label_line.h"

namespace vrp {
namespace {

TrainingConfig Config() {
  TrainingConfig config;
  config.problem.customers = {6, 6};
  config.batch_size = 10;
  return config;
}

std::vector<float> Features(const TrainingBatch& batch) {
  std::vector<float> features;
  for (const BatchPart& part : batch.parts) {
    features.insert(features.end(), part.batch.features.begin(), part.batch.features.end());
  }
  return features;
}

TEST(GeneratedSourceTest, DrawsTheInstancesOfTheGenerator) {
  const auto source = MakeGeneratedSource(Config(), NodeOrder::kAsGiven);
  const auto batch = source->Make(3, 1, nullptr);
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(batch->instances, 10);
  std::vector<Instance> instances;
  for (int64_t i = 30; i < 40; ++i) instances.push_back(*GenerateInstance({.customers = 6}, i));
  EXPECT_EQ(Features(*batch), MakeNetworkBatch(instances, NodeOrder::kAsGiven).features);
}

TEST(GeneratedSourceTest, GivesTheSameInstancesInPartsAndOnSeveralThreads) {
  const auto source = MakeGeneratedSource(Config(), NodeOrder::kByAngle);
  const auto undivided = *source->Make(2, 1, nullptr);
  CpuPool pool(3);
  const auto parts = *source->Make(2, 3, &pool);
  ASSERT_EQ(parts.parts.size(), 3u);
  EXPECT_EQ(parts.parts[1].first, 3);
  EXPECT_EQ(parts.parts[2].first, 6);
  EXPECT_EQ(Features(parts), Features(undivided));
  EXPECT_EQ(source->Make(2, 11, nullptr)->parts.size(), 10u);  // no part is empty
}

TEST(GeneratedSourceTest, MixesKindsAndAttributesWithinABatchAndSizesBetweenBatches) {
  TrainingConfig config = Config();
  config.batch_size = 60;
  config.problem.kinds = {ProblemKind::kCvrp, ProblemKind::kTsp, ProblemKind::kVrptw};
  config.problem.customers = {4, 30};
  config.problem.capacity = {20, 60};
  config.problem.layouts = {Layout::kUniform, Layout::kClustered, Layout::kX};
  config.problem.open_routes = 0.5;
  const auto source = MakeGeneratedSource(config, NodeOrder::kAsGiven);
  std::set<int32_t> sizes;
  std::map<bool, int> tsp;
  std::set<double> capacities;
  int with_windows = 0;
  int open = 0;
  for (int64_t number = 0; number < 20; ++number) {
    const TrainingBatch batch = *source->Make(number, 1, nullptr);
    const NetworkBatch& instances = batch.parts.front().batch;
    std::set<int32_t> batch_sizes;
    for (const RoutingProblem& problem : instances.problems) {
      batch_sizes.insert(problem.nodes - (problem.tsp ? 0 : 1));
      ++tsp[problem.tsp];
      with_windows += problem.window_opens != nullptr ? 1 : 0;
      open += problem.open_routes ? 1 : 0;
      if (!problem.tsp) capacities.insert(problem.capacity);
    }
    EXPECT_EQ(batch_sizes.size(), 1u);
    sizes.insert(*batch_sizes.begin());
  }
  EXPECT_GT(sizes.size(), 8u);
  EXPECT_GE(*sizes.begin(), 4);
  EXPECT_LE(*sizes.rbegin(), 30);
  EXPECT_NEAR(tsp[true], 400, 80);
  EXPECT_NEAR(with_windows, 400, 80);
  EXPECT_NEAR(open, 400, 80);
  EXPECT_GT(capacities.size(), 30u);
}

TEST(GeneratedSourceTest, DrawsKindsAsOftenAsTheConfigurationListsThem) {
  TrainingConfig config = Config();
  config.batch_size = 1000;
  config.problem.kinds = {ProblemKind::kCvrp, ProblemKind::kTsp, ProblemKind::kCvrp,
                          ProblemKind::kCvrp};
  const auto batch = *MakeGeneratedSource(config, NodeOrder::kAsGiven)->Make(0, 1, nullptr);
  const std::vector<RoutingProblem>& problems = batch.parts.front().batch.problems;
  const auto tsp = std::count_if(problems.begin(), problems.end(),
                                 [](const RoutingProblem& problem) { return problem.tsp; });
  EXPECT_NEAR(static_cast<double>(tsp), 250, 50);
}

TEST(GeneratedSourceTest, DrawsSmallSizesMoreOftenWithASkew) {
  ProblemConfig problem;
  problem.customers = {10, 89};
  const auto below = [&problem](int32_t size) {
    int count = 0;
    for (int64_t number = 0; number < 2000; ++number) {
      const int32_t customers = DrawCustomers(problem, 5, number);
      EXPECT_GE(customers, 10);
      EXPECT_LE(customers, 89);
      if (customers < size) ++count;
    }
    return count;
  };
  EXPECT_NEAR(below(20), 250, 60);
  EXPECT_NEAR(below(50), 1000, 100);
  problem.customers_skew = 3;
  EXPECT_NEAR(below(20), 1000, 100);
  EXPECT_NEAR(below(50), 1587, 80);
}

TEST(GeneratedSourceTest, ReportsTheBoundsOfItsInstances) {
  TrainingConfig config = Config();
  config.problem.customers = {4, 9};
  const auto bounds = [&config](std::vector<ProblemKind> kinds) {
    config.problem.kinds = std::move(kinds);
    return *MakeGeneratedSource(config, NodeOrder::kAsGiven)->Bounds();
  };
  const InstanceBounds customers = bounds({ProblemKind::kCvrp});
  EXPECT_EQ(customers.nodes, 10);
  EXPECT_EQ(customers.starts, (IntegerRange{4, 9}));
  EXPECT_FALSE(customers.tsp);
  EXPECT_FALSE(customers.matrices);
  const InstanceBounds cities = bounds({ProblemKind::kTsp});
  EXPECT_EQ(cities.nodes, 9);
  EXPECT_TRUE(cities.tsp);
  EXPECT_EQ(bounds({ProblemKind::kTsp, ProblemKind::kVrptw}).nodes, 10);
}

TEST(InstanceSourceTest, ReportsTheBoundsOfItsInstances) {
  const auto bounds = [](const std::vector<Instance>& instances) {
    return *MakeInstanceSource(Config(), NodeOrder::kAsGiven, instances)->Bounds();
  };
  const Instance small = test::AnInstance().WithCustomers(3).Build();
  const InstanceBounds two = bounds({test::AnInstance().WithCustomers(7).Build(), small});
  EXPECT_EQ(two.nodes, 8);
  EXPECT_EQ(two.starts, (IntegerRange{3, 7}));
  EXPECT_FALSE(two.tsp);
  EXPECT_FALSE(two.matrices);
  const Instance matrix = test::AnInstance().WithCustomers(5).ExplicitMatrix(0.4).Build();
  const InstanceBounds with_matrix = bounds({matrix, small});  // instances without coordinates
  EXPECT_TRUE(with_matrix.matrices);
  EXPECT_EQ(with_matrix.nodes, 6);
  EXPECT_EQ(with_matrix.starts, (IntegerRange{3, 5}));
}

TEST(InstanceSourceTest, DrawsSymmetriesOfGivenInstancesWithEqualDistances) {
  std::vector<Instance> instances;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    instances.push_back(
        test::AnInstance().WithCustomers(static_cast<int32_t>(seed) + 3).Seed(seed).Build());
  }
  TrainingConfig config = Config();
  config.batch_size = 50;
  const auto source = MakeInstanceSource(config, NodeOrder::kAsGiven, instances);
  const TrainingBatch batch = *source->Make(0, 1, nullptr);
  std::set<std::vector<double>> symmetries;
  std::set<int32_t> sizes;
  for (const RoutingProblem& problem : batch.parts.front().batch.problems) {
    sizes.insert(problem.nodes);
    const Instance& instance = instances[static_cast<size_t>(problem.nodes) - 5];
    std::vector<double> coordinates(problem.x, problem.x + problem.nodes);
    coordinates.insert(coordinates.end(), problem.y, problem.y + problem.nodes);
    symmetries.insert(coordinates);
    for (int32_t i = 1; i < problem.nodes; ++i) {
      EXPECT_NEAR(std::hypot(problem.x[i] - problem.x[0], problem.y[i] - problem.y[0]),
                  instance.Distance(0, i), 1e-9);
      EXPECT_EQ(problem.demands[i], instance.demand(i));
    }
  }
  EXPECT_EQ(sizes.size(), 3u);
  EXPECT_GT(symmetries.size(), 15u);  // of the 3 x 8 possible ones
  EXPECT_EQ(Features(*source->Make(0, 1, nullptr)), Features(batch));
}

TEST(LabelledSourceTest, ReportsTheBoundsOfTheInstancesOfAFile) {
  const test::TempFolder folder;
  const std::string file = folder.path() + "/labels.jsonl";
  std::string text;
  for (int32_t number = 0; number < 1100; ++number) {  // sizes vary; the last one is the largest
    const int32_t customers = number < 1099 ? 2 + number % 3 : 6;
    text += test::LabelLine(test::AnInstance().WithCustomers(customers).Build());
  }
  ASSERT_TRUE(AtomicWriteFile(file, text).ok());
  CpuPool pool(1);
  const auto path = MakeFileLabels(file, 2000, NodeOrder::kByAngle, {folder.path(), &pool});
  ASSERT_TRUE(path.ok()) << path.status();
  TrainingConfig config = Config();  // the source ignores these sizes
  config.supervised.labels = LabelSource::kFile;
  const auto source =
      MakeLabelledSource(config, NodeOrder::kByAngle, *SampleSet::Open(*path, 1 << 16));
  const auto bounds = source->Bounds();
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  EXPECT_EQ(bounds->nodes, 7);
  EXPECT_EQ(bounds->starts, (IntegerRange{2, 6}));
  EXPECT_FALSE(bounds->tsp);
  EXPECT_FALSE(bounds->matrices);
}

TEST(LabelledSourceTest, TakesEverySampleOncePerEpochWithTheChoicesOfItsPlan) {
  const test::TempFolder folder;
  CpuPool pool(1);
  TrainingConfig config = Config();
  config.method = TrainingMethod::kSupervised;
  config.supervised.samples = 25;
  const auto path = MakeSearchLabels({.problem = config.problem, .iterations = 0, .samples = 25},
                                     {.folder = folder.path(), .pool = &pool});
  ASSERT_TRUE(path.ok()) << path.status();
  for (const int64_t memory : {1 << 20, 2000}) {
    const auto source =
        MakeLabelledSource(config, NodeOrder::kByAngle, *SampleSet::Open(*path, memory));
    std::multiset<double> demands[2];
    for (int64_t number = 0; number < 6; ++number) {
      const TrainingBatch batch = *source->Make(number, 1, nullptr);
      EXPECT_EQ(batch.instances, number % 3 == 2 ? 5 : 10);
      int64_t steps = 0;
      for (const BatchPart& part : batch.parts) {
        ASSERT_EQ(part.choices.size(), part.batch.problems.size());
        for (const auto& choices : part.choices) steps += static_cast<int64_t>(choices.size());
        for (const RoutingProblem& problem : part.batch.problems) {
          double sum = 0;
          for (int32_t i = 0; i < problem.nodes; ++i) sum += problem.demands[i] * problem.x[i];
          demands[number / 3].insert(std::round(sum * 1e6));
        }
      }
      EXPECT_EQ(batch.label_steps, steps);
      EXPECT_GT(batch.label_cost, 1);
    }
    EXPECT_EQ(demands[0].size(), 25u);
    EXPECT_EQ(demands[0], demands[1]);
  }
}

}  // namespace
}  // namespace vrp
