// A site of a simulation, its days, and the policies that decide on them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/day.h"
#include "core/dispatch/policy.h"
#include "core/dispatch/request_log.h"
#include "core/dispatch/simulation.h"
#include "core/dispatch/site.h"
#include "server/convert/simulation_convert.h"
#include "server/service/uploaded_logs.h"
#include "vrp/v1/simulation_service.pb.h"

namespace vrp {

// The days of one site: drawn, or those of a request log. Immutable.
class SimulatedSite {
 public:
  // Further arguments of Create. `settings` outlives the result.
  struct Context {
    const SimulationSettings& settings;
    UploadedLogs& logs;
  };
  // Reads site number `index` of the message, and its log if it has one. Errors have the field
  // paths of the message; see UploadedLogs for those of an uploaded log.
  static absl::StatusOr<SimulatedSite> Create(const v1::SimulationSpec& message, int32_t index,
                                              const Context& context);

  const DispatchSite& site() const { return site_; }
  // Returns the number of days to replay.
  int32_t day_count() const;
  // Returns kInvalidArgument if a day could have more than `max_nodes` nodes, or as many as a
  // matrix may have rows, and the errors of Policies.
  absl::Status Check(int32_t max_nodes) const;

  // Returns the seed of a day, counted from 0; 0 for a log.
  uint64_t Seed(int32_t number) const;
  absl::StatusOr<DispatchDay> Day(int32_t number) const;
  // Makes the policies for a day, of which they must know nothing: none draws from it. Returns
  // kFailedPrecondition if a policy has no other day to draw from.
  absl::StatusOr<std::vector<std::unique_ptr<DispatchPolicy>>> Policies(int32_t number) const;
  // Returns the options of SimulateDay, with the vehicles of the site.
  SimulationOptions Options() const;

 private:
  SimulatedSite(DispatchSite site, const SimulationSettings& settings)
      : site_(std::move(site)), settings_(&settings) {}

  // Reads the log of the message.
  absl::Status ReadLog(const v1::RequestLog& message, UploadedLogs& logs);

  DispatchSite site_;
  const SimulationSettings* settings_;
  std::shared_ptr<const RequestLog> log_;  // null: days are drawn
  std::string log_field_;                  // path of the field that holds or names the log
  std::vector<double> departures_;         // of all days of the log
};

}  // namespace vrp
