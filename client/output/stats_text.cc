#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/output/progress_text.h"
#include "client/output/stats.h"
#include "client/output/tables.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

constexpr size_t kShownRpcs = 12;  // maximum number of RPCs in the table

// Returns a text such as "0.35 ms", "52 ms" or "1.20 s"; "-" if it is not finite.
std::string Latency(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds >= 1) return absl::StrFormat("%.2f s", seconds);
  return absl::StrFormat("%.*f ms", seconds < 0.01 ? 2 : 0, seconds * 1e3);
}

std::string RateText(double rate) { return absl::StrFormat("%.*f", rate < 10 ? 1 : 0, rate); }

// Returns a text such as "training: 1 RUNNING, 4 SUCCEEDED; solve: 2 QUEUED", or "none".
std::string JobCounts(const v1::ServerStats& stats) {
  std::map<std::string, std::vector<std::string>> states;
  for (const v1::JobCount& count : stats.jobs()) {
    states[count.kind()].push_back(absl::StrCat(count.count(), " ", JobStateWord(count.state())));
  }
  if (states.empty()) return "none";
  return absl::StrJoin(states, "; ", [](std::string* out, const auto& kind) {
    absl::StrAppend(out, kind.first, ": ", absl::StrJoin(kind.second, ", "));
  });
}

std::string Queues(const StatsInterval& stats) {
  std::vector<std::string> words;
  for (const v1::QueueStats& queue : stats.now().queues()) {
    words.push_back(absl::StrCat(queue.queue(), " ", queue.waiting(), " of ", queue.capacity(),
                                 " waiting (p99 ", Latency(stats.QueueWaitP99(queue)), ")"));
  }
  return absl::StrJoin(words, ", ");
}

std::string RequestsText(const StatsInterval& stats) {
  const StatsInterval::Rpc total = stats.Total();
  return absl::StrCat(RateText(total.per_second), "/s, ", total.failed, " failed, p50 ",
                      Latency(total.median), ", p99 ", Latency(total.p99), ", ", total.in_flight,
                      " in flight, ", stats.now().open_streams(), " streams open");
}

std::string Process(const StatsInterval& stats) {
  const v1::ProcessStats& process = stats.now().process();
  return absl::StrCat(FormatBytes(process.resident_bytes()), ", ",
                      absl::StrFormat("%.2f", stats.BusyCores()), " cores busy, ",
                      process.threads(), " threads, ", process.open_files(), " files");
}

double Gib(int64_t bytes) { return std::ldexp(static_cast<double>(bytes), -30); }

// Returns a text such as "mem 12.1 of 139.8 GiB (vrpd: 4.0)" without the unknown parts.
std::string DeviceMemory(const v1::DeviceStats& device) {
  if (!device.has_memory_used_bytes()) return "";
  std::string text = absl::StrFormat("mem %.1f", Gib(device.memory_used_bytes()));
  if (device.has_memory_total_bytes()) {
    absl::StrAppendFormat(&text, " of %.1f", Gib(device.memory_total_bytes()));
  }
  absl::StrAppend(&text, " GiB");
  if (device.has_memory_reserved_bytes()) {
    absl::StrAppendFormat(&text, " (vrpd: %.1f)", Gib(device.memory_reserved_bytes()));
  }
  return text;
}

// Returns a text such as "412 W of 700 W"; empty if unknown.
std::string Power(const v1::DeviceStats& device) {
  if (!device.has_power_watts()) return "";
  std::string text = absl::StrFormat("%.0f W", device.power_watts());
  if (device.has_power_limit_watts()) {
    absl::StrAppendFormat(&text, " of %.0f W", device.power_limit_watts());
  }
  return text;
}

// Returns a text such as "NVIDIA H200  util 83 %  mem 12.1 of 139.8 GiB (vrpd: 4.0)  mem util 40 %
// 54 C  412 W of 700 W  trainingJobs/7".
std::string DeviceText(const v1::DeviceStats& device) {
  std::vector<std::string> parts = {device.name()};
  if (!device.error().empty()) parts.push_back(device.error());
  if (device.has_utilization()) {
    parts.push_back(absl::StrFormat("util %.0f %%", 100 * device.utilization()));
  }
  parts.push_back(DeviceMemory(device));
  if (device.has_memory_utilization()) {
    parts.push_back(absl::StrFormat("mem util %.0f %%", 100 * device.memory_utilization()));
  }
  if (device.has_temperature_celsius()) {
    parts.push_back(absl::StrCat(device.temperature_celsius(), " C"));
  }
  parts.push_back(Power(device));
  parts.push_back(absl::StrJoin(device.training_jobs(), " "));
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return absl::StrJoin(parts, "  ");
}

std::string Readiness(const v1::ServerStats& stats) {
  if (stats.not_ready().empty()) return "ready";
  return absl::StrCat("not ready: ", absl::StrJoin(stats.not_ready(), ", "));
}

std::string Progress(const v1::ActiveJob& job) {
  if (job.has_training()) return PlainProgressLine(job.training(), std::nullopt);
  if (job.has_solve()) return SolveProgressText(job.solve(), ToDuration(job.budget()), job.units());
  if (job.has_simulation()) return SimulationProgressText(job.simulation());
  return "";
}

std::string JobTable(const v1::ServerStats& stats) {
  if (stats.active_jobs().empty()) return "";
  Table table({"JOB", "STATE", "DEVICE", "PROGRESS"});
  for (const v1::ActiveJob& job : stats.active_jobs()) {
    table.AddRow({job.name(), JobStateWord(job.state()), job.device(), Progress(job)});
  }
  return absl::StrCat("\n", table.Text());
}

std::string RpcTable(const StatsInterval& stats) {
  Table table({"RPC", "/S", "P50", "P99", "FAILED", "IN FLIGHT", "TOTAL"});
  std::vector<StatsInterval::Rpc> rpcs = stats.Rpcs();
  if (rpcs.empty()) return "";
  if (rpcs.size() > kShownRpcs) rpcs.resize(kShownRpcs);
  for (const StatsInterval::Rpc& rpc : rpcs) {
    table.AddRow({rpc.name, RateText(rpc.per_second), Latency(rpc.median), Latency(rpc.p99),
                  absl::StrCat(rpc.failed), absl::StrCat(rpc.in_flight), absl::StrCat(rpc.total)});
  }
  return absl::StrCat("\n", table.Text());
}

}  // namespace

std::string StatsText(const StatsInterval& stats, const std::string& remote) {
  const v1::ServerStats& now = stats.now();
  Sheet sheet;
  sheet.Add("daemon",
            absl::StrCat(remote, ", up ", FormatSpan(ToTime(now.time()) - ToTime(now.start_time())),
                         ", ", Readiness(now)));
  sheet.Add(stats.since_start() ? "requests so far" : "requests", RequestsText(stats));
  sheet.Add("queues", Queues(stats));
  sheet.Add("jobs", JobCounts(now));
  sheet.Add("models", absl::StrCat(now.models_loaded(), " of ", now.models_available(), " loaded"));
  sheet.Add("process", Process(stats));
  for (const v1::DeviceStats& device : now.devices()) sheet.Add(device.id(), DeviceText(device));
  const auto is_gpu = [](const v1::DeviceStats& device) { return device.id() != "cpu"; };
  if (std::any_of(now.devices().begin(), now.devices().end(), is_gpu)) {
    sheet.Add("GPU driver", now.driver_error());
  }
  if (!stats.device_loss().empty()) sheet.Add("GPU lost", stats.device_loss());
  return absl::StrCat(sheet.Text(), JobTable(now), RpcTable(stats));
}

std::string StatsLine(const StatsInterval& stats) {
  const v1::ServerStats& now = stats.now();
  std::string line =
      absl::StrCat(FormatTime(now.time()), "  ", Readiness(now), "  requests ", RequestsText(stats),
                   "  queues ", Queues(stats), "  jobs ", JobCounts(now), "  ", Process(stats));
  for (const v1::DeviceStats& device : now.devices()) {
    absl::StrAppend(&line, "  ", device.id(), " ", DeviceText(device));
  }
  if (!stats.device_loss().empty()) absl::StrAppend(&line, "  ", stats.device_loss());
  return absl::StrCat(line, "\n");
}

}  // namespace vrp::client
