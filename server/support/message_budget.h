// What requests take in memory, each and together, from when they are unpacked to their end.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/text.h"
#include "server/convert/status_convert.h"

namespace vrp {

// Thread-safe.
class MessageBudget {
 public:
  struct Options {
    int64_t each = int64_t{256} << 20;  // bytes
    int64_t together = int64_t{1} << 30;
  };
  explicit MessageBudget(const Options& options) : options_(options) {}
  MessageBudget(const MessageBudget&) = delete;
  MessageBudget& operator=(const MessageBudget&) = delete;

  // Gives back what was taken when it goes; before the budget.
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

  int64_t each() const { return options_.each; }
  int64_t taken() const { return taken_; }

  // kResourceExhausted: others have too much of it.
  absl::StatusOr<Share> Take(int64_t bytes) {
    const int64_t others = taken_.fetch_add(bytes);
    if (others + bytes <= options_.together) return Share(*this, bytes);
    taken_ -= bytes;
    return WithReason(absl::ResourceExhaustedError(Concat(
                          "busy: requests under way take ", others >> 20, " MiB, and this one ",
                          bytes >> 20, " of the ", options_.together >> 20,
                          " that they may take together (max_request_memory_mib); try again")),
                      "OUT_OF_MEMORY");
  }

 private:
  const Options options_;
  std::atomic<int64_t> taken_ = 0;
};

}  // namespace vrp
