// A fake stream that checks torch's operators. A capture must not be the first to use an operator,
// because cuBLAS and cuDNN then allocate and measure. A capture does not allow that.
#pragma once

#include <ATen/record_function.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "tests/device/fake_step_stream.h"

namespace vrp::test {

// A recorder of the torch operators that a thread uses. Torch calls the recorder on the threads
// that compute gradients on a GPU too; what they use is not recorded.
class UsedOperators {
 public:
  absl::Status Record(absl::FunctionRef<absl::Status()> work) {
    used_ = &names;
    const at::CallbackHandle handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback(AddName).scopes({at::RecordScope::FUNCTION}));
    const absl::Cleanup end = [handle] {
      at::removeCallback(handle);
      used_ = nullptr;
    };
    return work();
  }

  std::set<std::string> names;

 private:
  static std::unique_ptr<at::ObserverContext> AddName(const at::RecordFunction& call) {
    if (used_ != nullptr) used_->insert(call.name());
    return nullptr;
  }

  static thread_local inline std::set<std::string>* used_ = nullptr;
};

// The operators that ran outside of captures. Not thread-safe.
class PreparedOperators {
 public:
  // Runs `work`, inside a capture or not. Returns kFailedPrecondition naming an operator that a
  // capture was the first to use. Exceptions of `work` propagate.
  absl::Status Run(bool captured, absl::FunctionRef<absl::Status()> work) {
    UsedOperators used;
    const absl::Status status = used.Record(work);
    if (!captured) prepared_.insert(used.names.begin(), used.names.end());
    for (const std::string& one : used.names) {
      if (!prepared_.contains(one)) {
        return absl::FailedPreconditionError(absl::StrCat(one, ": a capture is its first use"));
      }
    }
    return status;
  }

 private:
  std::set<std::string> prepared_;
};

inline std::unique_ptr<StepStream> TorchStepStream(FakeStepStreamOptions options) {
  options.wrapper = [operators = std::make_shared<PreparedOperators>()](
                        bool captured, absl::FunctionRef<absl::Status()> work) {
    return operators->Run(captured, work);
  };
  return std::make_unique<FakeStepStream>(std::move(options));
}

}  // namespace vrp::test
