// Tests that the limits of control groups are found.
#include "core/base/usable_processors.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "gtest/gtest.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

class ProcessorLimitTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.File(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<int32_t> LimitOf(const std::string& membership) {
    return ProcessorLimit(membership, folder_.path());
  }

  const test::TempFolder folder_;
};

TEST_F(ProcessorLimitTest, OfVersion2IsTheQuotaRoundedUp) {
  Write("cpu.max", "250000 100000\n");
  EXPECT_EQ(LimitOf("0::/\n"), 3);
  Write("cpu.max", "max 100000\n");
  EXPECT_EQ(LimitOf("0::/\n"), std::nullopt);
  Write("cpu.max", "1000 100000\n");
  EXPECT_EQ(LimitOf("0::/\n"), 1);
}

TEST_F(ProcessorLimitTest, IsTheSmallestOfAGroupAndItsParents) {
  Write("pods/cpu.max", "200000 100000\n");
  Write("pods/one/cpu.max", "400000 100000\n");
  EXPECT_EQ(LimitOf("0::/pods/one\n"), 2);
  Write("pods/one/cpu.max", "100000 100000\n");
  EXPECT_EQ(LimitOf("0::/pods/one\n"), 1);
}

TEST_F(ProcessorLimitTest, OfVersion1IsThatOfTheCpuController) {
  Write("cpu,cpuacct/docker/cpu.cfs_quota_us", "150000\n");
  Write("cpu,cpuacct/docker/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(LimitOf("5:memory:/docker\n4:cpu,cpuacct:/docker\n0::/\n"), 3);
  Write("cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(LimitOf("5:memory:/docker\n4:cpu,cpuacct:/docker\n0::/\n"), std::nullopt);
}

TEST_F(ProcessorLimitTest, IsNoneWithoutReadableFiles) {
  EXPECT_EQ(LimitOf(""), std::nullopt);
  EXPECT_EQ(LimitOf("nonsense\n0::/absent\n"), std::nullopt);
  Write("cpu.max", "nonsense\n");
  EXPECT_EQ(LimitOf("0::/\n"), std::nullopt);
}

TEST(UsableProcessorsTest, AreAtLeastOneAndNoMoreThanTheMachineHas) {
  EXPECT_GE(UsableProcessors(), 1);
  EXPECT_LE(UsableProcessors(), std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace vrp
