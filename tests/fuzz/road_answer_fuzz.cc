// Fuzzes the answers of road services: the first byte chooses the kind of service and of answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "server/roads/polyline.h"
#include "server/roads/road_service.h"

namespace {

constexpr size_t kRows = 2;
constexpr size_t kColumns = 3;
constexpr size_t kLegs = 2;

std::unique_ptr<const vrp::RoadService> ServiceOf(vrp::RoadServiceKind kind) {
  return vrp::MakeRoadService(vrp::DefaultsOf(kind));
}

void ReadTable(const vrp::RoadService& service, std::string_view answer) {
  const auto table = service.ReadTable(answer, kRows, kColumns);
  if (!table.ok()) return;
  if (table->durations.size() != kRows * kColumns || table->distances.size() != kRows * kColumns) {
    std::abort();
  }
  for (const auto* values : {&table->durations, &table->distances}) {
    for (const int32_t value : *values) {
      if (value < vrp::kNoRoad) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const osrm = ServiceOf(vrp::RoadServiceKind::kOsrm).release();
  static const auto* const valhalla = ServiceOf(vrp::RoadServiceKind::kValhalla).release();
  if (size == 0) return 0;
  const std::string_view answer(reinterpret_cast<const char*>(data + 1), size - 1);
  const vrp::RoadService& service = (data[0] & 1) == 0 ? *osrm : *valhalla;
  if ((data[0] & 2) == 0) {
    ReadTable(service, answer);
  } else {
    const auto lines = service.ReadRoute(answer, kLegs);
    if (lines.ok() && lines->size() != kLegs) std::abort();
  }
  if (service.ErrorOf(400, answer).ok()) std::abort();
  const auto line = vrp::DecodePolyline(answer);
  if (line.ok()) (void)vrp::EncodePolyline(*line);
  return 0;
}
