#include "client/batch/batch_state.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/output/json.h"
#include "client/support/steady_now.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Number of daemons that may be lost with an instance, or refuse it. It may be what ends them.
constexpr int32_t kMaxLosses = 20;
// Time without an answer after which a run ends if no daemon can be reached: before the first
// answer, when the address may be wrong, and later, when daemons may restart.
constexpr absl::Duration kFirstPatience = absl::Seconds(5);
constexpr absl::Duration kPatience = absl::Minutes(1);

std::string ErrorAnswer(const BatchItem& item, const absl::Status& error) {
  const Json json = {{"line", item.line},
                     {"error",
                      {{"code", absl::StatusCodeToString(error.code())},
                       {"message", ToValidUtf8(std::string(error.message()))}}}};
  return json.dump();
}

std::string AnswerOf(const BatchItem& item, const v1::SolveResponse& response) {
  Json json = {{"line", item.line}};
  json.update(SolveJson(response));
  return json.dump();
}

}  // namespace

BatchState::BatchState(BatchInput& input, std::vector<AnswerFile>& files, size_t daemons,
                       int64_t window)
    : window_(window), input_(input), files_(files), daemons_(daemons), last_answer_(SteadyNow()) {
  absl::MutexLock lock(&mutex_);
  ReadAhead();
}

void BatchState::SetInFlight(size_t daemon, int64_t in_flight) {
  absl::MutexLock lock(&mutex_);
  daemons_[daemon].in_flight = in_flight;
}

void BatchState::ReadAhead() {
  while (waiting_.empty() && !read_all_ && !end_.has_value() && read_ - written_ < window_) {
    absl::StatusOr<std::optional<BatchItem>> item = input_.Next();
    if (!item.ok()) return EndLocked(item.status());
    if (!item->has_value()) {
      read_all_ = true;
      break;
    }
    ++read_;
    auto read = std::make_shared<BatchItem>(**std::move(item));
    if (read->unreadable.ok()) {
      waiting_.push_back(std::move(read));
    } else {
      RecordError(*read, read->unreadable);
    }
  }
  if (read_all_ && read_ == written_ && !end_.has_value()) EndLocked(CompleteFiles(files_.size()));
}

std::shared_ptr<const BatchItem> BatchState::Take(size_t daemon) {
  absl::MutexLock lock(&mutex_);
  Daemon& taker = daemons_[daemon];
  while (true) {
    ReadAhead();
    if (end_.has_value() || !taker.is_connected) return nullptr;
    if (!waiting_.empty() && std::ssize(taker.items) < taker.in_flight) break;
    changed_.Wait(&mutex_);
  }
  std::shared_ptr<BatchItem> item = std::move(waiting_.front());
  waiting_.pop_front();
  taker.items[item->number] = item;
  return item;
}

std::shared_ptr<BatchItem> BatchState::Remove(Daemon& daemon, int64_t number) {
  const auto found = daemon.items.find(number);
  if (found == daemon.items.end()) return nullptr;
  std::shared_ptr<BatchItem> item = std::move(found->second);
  daemon.items.erase(found);
  changed_.SignalAll();
  return item;
}

void BatchState::Answer(size_t daemon, int64_t number, const v1::SolveResponse& response) {
  std::shared_ptr<BatchItem> item;
  {
    absl::MutexLock lock(&mutex_);
    item = Remove(daemons_[daemon], number);
  }
  if (item == nullptr) return;
  std::string answer = AnswerOf(*item, response);
  absl::MutexLock lock(&mutex_);
  tally_.Add(response);
  if (!response.feasible()) ++progress_.infeasible;
  last_answer_ = SteadyNow();
  Record(*item, std::move(answer));
}

void BatchState::Fail(size_t daemon, int64_t number, const absl::Status& error) {
  absl::MutexLock lock(&mutex_);
  const std::shared_ptr<BatchItem> item = Remove(daemons_[daemon], number);
  if (item == nullptr) return;
  last_answer_ = SteadyNow();
  RecordError(*item, error);
}

void BatchState::Refuse(size_t daemon, int64_t number) {
  absl::MutexLock lock(&mutex_);
  if (std::shared_ptr<BatchItem> item = Remove(daemons_[daemon], number); item != nullptr) {
    Return(std::move(item));
  }
}

void BatchState::Return(std::shared_ptr<BatchItem> item) {
  if (++item->losses < kMaxLosses) {
    waiting_.push_front(std::move(item));
    return;
  }
  RecordError(*item, absl::UnavailableError(absl::StrCat(
                         "daemons were lost or refused this instance ", item->losses, " times")));
}

void BatchState::RecordError(const BatchItem& item, const absl::Status& error) {
  tally_.AddFailure();
  ++progress_.failed;
  Record(item, ErrorAnswer(item, error));
}

void BatchState::Record(const BatchItem& item, std::string answer) {
  ++progress_.answers;
  progress_.bytes += item.bytes;
  unwritten_[item.number] = {.file_number = item.file_number, .answer = std::move(answer)};
  for (auto next = unwritten_.begin(); next != unwritten_.end() && next->first == written_;
       next = unwritten_.erase(next)) {
    const absl::Status wrote = Write(next->second);
    if (!wrote.ok()) return EndLocked(wrote);
    ++written_;
  }
  changed_.SignalAll();
  ReadAhead();
}

absl::Status BatchState::Write(const Written& written) {
  absl::Status status = CompleteFiles(written.file_number);
  AnswerFile& file = files_[written.file_number];
  if (status.ok()) status = file.Append(written.answer);
  if (status.ok()) status = file.Flush();
  return status;
}

absl::Status BatchState::CompleteFiles(size_t end) {
  for (; completed_ < end; ++completed_) {
    if (files_[completed_].is_complete()) continue;
    const absl::Status status = files_[completed_].Complete();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void BatchState::Connect(size_t daemon) {
  absl::MutexLock lock(&mutex_);
  daemons_[daemon].is_connected = true;
}

void BatchState::Disconnect(size_t daemon) {
  absl::MutexLock lock(&mutex_);
  daemons_[daemon].is_connected = false;
  auto items = std::exchange(daemons_[daemon].items, {});
  for (auto item = items.rbegin(); item != items.rend() && !end_.has_value(); ++item) {
    Return(std::move(item->second));
  }
  changed_.SignalAll();
}

void BatchState::GiveUpAfterLoss(const absl::Status& error) {
  absl::MutexLock lock(&mutex_);
  for (const Daemon& daemon : daemons_) {
    if (!daemon.items.empty()) return;
  }
  const bool any_answer = progress_.answers > 0;
  if (SteadyNow() - last_answer_ >= (any_answer ? kPatience : kFirstPatience)) EndLocked(error);
}

void BatchState::End(const absl::Status& reason) {
  absl::MutexLock lock(&mutex_);
  EndLocked(reason);
}

void BatchState::EndLocked(const absl::Status& reason) {
  if (!end_.has_value()) end_ = reason;
  changed_.SignalAll();
}

bool BatchState::ended() const {
  absl::MutexLock lock(&mutex_);
  return end_.has_value();
}

absl::Status BatchState::status() const {
  absl::MutexLock lock(&mutex_);
  return end_.value_or(absl::OkStatus());
}

BatchProgress BatchState::progress() const {
  absl::MutexLock lock(&mutex_);
  BatchProgress progress = progress_;
  progress.bytes += input_.skipped_bytes();
  return progress;
}

SolveTally BatchState::tally() const {
  absl::MutexLock lock(&mutex_);
  return tally_;
}

}  // namespace vrp::client
