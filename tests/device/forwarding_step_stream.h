// A stream that forwards all calls to another one, for tests that record or limit some of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "core/device/step_stream.h"

namespace vrp::test {

class ForwardingStepStream : public StepStream {
 public:
  explicit ForwardingStepStream(std::unique_ptr<StepStream> stream) : stream_(std::move(stream)) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override { return stream_->Run(work); }
  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    return stream_->Capture(std::move(work));
  }
  absl::Status AddConditional(const StepFlags& flags,
                              absl::FunctionRef<absl::Status()> part) override {
    return stream_->AddConditional(flags, part);
  }
  absl::StatusOr<std::unique_ptr<StepCopy>> CopyToHostAsync(void* to, const void* from,
                                                            int64_t bytes) override {
    return stream_->CopyToHostAsync(to, from, bytes);
  }
  absl::Status Wait() override { return stream_->Wait(); }

 private:
  const std::unique_ptr<StepStream> stream_;
};

}  // namespace vrp::test
