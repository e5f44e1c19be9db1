// Limits the memory of parsed requests, per request and in total.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

// A budget of memory. Thread-safe.
class MessageBudget {
 public:
  struct Options {
    int64_t per_message = int64_t{256} << 20;  // limit of bytes per request; Take does not check it
    int64_t total = int64_t{1} << 30;          // limit of bytes of all requests
  };
  explicit MessageBudget(const Options& options) : options_(options) {}
  MessageBudget(const MessageBudget&) = delete;
  MessageBudget& operator=(const MessageBudget&) = delete;

  // A share of the budget, returned by the destructor. Must not outlive the budget.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->taken_ -= bytes_;
    }
    int64_t bytes() const { return bytes_; }

   private:
    friend class MessageBudget;
    Share(MessageBudget& budget, int64_t bytes) : budget_(&budget), bytes_(bytes) {}
    MessageBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  int64_t per_message() const { return options_.per_message; }
  int64_t taken() const { return taken_; }

  // Takes `bytes` from the budget. Returns kResourceExhausted if other requests leave too little.
  absl::StatusOr<Share> Take(int64_t bytes) {
    const int64_t others = taken_.fetch_add(bytes);
    if (others + bytes <= options_.total) return Share(*this, bytes);
    taken_ -= bytes;
    return WithReason(
        absl::ResourceExhaustedError(Concat("busy: requests in flight use ", RoundedUpMib(others),
                                            " MiB, this one needs ", RoundedUpMib(bytes),
                                            " MiB, and the limit is ", RoundedUpMib(options_.total),
                                            " MiB (max_request_memory_mib); try again later")),
        "OUT_OF_MEMORY");
  }

 private:
  static int64_t RoundedUpMib(int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

  const Options options_;
  std::atomic<int64_t> taken_ = 0;
};

}  // namespace vrp
