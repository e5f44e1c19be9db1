// Implements UnjoinedPlaces of add_roads.h.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "server/roads/add_roads.h"

namespace vrp {
namespace {

// Largest number of places or pairs that a reason names.
constexpr size_t kMaxNamed = 5;

// A list of reasons that names the first ones and counts the others.
class Reasons {
 public:
  template <typename... Parts>
  void Add(const Parts&... parts) {
    if (count_++ < kMaxNamed) text_ += Concat(text_.empty() ? "" : "; ", parts...);
  }
  std::string Take(std::string_view remedy) && {
    if (count_ > kMaxNamed) text_ += Concat("; and ", count_ - kMaxNamed, " more");
    return text_.empty() ? "" : Concat(text_, "; ", remedy);
  }
  bool empty() const { return count_ == 0; }

 private:
  std::string text_;
  size_t count_ = 0;
};

// Whether roads lead from a place to any other, and from any other to it.
struct Access {
  bool leaves = false;
  bool arrives = false;

  bool complete() const { return leaves && arrives; }
};

Access AccessOf(const RoadMatrices& matrices, size_t place) {
  Access access;
  for (size_t other = 0; other < matrices.size(); ++other) {
    if (other == place) continue;
    access.leaves |= matrices.durations[matrices.At(place, other)] != kNoRoad;
    access.arrives |= matrices.durations[matrices.At(other, place)] != kNoRoad;
  }
  return access;
}

// Describes which roads are missing between a place and all others.
std::string MissingRoads(const Access& access, std::string_view place) {
  constexpr std::string_view kOthers = "the other locations";
  if (access.leaves) return Concat("no road leads from ", kOthers, " to ", place);
  if (access.arrives) return Concat("no road leads from ", place, " to ", kOthers);
  return Concat("no road joins ", place, " and ", kOthers);
}

bool IsJoined(const RoadMatrices& matrices, size_t from, size_t to) {
  return matrices.durations[matrices.At(from, to)] != kNoRoad &&
         matrices.distances[matrices.At(from, to)] != kNoRoad;
}

}  // namespace

std::string UnjoinedPlaces(const RoadMatrices& matrices,
                           const std::vector<std::string>& place_names, std::string_view network) {
  constexpr std::string_view kRemedy =
      "correct the coordinates (longitude, then latitude), or leave these out";
  Reasons far;
  for (const FarPlace& place : matrices.far) {
    far.Add(place_names[place.place], " is ", std::llround(place.metres / 1000),
            " km from the nearest road of road_network ", network);
  }
  if (!far.empty()) return std::move(far).Take(kRemedy);
  const size_t size = matrices.size();
  std::vector<bool> isolated(size, false);
  Reasons reasons;
  for (size_t place = 0; size > 2 && place < size; ++place) {
    const Access access = AccessOf(matrices, place);
    isolated[place] = !access.complete();
    if (!isolated[place]) continue;
    reasons.Add(MissingRoads(access, place_names[place]), " on road_network ", network);
  }
  for (size_t from = 0; from < size; ++from) {
    for (size_t to = 0; to < size; ++to) {
      if (from == to || isolated[from] || isolated[to] || IsJoined(matrices, from, to)) continue;
      const bool back = IsJoined(matrices, to, from);
      if (!back && to < from) continue;  // named already
      back ? reasons.Add("no road leads from ", place_names[from], " to ", place_names[to],
                         " on road_network ", network)
           : reasons.Add("no road joins ", place_names[from], " and ", place_names[to],
                         " on road_network ", network);
    }
  }
  return std::move(reasons).Take(kRemedy);
}

}  // namespace vrp
