#include "core/model/habits/count_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/habits/history.h"
#include "core/model/habits/route_weights.h"
#include "core/model/habits/tensor_reader.h"

namespace vrp {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// All rows of all drivers.
struct JoinedLegs {
  std::vector<int32_t> drivers = {};
  std::vector<int32_t> nodes = {};
  std::vector<int64_t> ends = {};
  std::vector<int32_t> to = {};
  std::vector<float> counts = {};
};

void Append(const LegCounts& legs, int32_t driver, JoinedLegs& joined) {
  const auto begin = static_cast<int64_t>(joined.to.size());
  for (size_t row = 0; row < legs.nodes.size(); ++row) {
    joined.drivers.push_back(driver);
    joined.nodes.push_back(legs.nodes[row]);
    joined.ends.push_back(begin + legs.first[row + 1]);
  }
  joined.to.insert(joined.to.end(), legs.to.begin(), legs.to.end());
  joined.counts.insert(joined.counts.end(), legs.counts.begin(), legs.counts.end());
}

void ReadPlaces(TensorReader& reader, CountTables& tables) {
  const auto positions =
      reader.Read<double>("positions", TensorType::kFloat64, std::ssize(tables.ids), 2);
  for (size_t i = 0; i + 1 < positions.size(); i += 2) {
    const bool known = std::isfinite(positions[i]) && std::isfinite(positions[i + 1]);
    tables.positions.push_back(
        known ? std::optional<Position>({.x = positions[i], .y = positions[i + 1]}) : std::nullopt);
  }
  const auto centres = reader.Read<double>("zones.centres", TensorType::kFloat64, -1, 3);
  for (size_t i = 0; i + 2 < centres.size(); i += 3) {
    const SpacePoint centre = {centres[i], centres[i + 1], centres[i + 2]};
    reader.Require(std::isfinite(centre[0]) && std::isfinite(centre[1]) && std::isfinite(centre[2]),
                   "zones.centres is damaged");
    tables.centres.push_back(centre);
  }
}

bool AreCounts(const std::vector<float>& counts) {
  return std::all_of(counts.begin(), counts.end(),
                     [](float count) { return count >= 0 && count <= 1e30F; });
}

void ReadZoneLegs(TensorReader& reader, const SafetensorsFile& file, CountTables& tables) {
  const TensorView* const view = file.Find("zones.legs");
  const auto zones = static_cast<int64_t>(tables.zones());
  const std::vector<int64_t> shape = {std::ssize(tables.drivers) + 1, zones, zones};
  const bool known = view != nullptr && view->type == TensorType::kFloat32 && view->shape == shape;
  reader.Require(known, "zones.legs is absent or has another type or shape");
  if (!known) return;
  tables.zone_legs.resize(view->data.size() / sizeof(float));
  std::memcpy(tables.zone_legs.data(), view->data.data(), view->data.size());
  reader.Require(AreCounts(tables.zone_legs), "zones.legs is damaged");
}

// Appends row `row` to its driver's. Returns whether the row is valid.
bool TakeRow(const JoinedLegs& joined, size_t row, CountTables& tables) {
  const int32_t driver = joined.drivers[row];
  if (driver < -1 || driver >= std::ssize(tables.drivers)) return false;
  if (row > 0 && driver < joined.drivers[row - 1]) return false;
  LegCounts& legs = driver < 0 ? tables.legs : tables.driver_legs[static_cast<size_t>(driver)];
  const int32_t node = joined.nodes[row];
  if (node < 0 || node > std::ssize(tables.ids)) return false;
  if (!legs.nodes.empty() && node <= legs.nodes.back()) return false;
  const int64_t begin = row == 0 ? 0 : joined.ends[row - 1];
  if (joined.ends[row] <= begin || joined.ends[row] > std::ssize(joined.to)) return false;
  for (int64_t e = begin; e < joined.ends[row]; ++e) {
    const int32_t to = joined.to[static_cast<size_t>(e)];
    if (to < 0 || to > std::ssize(tables.ids)) return false;
    legs.to.push_back(to);
    legs.counts.push_back(joined.counts[static_cast<size_t>(e)]);
  }
  legs.nodes.push_back(node);
  legs.first.push_back(std::ssize(legs.to));
  return true;
}

void ReadLegs(TensorReader& reader, CountTables& tables) {
  JoinedLegs joined;
  joined.nodes = reader.Read<int32_t>("rows.node", TensorType::kInt32);
  const int64_t rows = std::ssize(joined.nodes);
  joined.drivers = reader.Read<int32_t>("rows.driver", TensorType::kInt32, rows);
  joined.ends = reader.Read<int64_t>("rows.ends", TensorType::kInt64, rows);
  joined.to = reader.Read<int32_t>("entries.node", TensorType::kInt32);
  joined.counts = reader.Read<float>("entries.count", TensorType::kFloat32, std::ssize(joined.to));
  reader.Require(AreCounts(joined.counts), "entries.count is damaged");
  if (!reader.status().ok()) return;
  tables.driver_legs.resize(tables.drivers.size());
  bool valid = (rows == 0 ? 0 : joined.ends.back()) == std::ssize(joined.to);
  for (size_t row = 0; valid && row < joined.nodes.size(); ++row) {
    valid = TakeRow(joined, row, tables);
  }
  reader.Require(valid, "the rows of counts are damaged");
}

}  // namespace

std::string WriteCountWeights(const CountTables& tables, const RouteHabitTables& routes) {
  const JoinedTexts ids = Join(tables.ids);
  const JoinedTexts drivers = Join(tables.drivers);
  std::vector<double> positions;
  for (const std::optional<Position>& position : tables.positions) {
    positions.push_back(position.has_value() ? position->x : kUnknown);
    positions.push_back(position.has_value() ? position->y : kUnknown);
  }
  std::vector<double> centres;
  for (const SpacePoint& centre : tables.centres) {
    centres.insert(centres.end(), centre.begin(), centre.end());
  }
  JoinedLegs legs;
  Append(tables.legs, -1, legs);
  for (size_t driver = 0; driver < tables.driver_legs.size(); ++driver) {
    Append(tables.driver_legs[driver], static_cast<int32_t>(driver), legs);
  }
  const int64_t rows = std::ssize(legs.nodes);
  const int64_t entries = std::ssize(legs.to);
  const auto zones = static_cast<int64_t>(tables.zones());
  std::vector<TensorView> tensors = {
      {"ids.text", TensorType::kUint8, {std::ssize(ids.text)}, BytesOf(ids.text)},
      {"ids.ends", TensorType::kInt64, {std::ssize(ids.ends)}, BytesOf(ids.ends)},
      {"positions", TensorType::kFloat64, {std::ssize(tables.ids), 2}, BytesOf(positions)},
      {"drivers.text", TensorType::kUint8, {std::ssize(drivers.text)}, BytesOf(drivers.text)},
      {"drivers.ends", TensorType::kInt64, {std::ssize(drivers.ends)}, BytesOf(drivers.ends)},
      {"zones.centres", TensorType::kFloat64, {std::ssize(tables.centres), 3}, BytesOf(centres)},
      {"zones.legs",
       TensorType::kFloat32,
       {std::ssize(tables.drivers) + 1, zones, zones},
       BytesOf(tables.zone_legs)},
      {"rows.driver", TensorType::kInt32, {rows}, BytesOf(legs.drivers)},
      {"rows.node", TensorType::kInt32, {rows}, BytesOf(legs.nodes)},
      {"rows.ends", TensorType::kInt64, {rows}, BytesOf(legs.ends)},
      {"entries.node", TensorType::kInt32, {entries}, BytesOf(legs.to)},
      {"entries.count", TensorType::kFloat32, {entries}, BytesOf(legs.counts)}};
  const RouteTensors own(routes);
  own.AddTo(tensors);
  return WriteSafetensors(tensors);
}

absl::StatusOr<CountTables> ReadCountWeights(const SafetensorsFile& file, std::string_view name) {
  CountTables tables;
  TensorReader reader(file, name);
  tables.ids = reader.ReadTexts("ids.text", "ids.ends");
  tables.drivers = reader.ReadTexts("drivers.text", "drivers.ends");
  ReadPlaces(reader, tables);
  VRP_RETURN_IF_ERROR(reader.status());
  ReadZoneLegs(reader, file, tables);
  ReadLegs(reader, tables);
  VRP_RETURN_IF_ERROR(reader.status());
  return tables;
}

int64_t CountEntries(const CountTables& tables) {
  auto entries = std::ssize(tables.zone_legs) + std::ssize(tables.legs.counts);
  for (const LegCounts& legs : tables.driver_legs) entries += std::ssize(legs.counts);
  return entries;
}

}  // namespace vrp
