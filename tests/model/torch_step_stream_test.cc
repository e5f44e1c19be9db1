#include "tests/model/torch_step_stream.h"

#include <ATen/ATen.h>

#include <functional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(FakeStepStreamTest, RefusesInACaptureWhatADeviceRefuses) {
  test::StepStreamCounts counts;
  test::FakeStepStream stream({.counts = &counts});
  int done = 0;
  const auto nothing = [] { return absl::OkStatus(); };
  EXPECT_EQ(stream.Capture(nothing).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(stream.Run([] { return absl::InternalError("broken"); }).ok());
  EXPECT_EQ(stream.Capture(nothing).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(stream.Run(nothing).ok());
  for (const auto& forbidden : std::vector<std::function<absl::Status()>>{
           [&] { return stream.Wait(); },
           [&] { return stream.CopyToHostAsync(nullptr, nullptr, 0).status(); },
           [&] { return stream.Run(nothing); }}) {
    auto graph = stream.Capture([&] {
      ++done;
      return forbidden();
    });
    ASSERT_TRUE(graph.ok());
    EXPECT_EQ(done, 0);  // only captured, not run
    EXPECT_EQ((*graph)->Replay().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(std::exchange(done, 0), 1);
    EXPECT_TRUE(forbidden().ok());
  }
}

TEST(TorchStepStreamTest, RefusesACaptureThatIsTheFirstToUseAnOperator) {
  test::StepStreamCounts counts;
  const auto stream = test::TorchStepStream({.counts = &counts});
  const at::Tensor ones = at::ones({3, 3});
  const auto add = [&] {
    at::add(ones, ones);
    return absl::OkStatus();
  };
  const auto multiply = [&] {
    at::mm(ones, ones);
    return absl::OkStatus();
  };
  ASSERT_TRUE(stream->Run(add).ok());
  EXPECT_TRUE((*stream->Capture(add))->Replay().ok());
  for (int i = 0; i < 2; ++i) {  // the refused capture must not prepare the operator
    const absl::Status first = (*stream->Capture(multiply))->Replay();
    EXPECT_EQ(first.message(), "aten::mm: a capture is its first use");
  }
  ASSERT_TRUE(stream->Run(multiply).ok());
  EXPECT_TRUE((*stream->Capture(multiply))->Replay().ok());
}

}  // namespace
}  // namespace vrp
