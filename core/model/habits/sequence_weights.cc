#include "core/model/habits/sequence_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/habits/route_weights.h"
#include "core/model/habits/tensor_reader.h"
#include "core/model/weights/flat_parameters.h"

namespace vrp {
namespace {

constexpr int64_t kScaleNumbers = 6;

template <typename T>
bool AreFinite(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

void ReadScales(TensorReader& reader, SequenceScales& scales) {
  const auto numbers = reader.Read<double>("scales", TensorType::kFloat64, kScaleNumbers);
  const bool valid =
      std::ssize(numbers) == kScaleNumbers && AreFinite(numbers) &&
      std::all_of(numbers.begin(), numbers.begin() + 4, [](double number) { return number > 0; });
  reader.Require(valid, "scales is damaged");
  if (!valid) return;
  scales.distance = numbers[0];
  scales.leg_length = numbers[1];
  scales.demand = numbers[2];
  scales.time = numbers[3];
  scales.depot = {.x = numbers[4], .y = numbers[5]};
  const auto zones = reader.Read<float>("zones", TensorType::kFloat32, -1, 2);
  reader.Require(AreFinite(zones) && std::ssize(zones) <= std::ptrdiff_t{2} * kMaxSequenceZones,
                 "zones is damaged");
  for (size_t i = 0; i + 1 < zones.size(); i += 2) scales.zones.push_back({zones[i], zones[i + 1]});
  scales.drivers = reader.ReadTexts("inputs.text", "inputs.ends");
  reader.Require(std::ssize(scales.drivers) <= kMaxSequenceDrivers, "inputs.ends is too long");
}

void ReadDrivers(TensorReader& reader, SequenceTables& tables) {
  const int64_t features = tables.scales.features();
  const std::vector<std::string> names = reader.ReadTexts("drivers.text", "drivers.ends");
  const auto ends = reader.Read<int64_t>("earlier.ends", TensorType::kInt64, std::ssize(names));
  const auto types = reader.Read<uint8_t>("earlier.types", TensorType::kUint8);
  const auto contexts =
      reader.Read<float>("earlier.contexts", TensorType::kFloat32, std::ssize(types), features);
  reader.Require(AreFinite(contexts), "earlier.contexts is damaged");
  reader.Require(std::ranges::all_of(types, [](uint8_t type) { return type < kTokenTypes; }),
                 "earlier.types is damaged");
  int64_t begin = 0;
  for (size_t driver = 0; reader.status().ok() && driver < names.size(); ++driver) {
    const int64_t end = ends[driver];
    reader.Require(end >= begin && end <= std::ssize(types), "earlier.ends is damaged");
    if (!reader.status().ok()) return;
    DriverRoutes& routes =
        tables.drivers.emplace_back(DriverRoutes{.driver = names[driver], .tokens = {}});
    for (int64_t i = begin; i < end; ++i) {
      routes.tokens.types.push_back(static_cast<TokenType>(types[static_cast<size_t>(i)]));
    }
    routes.tokens.contexts.assign(contexts.begin() + begin * features,
                                  contexts.begin() + end * features);
    begin = end;
  }
}

// Reads the parameters of the network out of the file.
absl::Status ReadNetworkParameters(const SafetensorsFile& file, std::string_view name,
                                   SequenceTables& tables) {
  const ParameterLayout layout = SequenceLayout(tables.network);
  std::vector<TensorView> views;
  for (const ParameterShape& shape : layout.shapes()) {
    const TensorView* const view = file.Find(shape.name);
    if (view != nullptr) views.push_back(*view);
  }
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile own,
                       SafetensorsFile::Parse(WriteSafetensors(views), std::string(name)));
  FlatParameters parameters(layout, 0);
  VRP_RETURN_IF_ERROR(parameters.Load(own, name));
  tables.parameters.assign(parameters.values().begin(), parameters.values().end());
  return absl::OkStatus();
}

absl::Status DataLoss(const absl::Status& status) {
  return status.ok() ? status : absl::DataLossError(status.message());
}

}  // namespace

std::string WriteSequenceWeights(const SequenceTables& tables, const RouteHabitTables& routes) {
  const ParameterLayout layout = SequenceLayout(tables.network);
  std::vector<TensorView> views;
  for (const ParameterShape& shape : layout.shapes()) {
    const auto values = std::span(tables.parameters)
                            .subspan(static_cast<size_t>(layout.Offset(shape.name)),
                                     static_cast<size_t>(ParameterLayout::Elements(shape)));
    views.push_back({shape.name, TensorType::kFloat32, shape.shape, std::as_bytes(values)});
  }
  const SequenceScales& scales = tables.scales;
  const std::vector<double> numbers = {scales.distance, scales.leg_length, scales.demand,
                                       scales.time,     scales.depot.x,    scales.depot.y};
  std::vector<float> zones;
  for (const auto& centre : scales.zones) zones.insert(zones.end(), centre.begin(), centre.end());
  const JoinedTexts inputs = Join(scales.drivers);
  std::vector<std::string> names;
  SequenceTokens earlier;
  std::vector<int64_t> ends;
  for (const DriverRoutes& driver : tables.drivers) {
    names.push_back(driver.driver);
    earlier.types.insert(earlier.types.end(), driver.tokens.types.begin(),
                         driver.tokens.types.end());
    earlier.contexts.insert(earlier.contexts.end(), driver.tokens.contexts.begin(),
                            driver.tokens.contexts.end());
    ends.push_back(std::ssize(earlier.types));
  }
  const JoinedTexts drivers = Join(names);
  const auto add = [&](const char* name, TensorType type, std::vector<int64_t> shape,
                       std::span<const std::byte> bytes) {
    views.push_back({name, type, std::move(shape), bytes});
  };
  const int64_t tokens = std::ssize(earlier.types);
  add("scales", TensorType::kFloat64, {kScaleNumbers}, BytesOf(numbers));
  add("zones", TensorType::kFloat32, {std::ssize(scales.zones), 2}, BytesOf(zones));
  add("inputs.text", TensorType::kUint8, {std::ssize(inputs.text)}, BytesOf(inputs.text));
  add("inputs.ends", TensorType::kInt64, {std::ssize(inputs.ends)}, BytesOf(inputs.ends));
  add("drivers.text", TensorType::kUint8, {std::ssize(drivers.text)}, BytesOf(drivers.text));
  add("drivers.ends", TensorType::kInt64, {std::ssize(drivers.ends)}, BytesOf(drivers.ends));
  add("earlier.ends", TensorType::kInt64, {std::ssize(ends)}, BytesOf(ends));
  add("earlier.types", TensorType::kUint8, {tokens}, BytesOf(earlier.types));
  add("earlier.contexts", TensorType::kFloat32, {tokens, scales.features()},
      BytesOf(earlier.contexts));
  add("stops", TensorType::kInt64, {std::ssize(tables.stops)}, BytesOf(tables.stops));
  const RouteTensors own(routes);
  own.AddTo(views);
  return WriteSafetensors(views);
}

absl::StatusOr<SequenceTables> ReadSequenceWeights(const SafetensorsFile& file,
                                                   SequenceTransformerOptions sizes,
                                                   std::string_view name) {
  SequenceTables tables;
  TensorReader reader(file, name);
  ReadScales(reader, tables.scales);
  VRP_RETURN_IF_ERROR(reader.status());
  ReadDrivers(reader, tables);
  tables.stops = reader.Read<uint64_t>("stops", TensorType::kInt64);
  reader.Require(std::ranges::is_sorted(tables.stops), "stops is damaged");
  VRP_RETURN_IF_ERROR(reader.status());
  sizes.features = tables.scales.features();
  sizes.relations = kLegRelations;
  tables.network = sizes;
  VRP_RETURN_IF_ERROR(DataLoss(CheckSequenceOptions(sizes)));
  VRP_RETURN_IF_ERROR(DataLoss(ReadNetworkParameters(file, name, tables)));
  return tables;
}

}  // namespace vrp
