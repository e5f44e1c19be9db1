#include "core/dispatch/state.h"

#include <cmath>
#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

absl::Status Wrong(std::string_view field, std::string_view problem) {
  return absl::InvalidArgumentError(Concat(field, ": ", problem));
}

bool IsTime(double value) { return std::isfinite(value) && std::abs(value) <= kMaxMagnitude; }

absl::Status CheckAvailable(const Instance& site, const std::vector<int32_t>& available) {
  if (available.empty()) return absl::OkStatus();
  if (available.size() != site.vehicles().size()) {
    return absl::InvalidArgumentError(Concat("available: got ", available.size(),
                                             " numbers, wanted ", site.vehicles().size(),
                                             ", one per vehicle type"));
  }
  for (size_t i = 0; i < available.size(); ++i) {
    if (available[i] < DispatchState::kUnlimited) {
      return absl::InvalidArgumentError(
          Concat("available[", i, "]: got ", available[i], ", wanted at least -1"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckAmounts(const DispatchRequest& request) {
  for (const double demand : request.demand) {
    if (!(demand >= 0) || demand > kMaxMagnitude) {
      return Wrong("demand", Concat("got ", demand, ", wanted 0 to 1e12"));
    }
  }
  if (!(request.service >= 0) || request.service > kMaxMagnitude) {
    return Wrong("service", Concat("got ", request.service, ", wanted 0 to 1e12"));
  }
  if (!IsTime(request.release)) return Wrong("release", "wanted a finite time");
  if (!IsTime(request.window.open) || !(request.window.close >= request.window.open)) {
    return Wrong("window", Concat("got ", request.window.open, " to ", request.window.close,
                                  ", wanted an opening at or before the close"));
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const DispatchSite& site, const DispatchRequest& request) {
  const Instance& instance = site.instance();
  if (request.customer < 1 || request.customer >= instance.num_nodes()) {
    return Wrong("customer",
                 Concat("got node ", request.customer, ", wanted 1 to ", instance.num_nodes() - 1));
  }
  if (request.demand.size() != static_cast<size_t>(instance.load_dimensions())) {
    return Wrong("demand", Concat("got ", request.demand.size(), " numbers, wanted ",
                                  instance.load_dimensions(), ", one per load dimension"));
  }
  return CheckAmounts(request);
}

absl::Status CheckState(const DispatchSite& site, const DispatchState& state) {
  if (!IsTime(state.departure)) {
    return absl::InvalidArgumentError("departure: wanted a finite time");
  }
  double before = state.departure;
  for (size_t i = 0; i < state.later_departures.size(); ++i) {
    const double departure = state.later_departures[i];
    if (!IsTime(departure) || departure <= before) {
      return absl::InvalidArgumentError(
          Concat("later_departures[", i, "]: got ", departure, ", wanted a time after ", before));
    }
    before = departure;
  }
  for (size_t i = 0; i < state.requests.size(); ++i) {
    const absl::Status valid = CheckRequest(site, state.requests[i]);
    if (!valid.ok()) {
      return absl::Status(valid.code(), Concat("requests[", i, "].", FromAbsl(valid.message())));
    }
  }
  return CheckAvailable(site.instance(), state.available);
}

std::vector<bool> MustGo(const DispatchSite& site, const DispatchState& state) {
  std::vector<bool> must_go;
  must_go.reserve(state.requests.size());
  for (const DispatchRequest& request : state.requests) {
    must_go.push_back(request.must_go || state.later_departures.empty() ||
                      !site.ReachesDirectly(request, state.later_departures.front()));
  }
  return must_go;
}

}  // namespace vrp
