#include "core/base/disk_space.h"

#include <cerrno>
#include <memory>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(DiskSpaceTest, RetriesUntilThereIsSpace) {
  int tries = 0;
  int notified = 0;
  const absl::Status written = WriteWhenDiskHasSpace(
      StopCondition(),
      [&] {
        ++tries;
        return tries < 2 ? absl::ErrnoToStatus(ENOSPC, "rename a to b") : absl::OkStatus();
      },
      [&](const absl::Status& full) {
        ++notified;
        EXPECT_TRUE(DiskIsFull(full));
      });
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(notified, 1);
}

TEST(DiskSpaceTest, DoesNotRetryOtherErrors) {
  int tries = 0;
  const absl::Status written = WriteWhenDiskHasSpace(
      StopCondition(), [&] { return ++tries, absl::ErrnoToStatus(EIO, "rename a to b"); },
      [](const absl::Status&) { ADD_FAILURE(); });
  EXPECT_FALSE(written.ok());
  EXPECT_EQ(tries, 1);
}

TEST(DiskSpaceTest, StopsRetryingOnCancel) {
  const auto cancel = std::make_shared<CancelFlag>();
  const absl::Status written = WriteWhenDiskHasSpace(
      StopCondition(absl::InfiniteFuture(), cancel),
      [] { return absl::ErrnoToStatus(EDQUOT, "rename a to b"); },
      [&](const absl::Status&) { cancel->Cancel(); });
  EXPECT_TRUE(absl::IsCancelled(written)) << written;
}

}  // namespace
}  // namespace vrp
