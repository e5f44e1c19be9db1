// A sample as bytes: little-endian numbers, vectors after their lengths, a checksum at the end.
#include <cstring>
#include <type_traits>

#include "core/base/text.h"
#include "core/problem/instance/fields.h"
#include "core/train/data/sample_set.h"

namespace vrp {
namespace {

uint64_t Checksum(std::string_view bytes) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

template <typename T>
struct IsPlainVector : std::false_type {};
template <typename T>
struct IsPlainVector<std::vector<T>> : std::is_trivially_copyable<T> {};

// A value whose bytes a record can hold.
template <typename T>
concept Recordable = std::is_trivially_copyable_v<T> || IsPlainVector<T>::value;

// Calls `visit` with each field of `object` that is marked as sampled, for writing and for reading.
// Late costs are not marked, because networks learn from samples with hard windows.
template <typename Object, typename Visitor>
void ForEachSampledField(Object& object, Visitor& visit) {
  static_assert(AllFields<std::remove_const_t<Object>>(
      [](auto field) { return !field.sampled || Recordable<typename decltype(field)::Member>; }));
  ForEachField(object, [&visit](const auto& field, auto& value) {
    if constexpr (Recordable<std::remove_cvref_t<decltype(value)>>) {
      if (field.sampled) visit(value);
    }
  });
}

class RecordWriter {
 public:
  template <typename T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    (*this)(static_cast<uint32_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void operator()(const std::vector<TimeWindow>& windows) {
    (*this)(static_cast<uint32_t>(windows.size()));
    for (const TimeWindow& window : windows) {
      (*this)(window.open);
      (*this)(window.close);
    }
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  void operator()(T& value) {
    if (!CanRead(sizeof(T))) return;
    std::memcpy(&value, left_.data(), sizeof(T));
    left_.remove_prefix(sizeof(T));
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    const size_t count = Count(sizeof(T));
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), left_.data(), count * sizeof(T));
    left_.remove_prefix(count * sizeof(T));
  }
  void operator()(std::vector<TimeWindow>& windows) {
    windows.resize(Count(2 * sizeof(double)));
    for (TimeWindow& window : windows) {
      (*this)(window.open);
      (*this)(window.close);
    }
  }
  // Reads the length of a vector of items of `size` bytes. Returns 0 after an error, or if the
  // record is too short for the items.
  size_t Count(size_t size) {
    uint32_t count = 0;
    (*this)(count);
    return CanRead(count * size) ? count : 0;
  }
  bool is_complete() const { return valid_ && left_.empty(); }

 private:
  bool CanRead(size_t bytes) {
    valid_ = valid_ && bytes <= left_.size();
    return valid_;
  }

  std::string_view left_;
  bool valid_ = true;
};

void ReadFeatures(RecordReader& reader, InstanceData& data) {
  data.features.resize(reader.Count(1));
  for (FeatureColumn& column : data.features) {
    std::vector<char> name;
    reader(name);
    column.name.assign(name.begin(), name.end());
    reader(column.values);
  }
}

}  // namespace

std::string WriteSample(const Sample& sample) {
  RecordWriter writer;
  ForEachSampledField(sample.data, writer);
  writer(sample.cost);
  writer(static_cast<uint32_t>(sample.data.vehicles.size()));
  for (const VehicleType& vehicle : sample.data.vehicles) ForEachSampledField(vehicle, writer);
  writer(static_cast<uint32_t>(sample.plan.size()));
  for (const PlannedRoute& route : sample.plan) {
    writer(route.vehicle_type);
    writer(route.customers);
  }
  // Columns come last, and only if the instance has some, so that older records stay valid.
  if (!sample.data.features.empty()) {
    writer(static_cast<uint32_t>(sample.data.features.size()));
    for (const FeatureColumn& column : sample.data.features) {
      writer(std::vector<char>(column.name.begin(), column.name.end()));
      writer(column.values);
    }
  }
  const uint64_t checksum = Checksum(writer.bytes());
  writer(checksum);
  return std::move(writer.bytes());
}

absl::StatusOr<Sample> ParseSample(std::string_view bytes) {
  uint64_t stated = 0;
  const size_t length = bytes.size() < sizeof(stated) ? 0 : bytes.size() - sizeof(stated);
  if (length > 0) std::memcpy(&stated, bytes.data() + length, sizeof(stated));
  if (length == 0 || stated != Checksum(bytes.substr(0, length))) {
    return absl::DataLossError("the record is too short, or its checksum is wrong");
  }
  RecordReader reader(bytes.substr(0, length));
  Sample sample;
  ForEachSampledField(sample.data, reader);
  reader(sample.cost);
  sample.data.vehicles.resize(reader.Count(1));
  for (VehicleType& vehicle : sample.data.vehicles) ForEachSampledField(vehicle, reader);
  sample.plan.resize(reader.Count(1));
  for (PlannedRoute& route : sample.plan) {
    reader(route.vehicle_type);
    reader(route.customers);
  }
  if (!reader.is_complete()) ReadFeatures(reader, sample.data);
  if (!reader.is_complete())
    return absl::DataLossError("the record has a correct checksum, but is malformed");
  return sample;
}

}  // namespace vrp
