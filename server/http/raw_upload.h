// Turns the raw body of an upload into the messages of its client stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"

namespace vrp {

// The form of an upload whose request message has the fields `header` and `chunk`. The header comes
// from the URL's query. Chunks are bytes, or doubles in little-endian order.
class RawUpload {
 public:
  // Returns the raw form of a stream of `type` messages, or nullopt if it has none.
  static std::optional<RawUpload> Of(const google::protobuf::Descriptor& type);

  // Returns the serialized first message. `content_length` fills a field size_bytes that the query
  // lacks. Errors are those of BinaryFromQuery.
  absl::StatusOr<std::string> Header(std::string_view query,
                                     std::optional<uint64_t> content_length) const;
  // Returns the serialized message of a part of the body, whose size is a multiple of
  // element_bytes().
  std::string Chunk(std::string_view part) const;
  size_t element_bytes() const { return values_ == nullptr ? 1 : sizeof(double); }

 private:
  using Field = google::protobuf::FieldDescriptor;
  RawUpload(const Field& header, const Field& chunk, const Field* values)
      : header_(&header), chunk_(&chunk), values_(values) {}

  const Field* header_;
  const Field* chunk_;
  const Field* values_;  // the packed doubles in a chunk, or null
};

}  // namespace vrp
