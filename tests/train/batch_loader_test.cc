#include "core/train/data/batch_loader.h"

#include <atomic>
#include <new>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

// A source of numbered batches, one of which can fail or block.
class NumberSource final : public BatchSource {
 public:
  absl::StatusOr<TrainingBatch> Make(int64_t number, int32_t, CpuPool*) override {
    highest_ = std::max(highest_.load(), number);
    if (number == slow) released.WaitForNotification();
    if (number == too_large) throw std::bad_alloc();
    if (number == broken) return absl::DataLossError("broken");
    return TrainingBatch{.number = number, .parts = {}};
  }
  absl::StatusOr<NetworkBatch> DrawInstances(int64_t, int64_t, CpuPool*) override {
    return NetworkBatch();
  }
  absl::StatusOr<InstanceBounds> Bounds() override { return InstanceBounds(); }
  int64_t highest() const { return highest_; }

  // Numbers of the batches that block until `released`, fail, or run out of memory; -1: none.
  int64_t slow = -1;
  int64_t broken = -1;
  int64_t too_large = -1;
  absl::Notification released;

 private:
  std::atomic<int64_t> highest_{-1};
};

class LoaderTest : public testing::TestWithParam<int32_t> {};

TEST_P(LoaderTest, GivesBatchesInTheOrderOfTheirNumbers) {
  NumberSource source;
  BatchLoader loader(source, {.first = 7, .end = 207, .workers = GetParam(), .prefetch = 5});
  for (int64_t number = 7; number < 207; ++number) {
    const auto batch = loader.Next();
    ASSERT_TRUE(batch.ok());
    ASSERT_EQ(batch->number, number);
  }
  EXPECT_EQ(source.highest(), 206);
}

TEST_P(LoaderTest, ReportsTheWorkTimeOnce) {
  NumberSource source;
  BatchLoader loader(source, {.end = 3, .workers = GetParam(), .prefetch = 3});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loader.Next().ok());
  const absl::Duration work = loader.TakeWorkTime();
  EXPECT_EQ(work > absl::ZeroDuration(), GetParam() > 0);
  EXPECT_EQ(loader.TakeWorkTime(), absl::ZeroDuration());
}

TEST_P(LoaderTest, ReturnsAnErrorInPlaceOfItsBatch) {
  NumberSource source;
  source.broken = 3;
  BatchLoader loader(source, {.workers = GetParam(), .prefetch = 4});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(loader.Next().ok());
  EXPECT_EQ(loader.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST_P(LoaderTest, NamesTheBatchThatRanOutOfMemory) {
  NumberSource source;
  source.too_large = 3;
  BatchLoader loader(source, {.workers = GetParam(), .prefetch = 4});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(loader.Next().ok());
  const absl::Status status = loader.Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message().rfind("batches[3]: out of memory", 0), 0u) << status;
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderTest, testing::Values(0, 1, 3));

TEST(LoaderTest, PrefetchesNoMoreThanAllowed) {
  NumberSource source;
  source.slow = 2;
  {
    BatchLoader loader(source, {.workers = 2, .prefetch = 4});
    ASSERT_EQ(loader.Next()->number, 0);
    ASSERT_EQ(loader.Next()->number, 1);
    source.released.Notify();
    ASSERT_EQ(loader.Next()->number, 2);
  }
  EXPECT_LE(source.highest(), 6);  // batch 3 is next, so 3 .. 6 may be made
}

TEST(LoaderTest, PrefetchesWhileABatchIsSlow) {
  NumberSource source;
  source.slow = 0;
  BatchLoader loader(source, {.workers = 2, .prefetch = 3});
  while (source.highest() < 2) std::this_thread::yield();  // workers make 1 and 2 meanwhile
  source.released.Notify();
  for (int64_t number = 0; number < 6; ++number) EXPECT_EQ(loader.Next()->number, number);
}

}  // namespace
}  // namespace vrp
