#include "core/train/dispatch/training_data.h"

#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/config/data_files.h"
#include "core/train/config/log_days.h"

namespace vrp {
namespace {

constexpr int64_t kMaxLogBytes = int64_t{1} << 30;  // that of a dataset

absl::StatusOr<TrainingData> CheckLearnable(TrainingData data) {
  if (CountSamples(data.days) > 0) return data;
  return absl::InvalidArgumentError(
      "dispatch.epoch: all days have one decision, at which every request must go, so that there "
      "is nothing to learn; wanted a shorter time");
}

absl::Status LogError(const absl::Status& status) {
  return absl::Status(status.code(), Concat(kRequestLogKey, ": ", FromAbsl(status.message())));
}

// The days of a log, and the digest of its file.
struct LogFile {
  RequestLog log;
  std::string digest;
};

absl::StatusOr<LogFile> ReadLogFile(const DataFile& file, const DispatchSite& site) {
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.path, kMaxLogBytes));
  VRP_ASSIGN_OR_RETURN(RequestLog log, ParseRequestLog(text, file.name, site));
  return LogFile{std::move(log), Sha256Hex(text)};
}

// Adds the days of a log. Each day to train on has features of its own, which draw from the others;
// the held-out days share those that draw from all days to train on.
absl::Status AddLoggedDays(LogFile file, const DispatchConfig& config, TrainingData& data) {
  const auto days = static_cast<int64_t>(file.log.size());
  absl::StatusOr<int64_t> to_train = TrainingDaysOf(config, days);
  if (!to_train.ok()) {
    return absl::Status(to_train.status().code(),
                        Concat(config.log, ": ", FromAbsl(to_train.status().message())));
  }
  VRP_ASSIGN_OR_RETURN(const std::vector<double> departures,
                       DeparturesOf(file.log, DayShapeOf(config)));
  const auto day_of = [&](int64_t number, size_t maker) {
    return TrainingDay{
        .maker = maker,
        .log_digest = file.digest,
        .day = DayOf(file.log[static_cast<size_t>(number)], departures, config.margin)};
  };
  for (int64_t i = 0; i < *to_train; ++i) {
    data.days.push_back(day_of(i, static_cast<size_t>(i)));
  }
  for (int64_t i = days - config.validation_days; i < days; ++i) {
    data.validation.push_back(day_of(i, static_cast<size_t>(*to_train)));
  }
  file.log.resize(static_cast<size_t>(*to_train));
  data.log = std::make_shared<const RequestLog>(std::move(file.log));
  return absl::OkStatus();
}

absl::StatusOr<TrainingData> LoggedTrainingData(std::vector<TrainingSite> sites,
                                                const TrainingRequest& request) {
  const DispatchConfig& config = *request.config.dispatch;
  if (sites.size() != 1) {
    return absl::InvalidArgumentError(Concat("dispatch.sites: got ", sites.size(), " sites in ",
                                             config.sites.front(), ", wanted one with ",
                                             kRequestLogKey));
  }
  TrainingData data = {.sites = std::move(sites)};
  absl::StatusOr<LogFile> file =
      ReadLogFile(FindDataFile(config.log, request.datasets), data.sites.front().site);
  if (!file.ok()) return LogError(file.status());
  const absl::Status added = AddLoggedDays(*std::move(file), config, data);
  if (!added.ok()) return LogError(added);
  return CheckLearnable(std::move(data));
}

}  // namespace

absl::StatusOr<TrainingData> DrawTrainingData(std::vector<TrainingSite> sites,
                                              const TrainingConfig& config) {
  TrainingData data = {.sites = std::move(sites)};
  VRP_ASSIGN_OR_RETURN(data.days, DrawTrainingDays(data.sites, *config.dispatch));
  VRP_ASSIGN_OR_RETURN(data.validation,
                       DrawValidationDays(data.sites, *config.dispatch, config.validation.seed));
  return CheckLearnable(std::move(data));
}

absl::StatusOr<TrainingData> ReadTrainingData(const TrainingRequest& request) {
  std::vector<TrainingSite> sites;
  for (const std::string& name : request.config.dispatch->sites) {
    VRP_ASSIGN_OR_RETURN(std::vector<TrainingSite> read,
                         ReadSites(FindDataFile(name, request.datasets)));
    for (TrainingSite& site : read) sites.push_back(std::move(site));
  }
  if (request.config.dispatch->log.empty()) {
    return DrawTrainingData(std::move(sites), request.config);
  }
  return LoggedTrainingData(std::move(sites), request);
}

}  // namespace vrp
