#include "core/problem/instance/driving_rules.h"

#include "core/base/text.h"
#include "core/problem/instance/units.h"

namespace vrp {

absl::StatusOr<DrivingRules> DrivingPreset(std::string_view preset, double seconds_per_time) {
  if (preset != "eu_561_daily") {
    return absl::InvalidArgumentError(
        Concat("preset: got ", Quoted(preset), ", wanted \"eu_561_daily\" or none"));
  }
  if (!(seconds_per_time > 0)) {
    return absl::InvalidArgumentError(
        Concat("time_unit: absent or unknown, wanted \"s\", \"min\" or \"h\" for the preset ",
               Quoted(preset), ", whose limits are in hours and minutes"));
  }
  const double minute = 60 / seconds_per_time;
  const double hour = kSecondsPerHour / seconds_per_time;
  return DrivingRules{.max_driving_before_break = 4.5 * hour,
                      .break_duration = 45 * minute,
                      .first_part = 15 * minute,
                      .second_part = 30 * minute,
                      .max_driving = 9 * hour};
}

}  // namespace vrp
