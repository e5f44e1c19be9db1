// The three ways in which a job is followed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/environment.h"
#include "client/job_watcher.h"
#include "client/output/progress_text.h"

namespace vrp::client {

// An event a line on `out`; what happens to the connection goes to `err`.
class JsonEventSink : public EventSink {
 public:
  explicit JsonEventSink(Environment& environment) : environment_(environment) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
  void OnConnectionLost(const absl::Status& status) override;
  void OnReconnected() override;
  void OnEnd() override {}

 private:
  Environment& environment_;
};

// Lines for logs: events as they come, of progress each end of epoch and at most one line in two
// seconds besides.
class PlainEventSink : public EventSink {
 public:
  explicit PlainEventSink(Environment& environment) : environment_(environment) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
  void OnConnectionLost(const absl::Status& status) override;
  void OnReconnected() override;
  void OnEnd() override {}

 private:
  void OnProgress(const v1::WatchTrainingJobResponse& event);

  Environment& environment_;
  RemainingTime remaining_;
  absl::Time last_progress_ = absl::InfinitePast();
};

// A bar that stays in a terminal's last line, while other events scroll above it.
class BarEventSink : public EventSink {
 public:
  explicit BarEventSink(Environment& environment) : environment_(environment) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override;
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
  bool drawn_ = false;
};

// The bar where `out` is a terminal, plain lines elsewhere.
std::unique_ptr<EventSink> MakeEventSink(Environment& environment, bool json);

}  // namespace vrp::client
