#include "server/roads/road_cache.h"

#include <algorithm>
#include <utility>

namespace vrp {
namespace {

// Estimated memory of a place in a hash map, in bytes.
constexpr size_t kIndexBytes = 48;

std::shared_ptr<const RoadMatrices> Selected(const RoadMatrices& all,
                                             const std::unordered_map<RoadPlace, size_t>& index,
                                             const std::vector<RoadPlace>& places) {
  std::vector<size_t> rows;
  rows.reserve(places.size());
  for (const RoadPlace& place : places) rows.push_back(index.at(place));
  auto selected = std::make_shared<RoadMatrices>();
  selected->places = places;
  for (const auto matrix : {&RoadMatrices::durations, &RoadMatrices::distances}) {
    std::vector<int32_t>& values = (*selected).*matrix;
    values.reserve(rows.size() * rows.size());
    for (const size_t from : rows) {
      const int32_t* const row = (all.*matrix).data() + all.At(from, 0);
      for (const size_t to : rows) values.push_back(row[to]);
    }
  }
  for (size_t i = 0; i < rows.size() && !all.far.empty(); ++i) {
    const auto found = std::ranges::find(all.far, rows[i], &FarPlace::place);
    if (found != all.far.end()) selected->far.push_back({.place = i, .metres = found->metres});
  }
  return selected;
}

}  // namespace

size_t RoadCache::Entry::bytes() const {
  return matrices->bytes() + kIndexBytes * matrices->size();
}

bool RoadCache::Entry::Contains(const std::vector<RoadPlace>& places) const {
  return places.size() <= index->size() &&
         std::all_of(places.begin(), places.end(),
                     [this](const RoadPlace& place) { return index->contains(place); });
}

void RoadCache::Drop(Entries::iterator entry) {
  bytes_ -= entry->bytes();
  entries_.erase(entry);
}

std::shared_ptr<const RoadMatrices> RoadCache::Find(std::string_view network,
                                                    const std::vector<RoadPlace>& places,
                                                    absl::Time now) {
  std::shared_ptr<const RoadMatrices> matrices;
  std::shared_ptr<const Index> index;
  {
    absl::MutexLock lock(&mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (entry->expires <= now) {
        Drop(entry);
      } else if (entry->network == network && entry->Contains(places)) {
        matrices = entry->matrices;
        index = entry->index;
        entries_.splice(entries_.begin(), entries_, entry);
        break;
      }
      entry = next;
    }
  }
  if (matrices == nullptr || matrices->places == places) return matrices;
  return Selected(*matrices, *index, places);
}

void RoadCache::Add(std::string_view network, std::shared_ptr<const RoadMatrices> matrices,
                    absl::Time expires) {
  auto index = std::make_shared<Index>();
  for (size_t i = 0; i < matrices->size(); ++i) index->emplace(matrices->places[i], i);
  Entry added{.network = std::string(network),
              .matrices = std::move(matrices),
              .index = std::move(index),
              .expires = expires};
  if (added.bytes() > max_bytes_) return;
  absl::MutexLock lock(&mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->network == network && added.Contains(entry->matrices->places)) Drop(entry);
    entry = next;
  }
  bytes_ += added.bytes();
  entries_.push_front(std::move(added));
  while (bytes_ > max_bytes_) Drop(std::prev(entries_.end()));
}

size_t RoadCache::bytes() const {
  absl::MutexLock lock(&mutex_);
  return bytes_;
}

}  // namespace vrp
