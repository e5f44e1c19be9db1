// Segments of visits, against driving every visit from every start.
#include "core/search/route/time_segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/search/model/fast_random.h"

namespace vrp {
namespace {

// Whole numbers, so that the best starts are whole numbers too.
struct TimedVisit {
  int32_t open = 0;
  int32_t close = 0;
  int32_t service = 0;
  int32_t travel = 0;  // from the visit before
};

std::vector<TimedVisit> DrawVisits(FastRandom& random) {
  std::vector<TimedVisit> visits(random.Between(1, 7));
  for (TimedVisit& visit : visits) {
    visit.open = random.Below(60);
    visit.close = visit.open + random.Below(25);
    visit.service = random.Below(6);
    visit.travel = random.Below(12);
  }
  return visits;
}

// Drives the visits as a vehicle that comes to the first one at `start`, waits for windows to open
// and goes back in time to their ends.
TimeSegment Drive(std::span<const TimedVisit> visits, int32_t start) {
  TimeSegment driven;
  int32_t time = start;
  for (size_t i = 0; i < visits.size(); ++i) {
    if (i > 0) time += visits[i].travel;
    time = std::max(time, visits[i].open);
    const int32_t late = std::max(0, time - visits[i].close);
    driven.warp += late;
    time += visits[i].service - late;
  }
  driven.duration = time - start + driven.warp;
  return driven;
}

TimeSegment BestOfAllStarts(std::span<const TimedVisit> visits) {
  TimeSegment best = {.duration = std::numeric_limits<double>::infinity(),
                      .warp = std::numeric_limits<double>::infinity()};
  for (int32_t start = -100; start <= 200; ++start) {
    const TimeSegment driven = Drive(visits, start);
    best.duration = std::min(best.duration, driven.duration);
    best.warp = std::min(best.warp, driven.warp);
  }
  best.earliest = std::numeric_limits<double>::infinity();
  for (int32_t start = -100; start <= 200; ++start) {
    const TimeSegment driven = Drive(visits, start);
    if (driven.duration > best.duration || driven.warp > best.warp) continue;
    best.earliest = std::min<double>(best.earliest, start);
    best.latest = start;
  }
  return best;
}

// Joins the visits two parts at a time, cut at random.
TimeSegment Joined(std::span<const TimedVisit> visits, FastRandom& random) {
  if (visits.size() == 1) {
    return {.duration = static_cast<double>(visits[0].service),
            .earliest = static_cast<double>(visits[0].open),
            .latest = static_cast<double>(visits[0].close)};
  }
  const int32_t cut = random.Between(1, static_cast<int32_t>(visits.size()) - 1);
  const TimeSegment head = Joined(visits.first(cut), random);
  return Join(head, visits[cut].travel, Joined(visits.subspan(cut), random));
}

TEST(TimeSegmentTest, HasTheLeastTimeAndLatenessOfAllStartsWhereverItWasJoined) {
  FastRandom random(7);
  int32_t late = 0;
  int32_t waiting = 0;
  for (int32_t trial = 0; trial < 3'000; ++trial) {
    const std::vector<TimedVisit> visits = DrawVisits(random);
    const TimeSegment joined = Joined(visits, random);
    const TimeSegment best = BestOfAllStarts(visits);
    ASSERT_EQ(joined.duration, best.duration) << trial;
    ASSERT_EQ(joined.warp, best.warp) << trial;
    ASSERT_EQ(joined.earliest, best.earliest) << trial;
    ASSERT_EQ(joined.latest, best.latest) << trial;
    late += best.warp > 0;
    waiting += best.warp == 0 && best.earliest == best.latest;
  }
  EXPECT_GT(late, 500);
  EXPECT_GT(waiting, 100);
}

TEST(TimeSegmentTest, NeverWaitsNorIsLateWithoutWindows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TimeSegment open = {.duration = 2, .latest = kInfinity};
  const TimeSegment joined = Join(open, 3, open);
  EXPECT_EQ(joined.duration, 7);
  EXPECT_EQ(joined.warp, 0);
  EXPECT_EQ(joined.earliest, 0);
  EXPECT_EQ(joined.latest, kInfinity);
}

}  // namespace
}  // namespace vrp
