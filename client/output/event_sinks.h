// The ways in which a training job is followed, and what they share with those of a solve job.
#pragma once

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

// What people are told of the connection.
std::string ConnectionLostLine(const absl::Status& status);
inline constexpr char kReconnectedLine[] = "connected again";
// Text from elsewhere: nothing in it may steer the terminal.
std::string WithoutControls(std::string_view text);

// Sinks that print lines: what happens to the connection goes to `err`.
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

// An event a line on `out`.
template <typename Event>
class JsonLineSink final : public LineSink<Event> {
 public:
  using LineSink<Event>::LineSink;
  void OnEvent(const Event& event) override {
    WriteJsonLine(this->environment_.out, EventJson(event));
  }
};

using JsonEventSink = JsonLineSink<v1::WatchTrainingJobResponse>;

// The lines that tell of a waiting job's place.
class QueuePosition {
 public:
  // Empty: it is as it was told before, or the job does not wait (0).
  std::string Line(int32_t position);

 private:
  int32_t told_ = 0;
};

// Lines for logs: events as they come, of progress each end of epoch and at most one line in two
// seconds besides.
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

// A bar that stays in a terminal's last line, while other events scroll above it.
class BarEventSink : public EventSink {
 public:
  explicit BarEventSink(Environment& environment) : environment_(environment) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
  void OnHeartbeat(const v1::WatchTrainingJobResponse& heartbeat) override;
  void OnConnectionLost(const absl::Status& status) override;
  void OnReconnected() override;
  void OnEnd() override;

 private:
  void PrintAbove(const std::string& line);
  void Draw();

  Environment& environment_;
  RemainingTime remaining_;
  v1::TrainingProgress progress_;
  std::optional<absl::Duration> remaining_time_;
  QueuePosition queue_;
  bool drawn_ = false;
};

// The bar where `out` is a terminal, plain lines elsewhere.
std::unique_ptr<EventSink> MakeEventSink(Environment& environment, bool json);

}  // namespace vrp::client
