#include "server/service/simulated_site.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/sampler.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/service/request_input.h"

namespace vrp {
namespace {

absl::StatusOr<DispatchSite> ReadSite(const v1::SimulationSite& message) {
  // Without sources, names of matrices and road networks are refused: they may not exist any more
  // when the simulation resumes.
  VRP_ASSIGN_OR_RETURN(const RoadInput input, ReadInput(message, RoadSources{}));
  absl::StatusOr<DispatchSite> site = DispatchSite::Create(input.instance);
  if (!site.ok()) return ErrorOf(message, input.instance, site.status());
  return site;
}

}  // namespace

absl::StatusOr<SimulatedSite> SimulatedSite::Create(const v1::SimulationSpec& message,
                                                    int32_t index, const Context& context) {
  const SimulationSettings& settings = context.settings;
  absl::StatusOr<DispatchSite> site = ReadSite(message.sites(index));
  if (!site.ok()) return WithPrefix(site.status(), Concat("sites[", index, "]"));
  const size_t types = site->instance().vehicles().size();
  if (!settings.options.fleet.empty() && settings.options.fleet.size() != types) {
    return InvalidField("vehicles",
                        Concat("got ", settings.options.fleet.size(), " numbers, wanted ", types,
                               ", one per vehicle type of sites[", index, "]"));
  }
  SimulatedSite days(*std::move(site), settings);
  if (!message.has_request_log()) return days;
  VRP_RETURN_IF_ERROR(days.ReadLog(message.request_log(), context.logs));
  return days;
}

absl::Status SimulatedSite::ReadLog(const v1::RequestLog& message, UploadedLogs& logs) {
  log_field_ = message.dataset().empty() ? "request_log.content" : "request_log.dataset";
  absl::StatusOr<RequestLog> log = RequestLog();
  if (message.dataset().empty()) {
    log = ParseRequestLog(message.content(),
                          message.name().empty() ? "request_log" : message.name(), site_);
    if (!log.ok()) return WithField(log.status(), log_field_);
  } else {
    log = logs.Read(message.dataset(), site_, log_field_);
    VRP_RETURN_IF_ERROR(log.status());
  }
  log_ = std::make_shared<const RequestLog>(*std::move(log));
  absl::StatusOr<std::vector<double>> departures = DeparturesOf(*log_, settings_->shape);
  if (!departures.ok()) return WithField(departures.status(), "epoch");
  departures_ = *std::move(departures);
  return absl::OkStatus();
}

int32_t SimulatedSite::day_count() const {
  if (log_ == nullptr) return settings_->days;
  const auto logged = static_cast<int32_t>(log_->size());
  return settings_->days == 0 ? logged : std::min(settings_->days, logged);
}

absl::Status SimulatedSite::Check(int32_t max_nodes) const {
  const auto limit = static_cast<int64_t>(std::min(max_nodes, kMaxMatrixNodes)) - 1;
  const absl::StatusOr<DispatchDay> day = Day(0);
  if (!day.ok()) return WithField(day.status());
  int64_t requests =
      int64_t{settings_->shape.requests_per_epoch} * static_cast<int64_t>(day->departures.size());
  if (log_ != nullptr) {
    requests = 0;
    for (const LoggedDay& logged : *log_) {
      requests = std::max(requests, static_cast<int64_t>(logged.requests.size()));
    }
  }
  if (requests > limit) {
    return InvalidField(log_ == nullptr ? "requests_per_epoch" : log_field_,
                        Concat("a day has up to ", requests, " requests, wanted at most ", limit));
  }
  return WithField(Policies(0).status());
}

uint64_t SimulatedSite::Seed(int32_t number) const {
  return log_ == nullptr ? settings_->first_seed + static_cast<uint64_t>(number) : 0;
}

absl::StatusOr<DispatchDay> SimulatedSite::Day(int32_t number) const {
  if (log_ == nullptr) return DrawDay(site_, settings_->shape, Seed(number));
  return DayOf((*log_)[static_cast<size_t>(number)], departures_, settings_->shape.margin);
}

absl::StatusOr<std::vector<std::unique_ptr<DispatchPolicy>>> SimulatedSite::Policies(
    int32_t number) const {
  std::shared_ptr<const RequestSampler> sampler;
  if (log_ == nullptr) {
    sampler = std::make_shared<SiteSampler>(site_, settings_->shape.requests_per_epoch);
  } else if (log_->size() > 1) {
    sampler = std::make_shared<LogSampler>(site_, log_, settings_->shape.margin,
                                           static_cast<size_t>(number));
  }
  std::vector<std::unique_ptr<DispatchPolicy>> policies;
  for (const SimulationSettings::Policy& policy : settings_->policies) {
    if (NeedsSampler(policy.settings.kind) && sampler == nullptr) {
      return absl::FailedPreconditionError(
          Concat("request_log: has one day, but policy ", policy.name,
                 " draws requests from other days; give a log of several days, or use greedy or "
                 "lazy"));
    }
    DispatchPolicyRequest request{
        .kind = policy.settings.kind, .sampler = sampler, .sampling = policy.settings.sampling};
    if (policy.model != nullptr) request.model = policy.model->PrizesFor(site_, sampler);
    VRP_ASSIGN_OR_RETURN(std::unique_ptr<DispatchPolicy> made, MakeDispatchPolicy(site_, request));
    policies.push_back(std::move(made));
  }
  return policies;
}

SimulationOptions SimulatedSite::Options() const {
  SimulationOptions options = settings_->options;
  if (options.fleet.empty()) {
    options.fleet.assign(site_.instance().vehicles().size(), DispatchState::kUnlimited);
  }
  return options;
}

}  // namespace vrp
