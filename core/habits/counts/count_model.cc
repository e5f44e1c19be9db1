#include "core/habits/counts/count_model.h"

#include <cstddef>
#include <limits>
#include <utility>

#include "core/habits/counts/count_rows.h"

namespace vrp {
namespace {

int32_t Find(const std::unordered_map<std::string, int32_t>& names, std::string_view name) {
  const auto found = names.find(std::string(name));
  return found == names.end() ? -1 : found->second;
}

}  // namespace

CountModel::CountModel(CountTables tables) : tables_(std::move(tables)) {
  for (const std::string& id : tables_.ids) {
    nodes_.emplace(id, static_cast<int32_t>(nodes_.size()) + 1);
  }
  for (const std::string& driver : tables_.drivers) {
    drivers_.emplace(driver, static_cast<int32_t>(drivers_.size()));
  }
}

int32_t CountModel::NodeOf(std::string_view id) const { return Find(nodes_, id); }

int32_t CountModel::DriverOf(std::string_view driver) const { return Find(drivers_, driver); }

std::vector<float> CountModel::EdgeLogProbabilities(std::span<const HabitStop> stops,
                                                    std::string_view driver) const {
  const size_t size = stops.size();
  std::vector<float> logs(size * size, 0);
  if (size < 2) return logs;
  CountRows rows(*this, stops, driver);
  std::vector<uint8_t> open(size, 1);
  for (size_t from = 0; from < size; ++from) {
    open[from] = 0;
    rows.Row(from, open, logs.data() + from * size);
    open[from] = 1;
  }
  return logs;
}

std::vector<float> CountModel::NextStopLogProbabilities(std::span<const HabitStop> stops,
                                                        std::string_view driver,
                                                        std::span<const int32_t> route) const {
  std::vector<float> logs(stops.size(), -std::numeric_limits<float>::infinity());
  std::vector<uint8_t> open(stops.size(), 1);
  open[0] = route.empty() ? 0 : 1;
  for (const int32_t stop : route) open[static_cast<size_t>(stop)] = 0;
  if (stops.size() < 2) return logs;
  const size_t from = route.empty() ? 0 : static_cast<size_t>(route.back());
  CountRows(*this, stops, driver).Row(from, open, logs.data());
  return logs;
}

}  // namespace vrp
