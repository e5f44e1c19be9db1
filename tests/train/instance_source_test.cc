#include "core/train/data/instance_source.h"

#include <cmath>

#include "core/base/file.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

TEST(InstanceFilesTest, AreReadAsJsonLinesOrAsOneInstance) {
  const test::TempFolder folder;
  const std::string lines = folder.File("own.jsonl");
  std::string text;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    text += WriteJson(test::AnInstance().WithCustomers(4).Seed(seed).Build()) + "\n\n";
  }
  ASSERT_TRUE(AtomicWriteFile(lines, text).ok());
  const auto instances =
      ReadInstanceFiles({lines, test::DataPath("E-n22-k4.vrp")}, NodeOrder::kByAngle);
  ASSERT_TRUE(instances.ok()) << instances.status();
  ASSERT_EQ(instances->size(), 4u);
  EXPECT_EQ((*instances)[3].num_customers(), 21);
}

TEST(InstanceFilesTest, AreRefusedWithNameAndLine) {
  const test::TempFolder folder;
  const std::string file = folder.File("bad.jsonl");
  ASSERT_TRUE(
      AtomicWriteFile(file, WriteJson(test::AnInstance().WithCustomers(2).Build()) + "\n{}\n")
          .ok());
  const auto instances = ReadInstanceFiles({file}, NodeOrder::kAsGiven);
  EXPECT_EQ(std::string(instances.status().message()).rfind(file + ":2", 0), 0u)
      << instances.status();
  ASSERT_TRUE(AtomicWriteFile(file, "\n").ok());
  EXPECT_FALSE(ReadInstanceFiles({file}, NodeOrder::kAsGiven).ok());
  EXPECT_EQ(ReadInstanceFiles({std::string("/nowhere.vrp")}, NodeOrder::kAsGiven).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(InstanceFilesTest, ReadsDatasetsByTheirNames) {
  const test::TempFolder folder;
  const std::string line = WriteJson(test::AnInstance().WithCustomers(2).Build());
  const std::string path = folder.File("content");
  ASSERT_TRUE(AtomicWriteFile(path, line + "\n" + line).ok());
  const DatasetPaths datasets = {{"datasets/depot7", path}};
  const DataFile dataset = FindDataFile("datasets/depot7", datasets);
  EXPECT_EQ(ReadInstanceFiles({dataset}, NodeOrder::kAsGiven)->size(), 2u);
  ASSERT_TRUE(AtomicWriteFile(path, line + "\n{}").ok());
  const absl::Status status = ReadInstanceFiles({dataset}, NodeOrder::kAsGiven).status();
  EXPECT_EQ(std::string(status.message()).rfind("datasets/depot7:2", 0), 0u) << status;
}

TEST(AugmentedTest, JittersDemandsWithinTheLimitAndTheCapacity) {
  const Instance instance = *GenerateInstance({.customers = 30}, 0);
  ProblemConfig problem;
  problem.demand_jitter = 0.5;
  bool changed = false;
  for (int64_t index = 0; index < 20; ++index) {
    const InstanceData data = Augment(instance.data(), problem, 1, index);
    ASSERT_TRUE(Instance::Create(data).ok());
    for (size_t i = 1; i < data.demands.size(); ++i) {
      const double demand = instance.data().demands[i];
      EXPECT_LE(std::abs(data.demands[i] - demand), 0.5 * demand + 0.5);
      EXPECT_EQ(data.demands[i] == 0, demand == 0);
      changed = changed || data.demands[i] != demand;
    }
  }
  EXPECT_TRUE(changed);
  problem.augment = false;
  problem.demand_jitter = 0;
  const InstanceData same = Augment(instance.data(), problem, 1, 3);
  EXPECT_EQ(same.positions, instance.data().positions);
  EXPECT_EQ(same.demands, instance.data().demands);
}

}  // namespace
}  // namespace vrp
