#include "core/solve/decode_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vrp {
namespace {

// A request joins a batch only if it has at most 1 / kLargeShare of max_rows. Larger requests are
// decoded alone.
constexpr int64_t kLargeShare = 2;
// Weight of the newest time in the moving average.
constexpr double kNewestWeight = 0.2;
constexpr size_t kMaxRowTimes = 64;  // maximum number of pairs of policy and method
// For this time after a decoding was abandoned, a retry needs more than kRetryMargin times the time
// that the decoding took.
constexpr absl::Duration kRetryInterval = absl::Seconds(10);
constexpr double kRetryMargin = 1.1;

// Whether both requests can be improved in one batch, whose improvements all end together.
bool CanImproveWith(const DecodeOptions& first, const DecodeOptions& other, absl::Time now) {
  if (!first.improvement.has_value() || !other.improvement.has_value()) {
    return first.improvement.has_value() == other.improvement.has_value();
  }
  return first.improvement->rounds == other.improvement->rounds && first.seed == other.seed &&
         other.improvement->until >= now + (first.improvement->until - now) / 2;
}

bool CanJoin(const PolicyRequest& first, const PolicyRequest& other, absl::Time now) {
  const DecodeOptions& left = first.options;
  const DecodeOptions& right = other.options;
  return first.policy == other.policy && left.method == right.method && left.width == right.width &&
         left.augmentations == right.augmentations && left.others == right.others &&
         CanImproveWith(left, right, now) &&
         (left.method != DecodeMethod::kMultiStart ||
          first.instance.num_nodes() == other.instance.num_nodes());
}

std::pair<const Policy*, DecodeMethod> KeyOf(const PolicyRequest& request) {
  return {request.policy.get(), request.options.method};
}

}  // namespace

int64_t DecodeRows(const PolicyRequest& request) {
  const DecodeOptions& options = request.options;
  const int64_t augmentations = request.instance.has_positions() ? options.augmentations : 1;
  int64_t width = options.method == DecodeMethod::kGreedy ? 1 : options.width;
  if (width == 0) width = request.instance.num_customers();
  return request.instance.num_nodes() * augmentations * width;
}

int64_t DecodeRows(const std::vector<WaitingDecode>& batch) {
  int64_t rows = 0;
  for (const WaitingDecode& waiting : batch) rows += DecodeRows(waiting.request);
  return rows;
}

bool DecodeQueue::TryAdd(WaitingDecode& waiting) {
  std::deque<WaitingDecode>& queue = queues_[static_cast<size_t>(waiting.request.importance)];
  if (std::ssize(queue) >= limits_.max_waiting) return false;
  queue.push_back(std::move(waiting));
  return true;
}

std::vector<WaitingDecode> DecodeQueue::TakeExpired() {
  std::vector<WaitingDecode> expired;
  for (std::deque<WaitingDecode>& queue : queues_) {
    const auto ended = std::stable_partition(
        queue.begin(), queue.end(),
        [](const WaitingDecode& waiting) { return !waiting.request.options.stop.ShouldStop(); });
    std::move(ended, queue.end(), std::back_inserter(expired));
    queue.erase(ended, queue.end());
  }
  return expired;
}

bool DecodeQueue::CanBeBatched(const PolicyRequest& request) const {
  if (request.threads > 1 || request.options.method == DecodeMethod::kSample) return false;
  return limits_.max_rows == 0 || DecodeRows(request) * kLargeShare <= limits_.max_rows;
}

DecodeQueue::Taken DecodeQueue::Take(absl::Time now) {
  Taken taken{.batch = {}, .expired = TakeExpired()};
  int64_t rows = 0;
  absl::Time deadline = absl::InfiniteFuture();
  // Whether `waiting` may join the batch next.
  const auto fits = [&](const WaitingDecode& waiting) {
    if (taken.batch.empty()) return true;
    const PolicyRequest& first = taken.batch.front().request;
    if (std::ssize(taken.batch) >= limits_.max_batch || !CanJoin(first, waiting.request, now) ||
        !CanBeBatched(first) || !CanBeBatched(waiting.request)) {
      return false;
    }
    const int64_t sum = rows + DecodeRows(waiting.request);
    if (limits_.max_rows > 0 && sum > limits_.max_rows) return false;
    const absl::Time end = now + ExpectedTime(first, sum);
    return end <= std::min(deadline, waiting.request.options.stop.deadline());
  };
  for (std::deque<WaitingDecode>& queue : queues_) {
    std::deque<WaitingDecode> left;
    for (WaitingDecode& waiting : queue) {
      if (!fits(waiting)) {
        left.push_back(std::move(waiting));
        continue;
      }
      rows += DecodeRows(waiting.request);
      deadline = std::min(deadline, waiting.request.options.stop.deadline());
      taken.batch.push_back(std::move(waiting));
    }
    queue = std::move(left);
  }
  return taken;
}

DecodeQueue::RowTime& DecodeQueue::RowTimeOf(const PolicyRequest& request) {
  // The map also holds times of unloaded policies, so it is cleared when it is full.
  if (row_times_.size() >= kMaxRowTimes && !row_times_.contains(KeyOf(request))) {
    row_times_.clear();
  }
  return row_times_[KeyOf(request)];
}

void DecodeQueue::RecordTime(const PolicyRequest& first, int64_t rows, absl::Duration took) {
  if (rows == 0) return;
  RowTime& known = RowTimeOf(first);
  const absl::Duration each = took / rows;
  const bool is_first = known.mean <= absl::ZeroDuration() || known.is_estimate;
  known.mean = is_first ? each : known.mean * (1 - kNewestWeight) + each * kNewestWeight;
  known.at_least = known.is_estimate = false;
  if (rows >= known.failed_rows) known.failed_at = absl::InfinitePast();
  last_row_time_ = known.mean;
}

void DecodeQueue::RecordAbandoned(const PolicyRequest& first, int64_t rows, absl::Duration took,
                                  absl::Time ended) {
  if (rows == 0) return;
  RowTime& known = RowTimeOf(first);
  known.failed_rows = rows;
  known.failed_after = took;
  known.failed_at = ended;
  if (known.mean > absl::ZeroDuration()) known.mean = std::max(known.mean, took / rows);
}

void DecodeQueue::RecordEstimate(const PolicyRequest& like, int64_t rows, DecodeTime estimate) {
  RowTime& known = RowTimeOf(like);
  if (rows == 0 || known.mean > absl::ZeroDuration()) return;
  known.mean = estimate.time / rows;
  known.at_least = estimate.at_least;
  known.is_estimate = true;
  if (!estimate.at_least) last_row_time_ = known.mean;
}

DecodeTime DecodeQueue::TimeOf(const PolicyRequest& like, int64_t rows) const {
  const auto known = row_times_.find(KeyOf(like));
  if (known == row_times_.end()) return {};
  return {.time = known->second.mean * rows, .at_least = known->second.at_least};
}

bool DecodeQueue::WouldExceed(const PolicyRequest& request, absl::Duration time,
                              absl::Time now) const {
  const auto known = row_times_.find(KeyOf(request));
  if (known == row_times_.end()) return false;
  const RowTime& row_time = known->second;
  return now - row_time.failed_at < kRetryInterval && DecodeRows(request) >= row_time.failed_rows &&
         time <= kRetryMargin * row_time.failed_after;
}

absl::Duration DecodeQueue::ExpectedTime() const {
  absl::Duration sum;
  for (const std::deque<WaitingDecode>& queue : queues_) {
    for (const WaitingDecode& waiting : queue) {
      sum += ExpectedTime(waiting.request, DecodeRows(waiting.request));
    }
  }
  return sum;
}

int64_t DecodeQueue::waiting() const {
  int64_t sum = 0;
  for (const std::deque<WaitingDecode>& queue : queues_) sum += std::ssize(queue);
  return sum;
}

bool DecodeQueue::HasFullBatch() const {
  int64_t rows = 0;
  for (const std::deque<WaitingDecode>& queue : queues_) {
    for (const WaitingDecode& waiting : queue) rows += DecodeRows(waiting.request);
  }
  return waiting() >= limits_.max_batch || (limits_.max_rows > 0 && rows >= limits_.max_rows);
}

}  // namespace vrp
