#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/stats.h"
#include "client/support/flags.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct TopFlags {
  std::string interval = "2s";
  bool once = false;
  bool follow = false;
};

// An escape sequence that moves to the upper left corner and clears the screen. The sequence
// changes no mode of the terminal, so there is nothing to restore after an abrupt end.
constexpr char kRedraw[] = "\x1b[H\x1b[J";

// Cuts each line to `width` bytes, so that no line wraps.
std::string CutLines(const std::string& text, int width) {
  std::string cut;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&cut, line.substr(0, static_cast<size_t>(width)), "\n");
  }
  cut.pop_back();
  return cut;
}

void ShowStats(CommandContext& context, const StatsInterval& stats, bool once) {
  const std::optional<int> width = context.environment().terminal_width();
  if (context.json()) {
    WriteJsonLine(context.out(), StatsJson(stats));
  } else if (once) {
    context.out() << StatsText(stats, context.client().remote()) << std::flush;
  } else if (width.has_value()) {
    context.out() << kRedraw << CutLines(StatsText(stats, context.client().remote()), *width)
                  << std::flush;
  } else {
    context.out() << StatsLine(stats) << std::flush;
  }
}

// Returns why the GPU cannot be used; empty if the daemon is ready, has lost no GPU or refuses the
// call. A daemon that has lost its GPU is not ready.
std::string CurrentDeviceLoss(CommandContext& context, const v1::ServerStats& now) {
  if (now.not_ready().empty()) return "";
  const absl::StatusOr<v1::ServerInfo> info =
      context.client().Call(&v1::SystemService::Stub::GetServerInfo, {});
  return info.ok() ? info->device_loss() : "";
}

ExitCode RunTop(CommandContext& context, const TopFlags& flags) {
  const absl::StatusOr<absl::Duration> interval = ParseBudget(flags.interval, "--interval");
  if (!interval.ok()) return context.Fail(interval.status());
  const Interrupt& interrupt = context.environment().interrupt;
  const bool terminal = context.environment().terminal_width().has_value();
  const bool once = flags.once || !(terminal || flags.follow);
  std::optional<v1::ServerStats> before;
  while (true) {
    absl::StatusOr<v1::ServerStats> now =
        context.client().Call(&v1::SystemService::Stub::GetServerStats, {});
    // Exits successfully, since Ctrl-C is the usual end of this command.
    if (interrupt.triggered()) return kExitDone;
    if (!now.ok()) return context.Fail(now.status());
    // Drops the earlier reading, because a restarted daemon counts from 0.
    if (before.has_value() && before->start_time().seconds() != now->start_time().seconds()) {
      before = std::nullopt;
    }
    ShowStats(context, StatsInterval(*now, std::move(before), CurrentDeviceLoss(context, *now)),
              once);
    if (once || !context.out()) return kExitDone;
    before = *std::move(now);
    if (interrupt.WaitFor(*interval)) return kExitDone;
  }
}

}  // namespace

void AddTop(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "top", "Show requests, queues, jobs and memory of the daemon",
                 "vrpctl top\n"
                 "vrpctl top --once --output json\n"
                 "vrpctl top --follow --interval 10s | head -3    # one line per reading");
  const auto flags = std::make_shared<TopFlags>();
  command
      ->add_option("--interval", flags->interval,
                   "Read statistics at this interval and measure rates and latencies over it")
      ->type_name("DURATION")
      ->capture_default_str();
  CLI::Option* once =
      command->add_flag("--once", flags->once, "Print once and exit; default without a terminal");
  command->add_flag("--follow", flags->follow, "Repeat until interrupted, also without a terminal")
      ->excludes(once);
  SetCallback(*command, chosen, flags, RunTop);
}

}  // namespace vrp::client
