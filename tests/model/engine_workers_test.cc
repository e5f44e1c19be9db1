#include "core/model/policy/engine_workers.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

std::vector<int64_t> RowsOfGroups(const std::vector<int64_t>& rows, int64_t limit, int threads) {
  std::vector<int64_t> before = {0};
  for (const int64_t each : rows) before.push_back(before.back() + each);
  std::vector<int64_t> sums;
  int32_t next = 0;
  for (const InstanceRange range :
       CutIntoGroups({static_cast<int32_t>(rows.size()), limit, threads},
                     [&](int32_t b) { return before[b]; })) {
    EXPECT_EQ(range.first, next);
    EXPECT_GT(range.count, 0);
    next = range.first + range.count;
    sums.push_back(before[next] - before[range.first]);
  }
  EXPECT_EQ(next, std::ssize(rows));
  return sums;
}

TEST(CutIntoGroupsTest, GivesEachThreadEquallyManyRows) {
  // There are 128 instances of 11 rows. Groups of 38 would give one thread 76 and the other 52.
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(128, 11), 420, 2), std::vector<int64_t>(4, 352));
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(512, 1), 72, 2), std::vector<int64_t>(8, 64));
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(9, 1), 72, 3), std::vector<int64_t>(3, 3));
}

TEST(CutIntoGroupsTest, StaysNearTheLimitWithInstancesOfMixedSizes) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < 200; ++i) rows.push_back(11 + i * 37 % 90);
  for (const int threads : {1, 2, 3, 8}) {
    const auto sums = RowsOfGroups(rows, 420, threads);
    EXPECT_EQ(std::ssize(sums) % threads, 0);
    EXPECT_LE(*std::max_element(sums.begin(), sums.end()), 420 + 100);
    EXPECT_GE(*std::min_element(sums.begin(), sums.end()), 100);
  }
}

TEST(CutIntoGroupsTest, NeverDividesAnInstance) {
  EXPECT_EQ(RowsOfGroups({1000, 1000}, 420, 4), (std::vector<int64_t>{1000, 1000}));
  EXPECT_EQ(RowsOfGroups({5}, 420, 4), (std::vector<int64_t>{5}));
  EXPECT_TRUE(RowsOfGroups({}, 420, 4).empty());
}

TEST(CutIntoGroupsTest, BoundsTheInstancesOfAllThreadsTogether) {
  const auto counts = [](int threads, int32_t max_active_instances) {
    std::vector<int32_t> found;
    for (const InstanceRange range : CutIntoGroups({10, 100, threads, max_active_instances},
                                                   [](int32_t b) { return int64_t{b}; })) {
      found.push_back(range.count);
    }
    return found;
  };
  EXPECT_EQ(counts(1, 0), std::vector<int32_t>{10});
  EXPECT_EQ(counts(1, 4), (std::vector<int32_t>{4, 4, 2}));
  EXPECT_EQ(counts(2, 4), (std::vector<int32_t>{2, 2, 1, 2, 2, 1}));
  EXPECT_EQ(counts(2, 1), std::vector<int32_t>(10, 1));
  EXPECT_EQ(counts(2, 100), (std::vector<int32_t>{5, 5}));
}

struct Nothing {};
using Worker = EngineWorker<Nothing, float>;

TEST(WorkerPoolTest, KeepsMemoryAndResetsResults) {
  WorkerPool<Worker> idle;
  auto workers = idle.Checkout(2);
  workers[1]->gradient.resize(100);
  workers[0]->loss = 3;
  workers[1]->status = absl::CancelledError("one's own");
  EXPECT_FALSE(AllWorkersOk(workers));
  EXPECT_EQ(idle.Return(std::move(workers)).message(), "one's own");
  workers = idle.Checkout(3);
  ASSERT_EQ(workers.size(), 3u);
  size_t kept = 0;
  for (const auto& worker : workers) kept += worker->gradient.size();
  EXPECT_EQ(kept, 100u);
  EXPECT_TRUE(AllWorkersOk(workers));
  EXPECT_EQ(SumOutcomes(workers).loss, 0);
}

TEST(WorkerPoolTest, FreesWorkersWhenMemoryRunsOut) {
  WorkerPool<Worker> idle;
  auto workers = idle.Checkout(2);
  workers[0]->gradient.resize(100);
  workers[1]->status = absl::ResourceExhaustedError("out of memory");
  EXPECT_TRUE(absl::IsResourceExhausted(idle.Return(std::move(workers))));
  workers = idle.Checkout(2);
  EXPECT_TRUE(workers[0]->gradient.empty());
  EXPECT_TRUE(workers[1]->gradient.empty());
}

TEST(ForEachGroupTest, StopsOnlyTheWorkerThatRunsOutOfMemory) {
  CpuPool pool(2);
  WorkerPool<Worker> idle;
  const auto workers = idle.Checkout(2);
  std::vector<int> done(4);
  ForEachGroup<Worker>({{0, 1}, {1, 1}, {2, 1}, {3, 1}}, &pool, workers,
                       [&](Worker&, InstanceRange range) {
                         if (range.first == 1) throw std::bad_alloc();
                         ++done[static_cast<size_t>(range.first)];
                       });
  EXPECT_EQ(done, (std::vector<int>{1, 0, 1, 0}));
  EXPECT_TRUE(workers[0]->status.ok());
  EXPECT_TRUE(absl::IsResourceExhausted(workers[1]->status));
}

}  // namespace
}  // namespace vrp
