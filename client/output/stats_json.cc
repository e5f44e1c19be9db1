#include <nlohmann/json.hpp>

#include "client/output/stats.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

Json RpcJson(const StatsInterval::Rpc& rpc) {
  return {{"rpc", rpc.name},
          {"per_second", JsonNumber(rpc.per_second)},
          {"p50_seconds", JsonNumber(rpc.median)},
          {"p99_seconds", JsonNumber(rpc.p99)},
          {"failed", rpc.failed},
          {"in_flight", rpc.in_flight},
          {"total", rpc.total}};
}

Json OutcomesJson(const v1::ServerStats& stats) {
  Json outcomes = Json::array();
  for (const v1::RpcStats& rpc : stats.rpcs()) {
    for (const v1::RpcStats::Outcome& outcome : rpc.outcomes()) {
      outcomes.push_back({{"rpc", rpc.rpc()},
                          {"code", outcome.code()},
                          {"reason", outcome.reason()},
                          {"requests", outcome.requests()}});
    }
  }
  return outcomes;
}

Json QueuesJson(const StatsInterval& stats) {
  Json queues = Json::array();
  for (const v1::QueueStats& queue : stats.now().queues()) {
    queues.push_back({{"queue", queue.queue()},
                      {"waiting", queue.waiting()},
                      {"capacity", queue.capacity()},
                      {"threads", queue.threads()},
                      {"wait_p99_seconds", JsonNumber(stats.QueueWaitP99(queue))}});
  }
  return queues;
}

Json ActiveJobJson(const v1::ActiveJob& job) {
  Json object = {{"name", job.name()}, {"state", JobStateWord(job.state())}};
  if (job.has_training()) {
    const v1::TrainingProgress& progress = job.training();
    object["epoch"] = progress.epoch();
    object["epochs"] = progress.total_epochs();
    object["step"] = progress.step();
    object["steps"] = progress.total_steps();
    object["loss"] = JsonNumber(progress.loss());
    object["instances_per_second"] = JsonNumber(progress.instances_per_second());
    object["device"] = TextOrNull(job.device());
    object["threads"] = job.threads() > 0 ? Json(job.threads()) : Json();
  } else if (job.has_solve()) {
    const v1::SolveProgress& progress = job.solve();
    object["searched_seconds"] =
        JsonNumber(absl::ToDoubleSeconds(ToDuration(progress.search_time())));
    object["budget_seconds"] = JsonNumber(absl::ToDoubleSeconds(ToDuration(job.budget())));
    object["cost"] = progress.improvement_count() > 0 ? JsonNumber(progress.cost()) : Json();
  } else if (job.has_simulation()) {
    object["finished_days"] = job.simulation().finished_day_count();
    object["days"] = job.simulation().day_count();
  }
  return object;
}

Json JobsJson(const v1::ServerStats& stats) {
  Json jobs = Json::array();
  for (const v1::JobCount& count : stats.jobs()) {
    jobs.push_back(
        {{"kind", count.kind()}, {"state", JobStateWord(count.state())}, {"jobs", count.count()}});
  }
  return jobs;
}

template <typename Value>
Json NumberOrNull(bool known, Value value) {
  return known ? Json(JsonNumber(static_cast<double>(value))) : Json();
}

Json DeviceJson(const v1::DeviceStats& device) {
  return {{"id", device.id()},
          {"name", TextOrNull(device.name())},
          {"uuid", TextOrNull(device.uuid())},
          {"driver_version", TextOrNull(device.driver_version())},
          {"utilization", NumberOrNull(device.has_utilization(), device.utilization())},
          {"memory_total_bytes",
           NumberOrNull(device.has_memory_total_bytes(), device.memory_total_bytes())},
          {"memory_used_bytes",
           NumberOrNull(device.has_memory_used_bytes(), device.memory_used_bytes())},
          {"memory_allocated_bytes",
           NumberOrNull(device.has_memory_allocated_bytes(), device.memory_allocated_bytes())},
          {"memory_reserved_bytes",
           NumberOrNull(device.has_memory_reserved_bytes(), device.memory_reserved_bytes())},
          {"temperature_celsius",
           NumberOrNull(device.has_temperature_celsius(), device.temperature_celsius())},
          {"power_watts", NumberOrNull(device.has_power_watts(), device.power_watts())},
          {"power_limit_watts",
           NumberOrNull(device.has_power_limit_watts(), device.power_limit_watts())},
          {"sm_clock_mhz", NumberOrNull(device.has_sm_clock_mhz(), device.sm_clock_mhz())},
          {"error", TextOrNull(device.error())},
          {"memory_utilization",
           NumberOrNull(device.has_memory_utilization(), device.memory_utilization())},
          {"training_jobs",
           std::vector<std::string>(device.training_jobs().begin(), device.training_jobs().end())}};
}

}  // namespace

Json StatsJson(const StatsInterval& stats) {
  const v1::ServerStats& now = stats.now();
  Json rpcs = Json::array(), active = Json::array(), not_ready = Json::array();
  Json devices = Json::array();
  for (const StatsInterval::Rpc& rpc : stats.Rpcs()) rpcs.push_back(RpcJson(rpc));
  for (const v1::ActiveJob& job : now.active_jobs()) active.push_back(ActiveJobJson(job));
  for (const std::string& reason : now.not_ready()) not_ready.push_back(reason);
  for (const v1::DeviceStats& device : now.devices()) devices.push_back(DeviceJson(device));
  return {{"time", FormatTime(now.time())},
          {"start_time", FormatTime(now.start_time())},
          {"interval_seconds", JsonNumber(stats.seconds())},
          {"ready", now.not_ready().empty()},
          {"not_ready", not_ready},
          {"requests", RpcJson(stats.Total())},
          {"rpcs", rpcs},
          {"outcomes", OutcomesJson(now)},
          {"queues", QueuesJson(stats)},
          {"jobs", JobsJson(now)},
          {"active_jobs", active},
          {"models", {{"available", now.models_available()}, {"loaded", now.models_loaded()}}},
          {"open_streams", now.open_streams()},
          {"process",
           {{"resident_bytes", now.process().resident_bytes()},
            {"busy_cores", JsonNumber(stats.BusyCores())},
            {"threads", now.process().threads()},
            {"open_files", now.process().open_files()}}},
          {"devices", devices},
          {"driver_error", TextOrNull(now.driver_error())},
          {"device_loss", TextOrNull(stats.device_loss())}};
}

}  // namespace vrp::client
