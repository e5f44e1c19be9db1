#include "client/output/event_sinks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Minimum time between two lines of progress within an epoch.
constexpr absl::Duration kProgressInterval = absl::Seconds(2);
constexpr char kClearLine[] = "\r\x1b[K";

// Returns the line of an event without progress; empty for unknown events of a newer daemon.
std::string TrainingEventLine(const v1::WatchTrainingJobResponse& event) {
  switch (event.event_case()) {
    case v1::WatchTrainingJobResponse::kState:
      return StateLine(event.state());
    case v1::WatchTrainingJobResponse::kLog:
      return WithoutControls(event.log().line());
    case v1::WatchTrainingJobResponse::kCheckpoint:
      return absl::StrCat("checkpoint at step ", event.checkpoint().step());
    case v1::WatchTrainingJobResponse::kResumed:
      return absl::StrCat("resumed from step ", event.resumed().resumed_from_step(), " (attempt ",
                          event.attempt(), ")");
    case v1::WatchTrainingJobResponse::kModel:
      return absl::StrCat(
          "model ", event.model().model(),
          event.model().live_step() > 0
              ? absl::StrCat(" (published live, after step ", event.model().live_step(), ")")
              : "");
    case v1::WatchTrainingJobResponse::kCompacted:
      return absl::StrCat("events ", event.compacted().first_sequence(), " to ", event.sequence(),
                          " were thinned out; see the remaining metrics: vrpctl jobs history");
    default:
      return "";
  }
}

}  // namespace

std::string WithoutControls(std::string_view text) {
  std::string result = ToValidUtf8(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f) c = ' ';
  }
  return result;
}

std::string StateLine(const v1::StateEvent& state) {
  return absl::StrCat("state ", JobStateWord(state.state()), state.error().empty() ? "" : ": ",
                      WithoutControls(state.error()));
}

std::string ConnectionLostLine(const absl::Status& status) {
  return absl::StrCat("connection lost (",
                      WithoutControls({status.message().data(), status.message().size()}),
                      "), reconnecting");
}

std::string QueuePosition::Line(int32_t position) {
  const bool same = position == reported_;
  reported_ = position;
  return same || reported_ == 0 ? "" : absl::StrCat("position ", reported_, " in the queue");
}

void PlainEventSink::OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) {
  const std::string line = queue_.Line(heartbeat.queue_position());
  if (!line.empty()) environment_.out << line << std::endl;
}

void PlainEventSink::OnEvent(const v1::WatchTrainingJobResponse& event) {
  if (event.has_resumed()) remaining_.Restart();
  if (event.has_progress()) {
    OnProgress(event);
    return;
  }
  const std::string line = TrainingEventLine(event);
  if (!line.empty()) environment_.out << line << std::endl;
  OnHeartbeat(event);
}

void PlainEventSink::OnProgress(const v1::WatchTrainingJobResponse& event) {
  const std::optional<absl::Duration> remaining =
      remaining_.Update(event.progress(), ToTime(event.time()));
  const absl::Time now = environment_.now();
  if (!event.progress().end_of_epoch() && now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  environment_.out << PlainProgressLine(event.progress(), remaining) << std::endl;
}

void BottomLine::PrintAbove(const std::string& line) {
  if (text_ != nullptr) environment_.out << kClearLine;
  environment_.out << line << '\n';
  if (text_ != nullptr) Redraw();
  environment_.out.flush();
}

void BottomLine::Draw(std::function<std::string(int width)> text) {
  text_ = std::move(text);
  Redraw();
}

void BottomLine::Redraw() {
  // The last column stays empty, because some terminals break the line there.
  const int width = environment_.terminal_width().value_or(80) - 1;
  environment_.out << kClearLine << text_(width) << std::flush;
}

void BottomLine::End() {
  if (text_ != nullptr) environment_.out << std::endl;
  text_ = nullptr;
}

void BarEventSink::OnEvent(const v1::WatchTrainingJobResponse& event) {
  if (event.has_resumed()) remaining_.Restart();
  if (event.has_progress()) {
    remaining_time_ = remaining_.Update(event.progress(), ToTime(event.time()));
    progress_ = event.progress();
    bottom_.Draw([this](int width) { return ProgressBarLine(progress_, remaining_time_, width); });
  } else if (!event.has_checkpoint()) {
    const std::string line = TrainingEventLine(event);
    if (!line.empty()) bottom_.PrintAbove(line);
  }
  OnHeartbeat(event);
}

void BarEventSink::OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) {
  const std::string line = queue_.Line(heartbeat.queue_position());
  if (!line.empty()) bottom_.PrintAbove(line);
}

void BarEventSink::OnConnectionLost(const absl::Status& status) {
  bottom_.PrintAbove(ConnectionLostLine(status));
}

void BarEventSink::OnReconnected() { bottom_.PrintAbove(kReconnectedLine); }

void BarEventSink::OnEnd() { bottom_.End(); }

std::unique_ptr<EventSink> MakeEventSink(Environment& environment, bool json) {
  if (json) return std::make_unique<JsonEventSink>(environment);
  if (environment.terminal_width().has_value()) return std::make_unique<BarEventSink>(environment);
  return std::make_unique<PlainEventSink>(environment);
}

}  // namespace vrp::client
