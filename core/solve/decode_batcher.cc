#include "core/solve/decode_batcher.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/solve/policy_plan.h"

namespace vrp {
namespace {

absl::Time EarliestEnd(const std::vector<WaitingDecode>& batch) {
  absl::Time earliest = absl::InfiniteFuture();
  for (const WaitingDecode& waiting : batch) {
    earliest = std::min(earliest, waiting.request.options.improvement->until);
  }
  return earliest;
}

// Decodes the requests together, until the last of their deadlines. Returns no plans if the batch
// fails.
std::vector<DecodedPlan> DecodeBatch(const std::vector<WaitingDecode>& batch) {
  std::vector<Instance> instances;
  absl::Time last = absl::InfinitePast();
  for (const WaitingDecode& waiting : batch) {
    instances.push_back(waiting.request.instance);
    last = std::max(last, waiting.request.options.stop.deadline());
  }
  const PolicyRequest& first = batch.front().request;
  DecodeOptions options = first.options;
  options.stop = StopCondition(last, nullptr);
  if (options.improvement.has_value()) options.improvement->until = EarliestEnd(batch);
  absl::StatusOr<std::vector<DecodedPlan>> plans = DecodeChecked(*first.policy, instances, options);
  return plans.ok() ? *std::move(plans) : std::vector<DecodedPlan>();
}

// Returns the status of a stop condition that held. A condition that no longer holds counts as a
// deadline.
absl::Status StopError(const StopCondition& stop) {
  const StopReason reason = stop.Check();
  return StopStatus(reason == StopReason::kNone ? StopReason::kDeadline : reason);
}

// Returns a plan or an error for each request. If the batch fails, decodes each request alone, so
// that one request does not fail the others. Returns late plans too, because any other plan would
// be later.
std::vector<absl::StatusOr<DecodedPlan>> DecodeAll(const std::vector<WaitingDecode>& batch) {
  std::vector<DecodedPlan> joined;
  if (batch.size() > 1) joined = DecodeBatch(batch);
  std::vector<absl::StatusOr<DecodedPlan>> plans;
  for (size_t i = 0; i < batch.size(); ++i) {
    const StopCondition& stop = batch[i].request.options.stop;
    if (joined.empty()) {
      plans.emplace_back(DecodeAlone(batch[i].request));
    } else if (stop.Check() == StopReason::kCancelled) {
      plans.emplace_back(StopError(stop));
    } else {
      plans.emplace_back(std::move(joined[i]));
    }
  }
  return plans;
}

// Type URL of a payload that holds the delay as absl::FormatDuration writes it.
constexpr char kRetryDelayUrl[] = "vrp/decode_retry_delay";

absl::Status BusyError(int32_t waiting, absl::Duration delay) {
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrCat("busy: ", waiting, waiting == 1 ? " request is" : " requests are",
                   " waiting for a network; try again later"));
  status.SetPayload(kRetryDelayUrl, absl::Cord(absl::FormatDuration(delay)));
  return status;
}

}  // namespace

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryDelayUrl);
  absl::Duration delay;
  if (!payload.has_value() || !absl::ParseDuration(std::string(*payload), &delay)) return {};
  return delay;
}

DecodeBatcher::DecodeBatcher(Options options)
    : options_(std::move(options)), queue_(options_.limits) {}

bool DecodeBatcher::TryQueue(WaitingDecode waiting) {
  {
    absl::MutexLock lock(&mutex_);
    if (queue_.TryAdd(waiting)) {
      changed_.NotifyAll();
      return true;
    }
  }
  waiting.done({.plan = BusyError(options_.limits.max_waiting, ExpectedWait())});
  return false;
}

void DecodeBatcher::Submit(PolicyRequest request, absl::AnyInvocable<void(DecodeOutcome)> done) {
  if (!TryQueue({.request = std::move(request), .done = std::move(done), .since = SteadyNow()})) {
    return;
  }
  if (!options_.has_other_work()) return RunWaiting();
  PostIfNeeded();
}

DecodeOutcome DecodeBatcher::Decode(PolicyRequest request) {
  std::optional<DecodeOutcome> outcome;  // set when the batch has ended; guarded by mutex_
  const auto keep = [this, &outcome](DecodeOutcome given) {
    absl::MutexLock lock(&mutex_);
    outcome = std::move(given);
  };
  TryQueue(
      {.request = std::move(request), .done = keep, .since = SteadyNow(), .done_is_quick = true});
  const auto can_continue = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return outcome.has_value() || CanStartBatch();
  };
  while (true) {
    {
      absl::MutexLock lock(&mutex_, absl::Condition(&can_continue));
      if (outcome.has_value()) break;
    }
    RunOne();
  }
  PostIfNeeded();
  return *std::move(outcome);
}

void DecodeBatcher::RunWaiting() {
  while (RunOne()) {
    if (options_.has_other_work()) break;
  }
  PostIfNeeded();
}

void DecodeBatcher::PostIfNeeded() {
  {
    absl::MutexLock lock(&mutex_);
    if (!CanStartBatch() || running_ + posted_ >= options_.max_running) return;
    ++posted_;
  }
  options_.run_later([this] {
    {
      absl::MutexLock lock(&mutex_);
      --posted_;
    }
    RunWaiting();
  });
}

bool DecodeBatcher::RunOne() {
  DecodeQueue::Taken taken;
  {
    absl::MutexLock lock(&mutex_);
    if (!CanStartBatch()) return false;
    AwaitMore();
    if (!CanStartBatch()) return false;
    taken = queue_.Take(SteadyNow());
    changed_.NotifyAll();
    if (!taken.batch.empty()) ++running_;
  }
  for (WaitingDecode& waiting : taken.expired) {
    DecodeOutcome outcome{.plan = StopError(waiting.request.options.stop),
                          .waited = SteadyNow() - waiting.since};
    DeliverFailure(std::move(waiting), std::move(outcome));
  }
  if (!taken.batch.empty()) Run(std::move(taken.batch));
  return true;
}

void DecodeBatcher::DeliverFailure(WaitingDecode waiting, DecodeOutcome outcome) {
  if (waiting.done_is_quick) return waiting.done(std::move(outcome));
  options_.run_later([done = std::move(waiting.done), outcome = std::move(outcome)]() mutable {
    done(std::move(outcome));
  });
}

void DecodeBatcher::Run(std::vector<WaitingDecode> batch) {
  PostIfNeeded();
  const absl::Time begun = SteadyNow();
  auto watched = BeginWatch(options_.watch, "decode batch", {});
  std::vector<absl::StatusOr<DecodedPlan>> plans = DecodeAll(batch);
  const absl::Time ended = SteadyNow();
  watched.reset();
  {
    absl::MutexLock lock(&mutex_);
    --running_;
    Learn(batch, plans.front(), {begun, ended});
    if (batch.size() > 1) joined_ended_ = ended;
  }
  PostIfNeeded();
  Report report{.waited = {}, .computed = ended - begun};
  for (const WaitingDecode& waiting : batch) report.waited.push_back(begun - waiting.since);
  if (options_.on_batch != nullptr) options_.on_batch(report);
  for (size_t i = 0; i < batch.size(); ++i) {
    const bool is_late = absl::IsDeadlineExceeded(plans[i].status());
    DecodeOutcome outcome{
        .plan = std::move(plans[i]), .waited = report.waited[i], .computed = report.computed};
    if (is_late && batch.size() > 1) {
      DeliverFailure(std::move(batch[i]), std::move(outcome));
    } else {
      batch[i].done(std::move(outcome));
    }
  }
}

void DecodeBatcher::AwaitMore() {
  const absl::Time now = SteadyNow();
  const bool busy = running_ > 0 || now < joined_ended_ + options_.max_delay;
  if (options_.max_delay <= absl::ZeroDuration() || !busy) return;
  changed_.WaitFor(&mutex_, options_.max_delay, [this] {
    mutex_.AssertHeld();
    return queue_.HasFullBatch() || queue_.waiting() == 0;
  });
}

void DecodeBatcher::Learn(const std::vector<WaitingDecode>& batch,
                          const absl::StatusOr<DecodedPlan>& plan, const Span& span) {
  const PolicyRequest& first = batch.front().request;
  const absl::Duration took = span.ended - span.begun;
  if (plan.ok()) {
    queue_.RecordTime(first, DecodeRows(batch), took - plan->improving);
  } else if (absl::IsDeadlineExceeded(plan.status())) {
    queue_.RecordAbandoned(first, DecodeRows(batch), took, span.ended);
  }
}

DecodeTime DecodeBatcher::TimeOf(const PolicyRequest& request, absl::Time until) {
  const int64_t rows = DecodeRows(request);
  {
    absl::MutexLock lock(&mutex_);
    const DecodeTime known = queue_.TimeOf(request, rows);
    if (known.time > absl::ZeroDuration()) return known;
  }
  const DecodeTime measured = MeasureDecodeTime(request, until);
  if (measured.time > absl::ZeroDuration()) {
    absl::MutexLock lock(&mutex_);
    queue_.RecordEstimate(request, rows, measured);
  }
  return measured;
}

bool DecodeBatcher::WouldExceed(const PolicyRequest& request, absl::Duration time) const {
  absl::MutexLock lock(&mutex_);
  return queue_.WouldExceed(request, time, SteadyNow());
}

absl::Duration DecodeBatcher::ExpectedWait() const {
  absl::MutexLock lock(&mutex_);
  return queue_.ExpectedTime() / options_.max_running;
}

absl::Duration DecodeBatcher::ExpectedTime(int64_t rows) const {
  absl::MutexLock lock(&mutex_);
  return queue_.ExpectedTime(rows);
}

int64_t DecodeBatcher::waiting() const {
  absl::MutexLock lock(&mutex_);
  return queue_.waiting();
}

}  // namespace vrp
