#include "server/roads/road_record.h"

#include <cstdint>
#include <optional>

#include "core/base/status_macros.h"
#include "core/problem/instance/instance_data.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/unknown_field_set.h"

namespace vrp {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

// The reserved field of SolveRequest. Each network is one value: the length of its name, the name,
// the number of places, their longitudes and latitudes, the durations and the distances. All
// numbers are varints; signed ones add their offset, so that they are small and not negative.
constexpr int kAttachmentField = 1000;
constexpr int32_t kDegreesOffset = 180'000'000;
constexpr int32_t kRoadOffset = 1;  // kNoRoad is -1

std::string WriteEntry(const std::string& network, const RoadMatrices& matrices) {
  std::string text;
  {
    StringOutputStream bytes(&text);
    CodedOutputStream out(&bytes);
    const auto write = [&out](int32_t value, int32_t offset) {
      out.WriteVarint32(static_cast<uint32_t>(value) + static_cast<uint32_t>(offset));
    };
    out.WriteVarint32(static_cast<uint32_t>(network.size()));
    out.WriteString(network);
    out.WriteVarint32(static_cast<uint32_t>(matrices.size()));
    for (const RoadPlace& place : matrices.places) {
      write(place.longitude, kDegreesOffset);
      write(place.latitude, kDegreesOffset);
    }
    for (const int32_t value : matrices.durations) write(value, kRoadOffset);
    for (const int32_t value : matrices.distances) write(value, kRoadOffset);
  }
  return text;
}

// A reader of one entry.
class EntryReader {
 public:
  explicit EntryReader(const std::string& text)
      : bytes_(text.size()),
        in_(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int>(text.size())) {}

  std::optional<std::pair<std::string, std::shared_ptr<const RoadMatrices>>> Read() {
    auto matrices = std::make_shared<RoadMatrices>();
    std::string network;
    uint32_t size = 0;
    if (!in_.ReadVarint32(&size) || size > bytes_ ||
        !in_.ReadString(&network, static_cast<int>(size)) || !in_.ReadVarint32(&size) ||
        size > kMaxMatrixNodes) {
      return std::nullopt;
    }
    const size_t pairs = size_t{size} * size;
    if (2 * pairs > bytes_) return std::nullopt;  // before anything is allocated
    matrices->places.resize(size);
    for (RoadPlace& place : matrices->places) {
      if (!ReadNumber(kDegreesOffset, place.longitude) ||
          !ReadNumber(kDegreesOffset, place.latitude)) {
        return std::nullopt;
      }
    }
    for (std::vector<int32_t>* values : {&matrices->durations, &matrices->distances}) {
      values->resize(pairs);
      for (int32_t& value : *values) {
        if (!ReadNumber(kRoadOffset, value)) return std::nullopt;
      }
    }
    return std::pair(std::move(network), std::shared_ptr<const RoadMatrices>(std::move(matrices)));
  }

 private:
  bool ReadNumber(int32_t offset, int32_t& value) {
    uint32_t read = 0;
    if (!in_.ReadVarint32(&read)) return false;
    value = static_cast<int32_t>(read - static_cast<uint32_t>(offset));
    return true;
  }

  const size_t bytes_;
  CodedInputStream in_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const RoadMatrices>> RoadRecord::Matrices(
    std::string_view network, const std::vector<RoadPlace>& places, const StopCondition& stop) {
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, matrices] : entries_) {
      if (name == network && matrices->places == places) return matrices;
    }
  }
  VRP_ASSIGN_OR_RETURN(std::shared_ptr<const RoadMatrices> matrices,
                       source_.Matrices(network, places, stop));
  absl::MutexLock lock(&mutex_);
  entries_.emplace_back(network, matrices);
  return matrices;
}

std::string RoadRecord::Attachment() const {
  UnknownFieldSet fields;
  absl::MutexLock lock(&mutex_);
  for (const auto& [network, matrices] : entries_) {
    fields.AddLengthDelimited(kAttachmentField, WriteEntry(network, *matrices));
  }
  std::string text;
  fields.SerializeToString(&text);
  return text;
}

absl::Status RoadRecord::Load(const v1::SolveRequest& stored) {
  const UnknownFieldSet& fields = stored.GetReflection()->GetUnknownFields(stored);
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() != kAttachmentField || field.type() != UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    std::optional<Entry> entry = EntryReader(field.length_delimited()).Read();
    if (!entry.has_value()) {
      return absl::DataLossError("the stored road matrices are damaged; create the job again");
    }
    absl::MutexLock lock(&mutex_);
    entries_.push_back(*std::move(entry));
  }
  return absl::OkStatus();
}

void RemoveRoadAttachment(v1::SolveRequest& request) {
  request.GetReflection()->MutableUnknownFields(&request)->DeleteByNumber(kAttachmentField);
}

}  // namespace vrp
