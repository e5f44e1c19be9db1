#include "core/train/dispatch/training_sites.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "core/train/data/json_lines.h"

namespace vrp {
namespace {

absl::StatusOr<TrainingSite> SiteOf(absl::StatusOr<Instance> instance, std::string_view text,
                                    const std::string& where, const DataFile& file) {
  VRP_RETURN_IF_ERROR(instance.status());
  if (instance->num_customers() == 0) {
    return absl::InvalidArgumentError(
        Concat(where, ": customers: got none, wanted at least one to draw from"));
  }
  absl::StatusOr<DispatchSite> site = DispatchSite::Create(*std::move(instance));
  if (site.ok()) return TrainingSite{*std::move(site), Sha256Hex(text), file.name};
  return absl::Status(site.status().code(), Concat(where, ": ", FromAbsl(site.status().message())));
}

absl::StatusOr<TrainingDay> Draw(const std::vector<TrainingSite>& sites, size_t site,
                                 const DispatchConfig& config, uint64_t seed) {
  absl::StatusOr<DispatchDay> day = DrawDay(sites[site].site, DayShapeOf(config), seed);
  if (day.ok()) {
    return TrainingDay{.site = site, .maker = site, .seed = seed, .day = *std::move(day)};
  }
  return absl::Status(day.status().code(), Concat(sites[site].site.instance().name(), ": ",
                                                  FromAbsl(day.status().message())));
}

}  // namespace

absl::StatusOr<std::vector<TrainingSite>> ReadSites(const DataFile& file) {
  std::vector<TrainingSite> sites;
  if (!file.HasLines()) {
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.path));
    VRP_ASSIGN_OR_RETURN(TrainingSite site,
                         SiteOf(ParseInstance(text, file.name), text, file.name, file));
    sites.push_back(std::move(site));
    return sites;
  }
  VRP_RETURN_IF_ERROR(
      ForEachLine(file, [&](std::string_view line, int64_t number) -> absl::StatusOr<bool> {
        const std::string where = Concat(file.name, ":", number);
        VRP_ASSIGN_OR_RETURN(TrainingSite site, SiteOf(ParseJson(line, where), line, where, file));
        sites.push_back(std::move(site));
        return true;
      }));
  return sites;
}

DayShape DayShapeOf(const DispatchConfig& config) {
  return {.epoch = config.epoch,
          .margin = config.margin,
          .requests_per_epoch = config.requests_per_epoch};
}

absl::StatusOr<std::vector<TrainingDay>> DrawTrainingDays(const std::vector<TrainingSite>& sites,
                                                          const DispatchConfig& config) {
  std::vector<TrainingDay> days;
  for (size_t site = 0; site < sites.size(); ++site) {
    for (int32_t k = 0; k < config.days_per_site; ++k) {
      VRP_ASSIGN_OR_RETURN(TrainingDay day,
                           Draw(sites, site, config, config.first_seed + static_cast<uint64_t>(k)));
      days.push_back(std::move(day));
    }
  }
  return days;
}

absl::StatusOr<std::vector<TrainingDay>> DrawValidationDays(const std::vector<TrainingSite>& sites,
                                                            const DispatchConfig& config,
                                                            uint64_t first_seed) {
  std::vector<TrainingDay> days;
  for (size_t k = 0; k < static_cast<size_t>(config.validation_days); ++k) {
    VRP_ASSIGN_OR_RETURN(TrainingDay day,
                         Draw(sites, k % sites.size(), config, first_seed + k / sites.size()));
    days.push_back(std::move(day));
  }
  return days;
}

int64_t CountSamples(const std::vector<TrainingDay>& days) {
  int64_t samples = 0;
  for (const TrainingDay& day : days) samples += std::ssize(day.day.departures) - 1;
  return samples;
}

}  // namespace vrp
