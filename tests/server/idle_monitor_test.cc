// Tests when a daemon counts as idle, without gRPC.
#include "server/telemetry/idle_monitor.h"

#include <memory>

#include "gtest/gtest.h"

namespace vrp {
namespace {

class IdleMonitorTest : public testing::Test {
 protected:
  void PollAfter(absl::Duration since_start) { monitor_.Poll(start_ + since_start); }

  Metrics metrics_;
  Metrics::Rpc& rpc_ = metrics_.ForRpc("vrp.v1.SolverService/Solve");
  bool has_jobs_ = false;
  int reports_ = 0;
  IdleMonitor monitor_{{.limit = absl::Seconds(10),
                        .metrics = &metrics_,
                        .has_jobs = [this] { return has_jobs_; },
                        .on_idle = [this] { ++reports_; },
                        .interval = absl::InfiniteDuration()}};
  const absl::Time start_ = SteadyNow();
};

TEST_F(IdleMonitorTest, ReportsOnceAfterTheLimit) {
  PollAfter(absl::Seconds(9));
  EXPECT_EQ(reports_, 0);
  PollAfter(absl::Seconds(10));
  PollAfter(absl::Seconds(20));
  EXPECT_EQ(reports_, 1);
}

TEST_F(IdleMonitorTest, CountsFromTheLastCall) {
  rpc_.RecordStart();
  rpc_.RecordEnd({.code = "OK", .reason = "ok", .duration = absl::Milliseconds(1)});
  PollAfter(absl::Seconds(9));  // sees a call that has ended already
  PollAfter(absl::Seconds(18));
  EXPECT_EQ(reports_, 0);
  PollAfter(absl::Seconds(19));
  EXPECT_EQ(reports_, 1);
}

TEST_F(IdleMonitorTest, WaitsForCallsInFlight) {
  rpc_.RecordStart();
  PollAfter(absl::Seconds(1));
  PollAfter(absl::Seconds(60));
  EXPECT_EQ(reports_, 0);
  rpc_.RecordEnd({.code = "OK", .reason = "ok", .duration = absl::Seconds(60)});
  PollAfter(absl::Seconds(70));
  EXPECT_EQ(reports_, 1);
}

TEST_F(IdleMonitorTest, WaitsForJobs) {
  has_jobs_ = true;
  PollAfter(absl::Seconds(60));
  has_jobs_ = false;
  PollAfter(absl::Seconds(69));
  EXPECT_EQ(reports_, 0) << "a job ran 9 s ago";
  PollAfter(absl::Seconds(70));
  EXPECT_EQ(reports_, 1);
}

}  // namespace
}  // namespace vrp
