#include "core/model/habits/route_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"

namespace vrp {
namespace {

std::vector<SpacePoint> ReadCentres(TensorReader& reader, const char* tensor) {
  const auto numbers = reader.Read<double>(tensor, TensorType::kFloat64, -1, 3);
  reader.Require(std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }),
                 Concat(tensor, " is damaged"));
  std::vector<SpacePoint> centres;
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
    centres.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return centres;
}

std::vector<float> ReadFinite(TensorReader& reader, const char* tensor, size_t size) {
  auto numbers =
      reader.Read<float>(tensor, TensorType::kFloat32, static_cast<std::ptrdiff_t>(size));
  reader.Require(std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); }),
                 Concat(tensor, " is damaged"));
  return numbers;
}

}  // namespace

RouteTensors::RouteTensors(const RouteHabitTables& tables)
    : tables_(tables), radius_({tables.radius}), drivers_(Join(tables.drivers)) {}

void RouteTensors::AddTo(std::vector<TensorView>& views) const {
  if (tables_.zones.empty()) return;
  const auto add = [&](const char* name, TensorType type, std::vector<int64_t> shape,
                       std::span<const std::byte> bytes) {
    views.push_back({name, type, std::move(shape), bytes});
  };
  add("routes.radius", TensorType::kFloat64, {1}, BytesOf(radius_));
  add("routes.zones", TensorType::kFloat64, {std::ssize(tables_.zones), 3}, BytesOf(tables_.zones));
  add("routes.areas", TensorType::kFloat64, {std::ssize(tables_.areas), 3}, BytesOf(tables_.areas));
  add("routes.drivers.text", TensorType::kUint8, {std::ssize(drivers_.text)},
      BytesOf(drivers_.text));
  add("routes.drivers.ends", TensorType::kInt64, {std::ssize(drivers_.ends)},
      BytesOf(drivers_.ends));
  add("routes.drivers.areas", TensorType::kFloat32, {std::ssize(tables_.area_logs)},
      BytesOf(tables_.area_logs));
  add("routes.weights", TensorType::kFloat32, {std::ssize(tables_.weights)},
      BytesOf(tables_.weights));
}

absl::StatusOr<std::shared_ptr<const RouteHabits>> ReadRouteHabits(const SafetensorsFile& file,
                                                                   CoordinateSystem coordinates,
                                                                   std::string_view name) {
  if (file.Find("routes.radius") == nullptr) return nullptr;
  TensorReader reader(file, name);
  RouteHabitTables tables = {.coordinates = coordinates};
  const auto radius = reader.Read<double>("routes.radius", TensorType::kFloat64, 1);
  reader.Require(radius.size() == 1 && std::isfinite(radius[0]) && radius[0] > 0,
                 "routes.radius is damaged");
  tables.zones = ReadCentres(reader, "routes.zones");
  tables.areas = ReadCentres(reader, "routes.areas");
  tables.drivers = reader.ReadTexts("routes.drivers.text", "routes.drivers.ends");
  reader.Require(!tables.zones.empty() && !tables.areas.empty(), "routes.zones is damaged");
  VRP_RETURN_IF_ERROR(reader.status());
  tables.radius = radius[0];
  tables.area_logs =
      ReadFinite(reader, "routes.drivers.areas", tables.drivers.size() * tables.areas.size());
  tables.weights = ReadFinite(reader, "routes.weights",
                              DirectionWeights(tables.zones.size(), tables.drivers.size()));
  VRP_RETURN_IF_ERROR(reader.status());
  return std::make_shared<const RouteHabits>(std::move(tables));
}

}  // namespace vrp
