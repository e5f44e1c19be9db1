// The ranks of one training, which decide together and fail together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exchange/gradient_exchange.h"

namespace vrp {

// The ranks of a training as its parts see them. A training without an exchange is a group of one.
//
// A rank that fails between two calls tells the others by Fail. Each method but SumGradient begins
// with a comparison of all ranks' statuses, so that the others get the error from their next call,
// whichever it is. Not thread-safe.
class RankGroup {
 public:
  // Makes a group. `exchange` may be null; otherwise it must outlive the group.
  explicit RankGroup(GradientExchange* exchange) : exchange_(exchange) {}

  int32_t rank() const { return exchange_ == nullptr ? 0 : exchange_->rank(); }
  int32_t ranks() const { return exchange_ == nullptr ? 1 : exchange_->ranks(); }
  bool alone() const { return ranks() == 1; }
  // Whether this rank decides, writes and reports.
  bool leads() const { return rank() == 0; }
  // Whether an error was shared, after which no rank goes on.
  bool failed() const { return failed_; }

  // Returns the numbers of every rank [ranks, own.size()], at most kMaxGathered of each. If a
  // rank's `status` is an error, all ranks get the error of the first one, with its number.
  absl::StatusOr<std::vector<double>> Gather(const absl::Status& status,
                                             std::span<const double> own);
  // Returns all ranks' numbers one after another, in the order of the ranks, of any number each.
  // Shares errors like Gather.
  absl::StatusOr<std::vector<double>> Join(const absl::Status& status, std::span<const double> own);
  // Blocks until all ranks have called. Shares errors like Gather.
  absl::Status Meet(const absl::Status& status) { return Gather(status, {}).status(); }
  // Replaces `bytes` by those of rank 0. Shares errors like Gather.
  absl::Status Share(const absl::Status& status, std::string& bytes);
  // Replaces `gradient` by the sum over all ranks. Must follow a successful Gather directly, so
  // that no rank can have failed in between.
  absl::Status SumGradient(std::span<float> gradient);
  // Tells the other ranks that this one failed, unless they know. Blocks until they have heard it.
  void Fail(const absl::Status& status);

  static constexpr size_t kMaxGathered = 15;

 private:
  // Returns the error of the first rank that has one; `codes` are the ranks' status codes.
  absl::Status ShareError(const absl::Status& status, std::span<const double> codes);
  absl::Status Keep(absl::Status status);

  GradientExchange* const exchange_;
  bool failed_ = false;  // whether the exchange cannot be used any more
};

}  // namespace vrp
