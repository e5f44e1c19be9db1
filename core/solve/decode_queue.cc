#include "core/solve/decode_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vrp {
namespace {

// A request with more than this share of a batch's rows is decoded alone.
constexpr int64_t kLargeShare = 2;
// The newest time's share in what is expected.
constexpr double kNewest = 0.2;
constexpr size_t kMostPaces = 64;

// Improvements that are done together end together.
bool CanImproveWith(const DecodeOptions& first, const DecodeOptions& other, absl::Time now) {
  if (!first.improvement.has_value() || !other.improvement.has_value()) {
    return first.improvement.has_value() == other.improvement.has_value();
  }
  return first.improvement->rounds == other.improvement->rounds && first.seed == other.seed &&
         other.improvement->until >= now + (first.improvement->until - now) / 2;
}

bool CanJoin(const DecodeJoin& first, const DecodeJoin& other, absl::Time now) {
  const DecodeOptions& left = first.options;
  const DecodeOptions& right = other.options;
  return first.policy == other.policy && left.method == right.method && left.width == right.width &&
         left.augmentations == right.augmentations && left.others == right.others &&
         CanImproveWith(left, right, now) &&
         (left.method != DecodeMethod::kMultiStart ||
          first.instance.num_nodes() == other.instance.num_nodes());
}

std::pair<const Policy*, DecodeMethod> KeyOf(const DecodeJoin& request) {
  return {request.policy.get(), request.options.method};
}

}  // namespace

int64_t DecodeRows(const DecodeJoin& request) {
  const DecodeOptions& options = request.options;
  const int64_t pictures = request.instance.has_positions() ? options.augmentations : 1;
  int64_t width = options.method == DecodeMethod::kGreedy ? 1 : options.width;
  if (width == 0) width = request.instance.num_customers();
  return request.instance.num_nodes() * pictures * width;
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

bool DecodeQueue::IsJoined(const DecodeJoin& request) const {
  if (request.threads > 1 || request.options.method == DecodeMethod::kSample) return false;
  return limits_.max_rows == 0 || DecodeRows(request) * kLargeShare <= limits_.max_rows;
}

DecodeQueue::Taken DecodeQueue::Take(absl::Time now) {
  Taken taken{.batch = {}, .expired = TakeExpired()};
  int64_t rows = 0;
  absl::Time deadline = absl::InfiniteFuture();
  // Whether `waiting` may be the next of the batch.
  const auto fits = [&](const WaitingDecode& waiting) {
    if (taken.batch.empty()) return true;
    const DecodeJoin& first = taken.batch.front().request;
    if (std::ssize(taken.batch) >= limits_.max_batch || !CanJoin(first, waiting.request, now) ||
        !IsJoined(first) || !IsJoined(waiting.request)) {
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

void DecodeQueue::Learn(const DecodeJoin& first, int64_t rows, absl::Duration took,
                        absl::Time ended) {
  if (rows == 0) return;
  // Of policies that are gone too: so it is emptied now and then.
  if (paces_.size() >= kMostPaces) paces_.clear();
  const absl::Duration each = took / rows;
  const auto [known, is_new] = paces_.emplace(KeyOf(first), Pace{.row = each, .tried = ended});
  Pace& pace = known->second;
  if (!is_new) pace = {.row = pace.row * (1 - kNewest) + each * kNewest, .tried = ended};
  last_row_time_ = pace.row;
}

void DecodeQueue::LearnAtLeast(const DecodeJoin& first, int64_t rows, absl::Duration took,
                               absl::Time ended) {
  const auto known = paces_.find(KeyOf(first));
  if (rows == 0 || known == paces_.end()) return;
  known->second = {.row = std::max(known->second.row, took / rows), .tried = ended};
}

absl::Duration DecodeQueue::ExpectedTime(const DecodeJoin& like, int64_t rows) const {
  const auto known = paces_.find(KeyOf(like));
  return known == paces_.end() ? absl::ZeroDuration() : known->second.row * rows;
}

absl::Time DecodeQueue::LastTried(const DecodeJoin& like) const {
  const auto known = paces_.find(KeyOf(like));
  return known == paces_.end() ? absl::InfinitePast() : known->second.tried;
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
