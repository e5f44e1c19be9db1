#include "core/search/model/travel_profiles.h"

#include <algorithm>

namespace vrp {

TravelProfiles::TravelProfiles(const std::vector<TimedMatrix>& list) {
  const size_t pairs = list.front().durations.size();
  for (const TimedMatrix& timed : list) at_.push_back(timed.at);
  values_.reserve(pairs * list.size());
  least_.reserve(pairs);
  for (size_t pair = 0; pair < pairs; ++pair) {
    double least = kNoLimit;
    for (const TimedMatrix& timed : list) {
      values_.push_back(timed.durations[pair]);
      least = std::min(least, timed.durations[pair]);
    }
    least_.push_back(least);
  }
}

}  // namespace vrp
