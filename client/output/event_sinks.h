// Sinks that print the events of a training job, and parts shared with the sinks of other jobs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/connection/job_watcher.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/support/environment.h"
#include "nlohmann/json.hpp"

namespace vrp::client {

std::string ConnectionLostLine(const absl::Status& status);
inline constexpr char kReconnectedLine[] = "connected again";
// Returns "state RUNNING". Adds the error of a failed job.
std::string StateLine(const v1::StateEvent& state);
// Replaces ASCII control characters except tabs by blanks, and invalid UTF-8 by '?'. Other users'
// text then cannot send escape sequences that begin with ESC to the terminal.
std::string WithoutControls(std::string_view text);

// A sink that passes every call to another sink.
template <typename Event>
class ForwardingSink : public JobEventSink<Event> {
 public:
  explicit ForwardingSink(JobEventSink<Event>& next) : next_(next) {}

  void OnEvent(const Event& event) override { next_.OnEvent(event); }
  void OnHeartbeat(const Event& heartbeat) override { next_.OnHeartbeat(heartbeat); }
  void OnConnectionLost(const absl::Status& status) override { next_.OnConnectionLost(status); }
  void OnReconnected() override { next_.OnReconnected(); }
  void OnEnd() override { next_.OnEnd(); }

 private:
  JobEventSink<Event>& next_;
};

// A sink that prints changes of the connection on `err`. Derived sinks print the events.
template <typename Event>
class LineSink : public JobEventSink<Event> {
 public:
  explicit LineSink(Environment& environment) : environment_(environment) {}

  void OnConnectionLost(const absl::Status& status) override {
    environment_.err << ConnectionLostLine(status) << std::endl;
  }
  void OnReconnected() override { environment_.err << kReconnectedLine << std::endl; }
  void OnEnd() override {}

 protected:
  Environment& environment_;
};

// A sink that prints one JSON object per event on `out`.
template <typename Event>
class JsonLineSink final : public LineSink<Event> {
 public:
  using LineSink<Event>::LineSink;
  void OnEvent(const Event& event) override {
    WriteJsonLine(this->environment_.out, EventJson(event));
  }
};

using JsonEventSink = JsonLineSink<v1::WatchTrainingJobResponse>;

// A reporter of the queue position of a waiting job.
class QueuePosition {
 public:
  // Returns a line for a new position. Returns an empty line if the position is unchanged or 0 (the
  // job does not wait).
  std::string Line(int32_t position);

 private:
  int32_t reported_ = 0;
};

// A sink that prints one line per event, for logs. Prints progress within an epoch at most once in
// two seconds.
class PlainEventSink : public LineSink<v1::WatchTrainingJobResponse> {
 public:
  using LineSink::LineSink;

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
  void OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) override;

 private:
  void OnProgress(const v1::WatchTrainingJobResponse& event);

  RemainingTime remaining_;
  absl::Time last_progress_ = absl::InfinitePast();
  QueuePosition queue_;
};

// The terminal's last line, which stays below the other lines. Without Draw, lines are printed
// plainly.
class BottomLine {
 public:
  explicit BottomLine(Environment& environment) : environment_(environment) {}

  void PrintAbove(const std::string& line);
  // Draws the line that `text` returns for a number of columns, now and after each other line.
  void Draw(std::function<std::string(int width)> text);
  // Ends the line. Must be called last.
  void End();

 private:
  void Redraw();

  Environment& environment_;
  std::function<std::string(int width)> text_;  // null: nothing is drawn
};

// A sink that keeps a progress bar in the terminal's last line. Other events scroll above the bar,
// except checkpoints, which are not shown.
class BarEventSink : public EventSink {
 public:
  explicit BarEventSink(Environment& environment) : bottom_(environment) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
  void OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) override;
  void OnConnectionLost(const absl::Status& status) override;
  void OnReconnected() override;
  void OnEnd() override;

 private:
  BottomLine bottom_;
  RemainingTime remaining_;
  v1::TrainingProgress progress_;
  std::optional<absl::Duration> remaining_time_;
  QueuePosition queue_;
};

// Returns a JSON sink if `json`; otherwise a bar on a terminal, and plain lines elsewhere.
std::unique_ptr<EventSink> MakeEventSink(Environment& environment, bool json);

}  // namespace vrp::client
