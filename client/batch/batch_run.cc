#include "client/batch/batch_run.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/batch/answer_folder.h"
#include "client/batch/batch_input.h"
#include "client/batch/batch_state.h"
#include "client/batch/daemon_link.h"
#include "client/output/event_sinks.h"
#include "client/output/json.h"
#include "client/output/progress_text.h"
#include "client/support/steady_now.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr int64_t kWindowPerDaemon = 1024;  // instances in memory
constexpr absl::Duration kBarInterval = absl::Milliseconds(200);
constexpr absl::Duration kLineInterval = absl::Seconds(10);
constexpr absl::Duration kJsonInterval = absl::Seconds(1);

// Returns what determines the answers besides the instances, as a line of JSON.
absl::StatusOr<std::string> OptionsText(const BatchOptions& options) {
  v1::SolveRequest request = options.request;
  absl::StatusOr<v1::InstanceFile> file = EmptyInstanceFile(options.instance_flags);
  if (!file.ok()) return file.status();
  *request.mutable_file() = *std::move(file);
  std::string text;
  const auto converted = google::protobuf::util::MessageToJsonString(request, &text);
  if (!converted.ok()) return absl::InternalError(std::string(converted.message()));
  return text;
}

// Shows the progress, and notices above it. Thread-safe.
class BatchDisplay {
 public:
  BatchDisplay(Environment& environment, bool is_json, int64_t total_bytes)
      : environment_(environment),
        bottom_(environment),
        is_json_(is_json),
        total_bytes_(total_bytes),
        began_(SteadyNow()),
        next_line_(began_) {
    if (!is_json) next_line_ += kLineInterval;
  }

  void Notice(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (is_json_) {
      environment_.err << line << std::endl;
    } else {
      bottom_.PrintAbove(line);
    }
  }
  void Update(const BatchProgress& progress) {
    const std::lock_guard lock(mutex_);
    if (!first_bytes_.has_value()) first_bytes_ = progress.bytes;
    const absl::Time now = SteadyNow();
    if (!is_json_ && environment_.terminal_width().has_value()) {
      bottom_.Draw([text = Text(progress, now), done = progress.bytes, total = total_bytes_](
                       int width) { return TextBarLine(done, total, text, width); });
    } else if (now >= next_line_) {
      next_line_ = now + (is_json_ ? kJsonInterval : kLineInterval);
      PrintLine(progress, now);
    }
  }
  void End() {
    const std::lock_guard lock(mutex_);
    bottom_.End();
  }

 private:
  void PrintLine(const BatchProgress& progress, absl::Time now) {
    if (!is_json_) return bottom_.PrintAbove(Text(progress, now));
    WriteJsonLine(environment_.out, {{"progress", true},
                                     {"answers", progress.answers},
                                     {"failed", progress.failed},
                                     {"bytes", progress.bytes},
                                     {"total_bytes", total_bytes_}});
  }
  std::string Text(const BatchProgress& progress, absl::Time now) const {
    const double seconds = absl::ToDoubleSeconds(now - began_);
    std::string text = absl::StrCat(progress.answers, " answers");
    if (progress.failed > 0) absl::StrAppend(&text, ", ", progress.failed, " failed");
    if (seconds <= 0) return text;
    absl::StrAppend(&text, ", ", FormatRate(static_cast<double>(progress.answers) / seconds), "/s");
    const auto done = static_cast<double>(progress.bytes - *first_bytes_);
    const auto rest = static_cast<double>(total_bytes_ - progress.bytes);
    if (done > 0 && rest > 0) {
      absl::StrAppend(&text, ", ETA ", FormatSpan(absl::Seconds(seconds * rest / done)));
    }
    return text;
  }

  Environment& environment_;
  std::mutex mutex_;
  BottomLine bottom_;
  const bool is_json_;
  const int64_t total_bytes_;
  const absl::Time began_;
  absl::Time next_line_;
  std::optional<int64_t> first_bytes_;  // those that had answers before the run
};

// Runs the links to all daemons until the run ends.
void RunLinks(const std::vector<std::unique_ptr<RpcClient>>& daemons, const LinkContext& context,
              BatchDisplay& display) {
  std::vector<std::thread> links;
  for (size_t i = 0; i < daemons.size(); ++i) {
    links.emplace_back([&daemons, &context, i] { RunDaemonLink(*daemons[i], i, context); });
  }
  while (!context.state.ended()) {
    display.Update(context.state.progress());
    if (context.interrupt.WaitFor(kBarInterval)) {
      context.state.End(absl::CancelledError("interrupted"));
    }
  }
  if (!context.state.status().ok()) {
    for (const std::unique_ptr<RpcClient>& daemon : daemons) daemon->Cancel();
  }
  for (std::thread& link : links) link.join();
  display.Update(context.state.progress());
  display.End();
}

}  // namespace

absl::StatusOr<BatchOutcome> RunBatch(const std::vector<std::unique_ptr<RpcClient>>& daemons,
                                      const BatchOptions& options, Environment& environment) {
  const absl::StatusOr<std::string> text = OptionsText(options);
  if (!text.ok()) return text.status();
  absl::StatusOr<AnswerFolder> folder = AnswerFolder::Open(options.answers, options.inputs, *text);
  if (!folder.ok()) return folder.status();
  BatchInput input(options.inputs, folder->files(), options.instance_flags);
  BatchState state(input, folder->files(), daemons.size(),
                   kWindowPerDaemon * static_cast<int64_t>(daemons.size()));
  BatchDisplay display(environment, options.is_json, folder->input_bytes());
  RunLinks(daemons,
           {.request = options.request,
            .state = state,
            .interrupt = environment.interrupt,
            .in_flight = options.in_flight,
            .notice = [&display](const std::string& line) { display.Notice(line); }},
           display);
  const BatchProgress progress = state.progress();
  BatchOutcome outcome = {.answers = progress.answers,
                          .tally = state.tally(),
                          .failed = progress.failed,
                          .infeasible = progress.infeasible,
                          .status = state.status()};
  for (const AnswerFile& file : folder->files()) outcome.found += file.found();
  return outcome;
}

}  // namespace vrp::client
