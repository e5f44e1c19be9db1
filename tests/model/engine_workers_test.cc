#include "core/model/engine_workers.h"

#include <algorithm>
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

TEST(CutIntoGroupsTest, GivesEachThreadAsMuch) {
  // 128 instances of 11 rows: 38 fit into a group, which would leave one thread with 76 of them.
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(128, 11), 420, 2), std::vector<int64_t>(4, 352));
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(512, 1), 72, 2), std::vector<int64_t>(8, 64));
  EXPECT_EQ(RowsOfGroups(std::vector<int64_t>(9, 1), 72, 3), std::vector<int64_t>(3, 3));
}

TEST(CutIntoGroupsTest, KeepsAboutTheLimitWhateverTheSizes) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < 200; ++i) rows.push_back(11 + i * 37 % 90);
  for (const int threads : {1, 2, 3, 8}) {
    const auto sums = RowsOfGroups(rows, 420, threads);
    EXPECT_EQ(std::ssize(sums) % threads, 0);
    EXPECT_LE(*std::max_element(sums.begin(), sums.end()), 420 + 100);
    EXPECT_GE(*std::min_element(sums.begin(), sums.end()), 100);
  }
}

TEST(CutIntoGroupsTest, LeavesAnInstanceWhole) {
  EXPECT_EQ(RowsOfGroups({1000, 1000}, 420, 4), (std::vector<int64_t>{1000, 1000}));
  EXPECT_EQ(RowsOfGroups({5}, 420, 4), (std::vector<int64_t>{5}));
  EXPECT_TRUE(RowsOfGroups({}, 420, 4).empty());
}

struct Nothing {};
using Worker = EngineWorker<Nothing, float>;

TEST(IdleWorkersTest, KeepTheirMemoryButNotTheirNumbers) {
  IdleWorkers<Worker> idle;
  auto workers = idle.Take(2);
  workers[1]->gradient.resize(100);
  workers[0]->loss = 3;
  workers[1]->status = absl::CancelledError("one's own");
  EXPECT_FALSE(AllSound(workers));
  EXPECT_EQ(idle.GiveBack(std::move(workers)).message(), "one's own");
  workers = idle.Take(3);
  ASSERT_EQ(workers.size(), 3u);
  size_t kept = 0;
  for (const auto& worker : workers) kept += worker->gradient.size();
  EXPECT_EQ(kept, 100u);
  EXPECT_TRUE(AllSound(workers));
  EXPECT_EQ(SummaryOf(workers).loss, 0);
}

}  // namespace
}  // namespace vrp
