// The daemon's last seconds: calls under way are given time to end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "core/base/stop.h"

namespace vrp {

// Thread-safe.
class Drain {
 public:
  explicit Drain(absl::Duration lasts) : lasts_(lasts) {}

  // Set when searches under way are to answer with the best that they have: after a part of the
  // drain, so that short ones end by themselves and large answers still get out. Never null.
  const std::shared_ptr<CancelFlag>& searches_end() const { return searches_end_; }
  // Whether the drain is over: gRPC has cut the calls that were left, which their callers hear as
  // UNAVAILABLE.
  bool over() const;

  // Runs `close`, which is given the time that it has for calls to end and returns when none is
  // left. Blocks as long. Once.
  void Run(absl::FunctionRef<void(absl::Duration lasts)> close);

 private:
  const absl::Duration lasts_;
  const std::shared_ptr<CancelFlag> searches_end_ = std::make_shared<CancelFlag>();
  std::atomic<int64_t> over_at_ns_{INT64_MAX};  // on SteadyNow's clock
};

}  // namespace vrp
