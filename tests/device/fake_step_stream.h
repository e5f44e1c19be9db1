// A step stream on the CPU. Work runs immediately, but a copy reaches its target only when a caller
// waits for it, as on a device that runs behind the host. Capture only stores the work, and each
// replay runs the work. During a replay, the stream rejects calls that a capture forbids. It also
// rejects a capture before the first successful run. A replay skips conditional parts whose flags
// are all false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/device/step_stream.h"

namespace vrp::test {

// Numbers of calls, and of conditional parts that replays skipped.
struct StepStreamCounts {
  int runs = 0;
  int captures = 0;
  int replays = 0;
  int skipped_parts = 0;
  int copies = 0;
  int waits = 0;
};

struct FakeStepStreamOptions {
  StepStreamCounts* counts = nullptr;  // required; must outlive the stream
  // The status of each capture.
  absl::Status capture_status = absl::OkStatus();
  // Called with the work to run or replay. If null, the stream runs the work directly.
  std::function<absl::Status(bool captured, absl::FunctionRef<absl::Status()> work)> wrapper = {};
};

class FakeStepStream final : public StepStream {
 public:
  explicit FakeStepStream(FakeStepStreamOptions options) : options_(std::move(options)) {}

  absl::Status Run(absl::FunctionRef<absl::Status()> work) override {
    VRP_RETURN_IF_ERROR(CheckNotInCapture("Run"));
    ++options_.counts->runs;
    const absl::Status done = RunWork(false, work);
    has_run_ = has_run_ || done.ok();
    return done;
  }

  absl::StatusOr<std::unique_ptr<StepGraph>> Capture(std::function<absl::Status()> work) override {
    VRP_RETURN_IF_ERROR(CheckNotInCapture("Capture"));
    if (!has_run_) {
      return absl::FailedPreconditionError("Capture: wanted a successful Run before it");
    }
    ++options_.counts->captures;
    VRP_RETURN_IF_ERROR(options_.capture_status);
    return std::unique_ptr<StepGraph>(std::make_unique<Graph>(this, std::move(work)));
  }

  absl::Status AddConditional(const StepFlags& flags,
                              absl::FunctionRef<absl::Status()> part) override {
    if (!captured_ || std::any_of(flags.flags, flags.flags + flags.count, std::identity())) {
      return part();
    }
    ++options_.counts->skipped_parts;
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<StepCopy>> CopyToHostAsync(void* to, const void* from,
                                                            int64_t bytes) override {
    VRP_RETURN_IF_ERROR(CheckNotInCapture("CopyToHostAsync"));
    ++options_.counts->copies;
    return std::unique_ptr<StepCopy>(std::make_unique<Copy>(this, to, from, bytes));
  }

  absl::Status Wait() override {
    VRP_RETURN_IF_ERROR(CheckNotInCapture("Wait"));
    ++options_.counts->waits;
    return absl::OkStatus();
  }

 private:
  class Graph final : public StepGraph {
   public:
    Graph(FakeStepStream* stream, std::function<absl::Status()> work)
        : stream_(stream), work_(std::move(work)) {}
    absl::Status Replay() override {
      ++stream_->options_.counts->replays;
      stream_->captured_ = true;
      const absl::Status status = stream_->RunWork(true, work_);
      stream_->captured_ = false;
      return status;
    }

   private:
    FakeStepStream* const stream_;
    const std::function<absl::Status()> work_;
  };

  class Copy final : public StepCopy {
   public:
    Copy(FakeStepStream* stream, void* to, const void* from, int64_t bytes)
        : stream_(stream),
          to_(to),
          bytes_(static_cast<const char*>(from), static_cast<const char*>(from) + bytes) {}
    absl::Status Wait() override {
      VRP_RETURN_IF_ERROR(stream_->CheckNotInCapture("StepCopy::Wait"));
      std::memcpy(to_, bytes_.data(), bytes_.size());
      return absl::OkStatus();
    }

   private:
    FakeStepStream* const stream_;
    void* const to_;
    const std::vector<char> bytes_;
  };

  absl::Status RunWork(bool captured, absl::FunctionRef<absl::Status()> work) const {
    return options_.wrapper == nullptr ? work() : options_.wrapper(captured, work);
  }

  absl::Status CheckNotInCapture(const char* what) const {
    if (!captured_) return absl::OkStatus();
    return absl::FailedPreconditionError(std::string(what) + ": not allowed in a capture");
  }

  const FakeStepStreamOptions options_;
  bool has_run_ = false;   // whether a run has succeeded
  bool captured_ = false;  // whether captured work is running
};

}  // namespace vrp::test
