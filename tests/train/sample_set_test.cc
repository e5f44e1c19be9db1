#include "core/train/data/sample_set.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "core/base/disk_space.h"
#include "core/base/file.h"
#include "core/problem/generate/generators.h"
#include "gtest/gtest.h"
#include "tests/testing/full_disk.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

Sample SampleOf(int64_t index) {
  Sample sample;
  const auto kind = index % 2 == 0 ? ProblemKind::kCvrp : ProblemKind::kVrptw;
  sample.data =
      GenerateInstanceData({.kind = kind, .customers = 5 + static_cast<int32_t>(index % 3)}, index);
  for (NodeIndex i = 1; i < static_cast<NodeIndex>(sample.data.positions.size()); ++i) {
    sample.plan.push_back({.customers = {i}});
  }
  sample.cost = static_cast<double>(index) + 0.5;
  if (index % 4 == 3) {
    const size_t nodes = sample.data.positions.size();
    sample.data.features = {{"early", std::vector<double>(nodes, 0.25)},
                            {"wear", std::vector<double>(nodes, -1)}};
  }
  return sample;
}

class SampleSetTest : public testing::Test {
 protected:
  void Write(int64_t count) {
    auto writer = SampleSetWriter::Create(path_);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (int64_t i = 0; i < count; ++i) ASSERT_TRUE((*writer)->Add(SampleOf(i)).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  static std::vector<int32_t> AllRecords(const SampleSet& set) {
    std::vector<int32_t> records(static_cast<size_t>(set.size()));
    std::iota(records.begin(), records.end(), 0);
    return records;
  }

  const test::TempFolder folder_;
  const std::string path_ = folder_.File("samples.set");
};

TEST_F(SampleSetTest, ReadsBackWrittenSamples) {
  Write(20);
  const auto set = SampleSet::Open(path_, 1 << 20);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ((*set)->pieces(), 1);
  const auto samples = (*set)->Read(AllRecords(**set));
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 20u);
  for (int64_t i = 0; i < 20; ++i) {
    const Sample& sample = (*samples)[static_cast<size_t>(i)];
    EXPECT_TRUE(sample.data == SampleOf(i).data) << i;
    EXPECT_EQ(sample.plan, SampleOf(i).plan);
    EXPECT_EQ(sample.cost, SampleOf(i).cost);
  }
}

TEST_F(SampleSetTest, ReadsLargeSetsInPiecesWithinTheMemoryBudget) {
  Write(400);
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path_));
  const int64_t budget = size / 8;
  const auto set = *SampleSet::Open(path_, budget);
  EXPECT_GE(set->pieces(), 16);
  const std::vector<int32_t> order = set->ShuffledOrder(1, 0);
  for (size_t first = 0; first < order.size(); first += 32) {
    const auto records =
        std::span(order).subspan(first, std::min<size_t>(32, order.size() - first));
    const auto samples = set->Read(records);
    ASSERT_TRUE(samples.ok()) << samples.status();
    for (size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ((*samples)[i].cost, records[i] + 0.5);
    }
  }
  EXPECT_LE(set->max_buffered(), budget);
  // Each piece is read only once, because ShuffledOrder shuffles pieces, and records within pieces.
  EXPECT_LE(set->bytes_read(), size);
}

TEST_F(SampleSetTest, ReadsASetThatFitsIntoMemoryOnce) {
  Write(50);
  const auto set = *SampleSet::Open(path_, 1 << 20);
  for (int64_t epoch = 0; epoch < 3; ++epoch)
    ASSERT_TRUE(set->Read(set->ShuffledOrder(1, epoch)).ok());
  EXPECT_LE(set->bytes_read(), static_cast<int64_t>(std::filesystem::file_size(path_)));
}

TEST_F(SampleSetTest, ShufflesReproduciblyAndDifferentlyInEachEpoch) {
  Write(100);
  const auto set = *SampleSet::Open(path_, 4096);
  ASSERT_GT(set->pieces(), 3);
  std::vector<int32_t> first = set->ShuffledOrder(1, 0);
  EXPECT_EQ(first, set->ShuffledOrder(1, 0));
  EXPECT_NE(first, set->ShuffledOrder(1, 1));
  EXPECT_NE(first, set->ShuffledOrder(2, 0));
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, AllRecords(*set));
}

TEST_F(SampleSetTest, ServesThreadsThatReadDifferentPieces) {
  Write(200);
  const auto set = *SampleSet::Open(path_, 8192);
  ASSERT_GT(set->pieces(), 8);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&set, t] {
      const std::vector<int32_t> order = set->ShuffledOrder(t, 0);
      const auto samples = set->Read(order);
      ASSERT_TRUE(samples.ok()) << samples.status();
      for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ((*samples)[i].cost, order[i] + 0.5);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SampleSetTest, RemovesAnUnfinishedSet) {
  { ASSERT_TRUE((*SampleSetWriter::Create(path_))->Add(SampleOf(0)).ok()); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_EQ(SampleSet::Open(path_, 1 << 20).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SampleSetTest, ReportsErrorsOfTheDiskByTheirCode) {
  EXPECT_EQ(SampleSetWriter::Create(folder_.File("none/a.set")).status().code(),
            absl::StatusCode::kNotFound);
  const test::FullDisk full(100);
  auto writer = SampleSetWriter::Create(path_);
  ASSERT_TRUE(writer.ok()) << writer.status();
  absl::Status status = (*writer)->Add(SampleOf(0));
  if (status.ok()) status = (*writer)->Finish();
  EXPECT_TRUE(DiskIsFull(status)) << status;
}

TEST_F(SampleSetTest, RefusesTruncatedOrChangedFiles) {
  Write(5);
  const std::string intact = *ReadFile(path_);
  for (size_t length = 0; length < intact.size(); length += 7) {
    ASSERT_TRUE(AtomicWriteFile(path_, intact.substr(0, length)).ok());
    EXPECT_FALSE(SampleSet::Open(path_, 1 << 20).ok()) << length;
  }
  int refused = 0;
  for (size_t at = 0; at < intact.size(); at += 5) {
    std::string changed = intact;
    changed[at] = static_cast<char>(changed[at] ^ 0x21);
    ASSERT_TRUE(AtomicWriteFile(path_, changed).ok());
    const auto set = SampleSet::Open(path_, 1 << 20);
    if (!set.ok() || !(*set)->Read(AllRecords(**set)).ok()) ++refused;
  }
  // No record depends on the first eight bytes, so that Read may miss changes there.
  EXPECT_GE(refused, static_cast<int>(intact.size() / 5) - 2);
}

TEST(SampleRecordTest, KeepsTheBytesOfEarlierVersions) {
  Sample sample;
  sample.data.kind = ProblemKind::kVrptw;
  sample.data.speed = 1.5;
  sample.data.positions = {{0, 0}, {3, 4}, {6, 8}};
  sample.data.demands = {0, 2, 3};
  sample.data.backhauls = {0, 0, 1};
  sample.data.windows = {{0, 100}, {5, 50}, {10, 60}};
  sample.data.services = {0, 1, 2};
  sample.data.distance_matrix = {0, 1, 2, 1, 0, 1, 2, 1, 0};
  sample.data.duration_matrix = {0, 2, 4, 2, 0, 2, 4, 2, 0};
  VehicleType vehicle;
  vehicle.count = 2;
  vehicle.capacity = 10;
  vehicle.max_duration = 90;
  vehicle.max_distance = 80;
  vehicle.open_end = true;
  sample.data.vehicles = {vehicle, VehicleType{}};
  sample.data.features = {{"early", {0.25, 0.5, 0.75}}};
  sample.plan = {{.customers = {1, 2}}};
  sample.cost = 12.5;
  const std::string bytes = WriteSample(sample);
  ASSERT_EQ(bytes.size(), 507u);
  uint64_t checksum = 0;  // checksum of all other bytes
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof(checksum), sizeof(checksum));
  EXPECT_EQ(checksum, 0x65778d48b140b3ecu);
}

}  // namespace
}  // namespace vrp
