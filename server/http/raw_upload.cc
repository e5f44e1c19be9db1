#include "server/http/raw_upload.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "server/http/json_messages.h"

namespace vrp {
namespace {

using Field = google::protobuf::FieldDescriptor;

// Returns a length-delimited field: tag, size, content.
std::string Wrapped(const Field& field, std::string_view content) {
  constexpr uint32_t kLengthDelimited = 2;
  std::string message;
  google::protobuf::io::StringOutputStream stream(&message);
  {
    google::protobuf::io::CodedOutputStream output(&stream);
    output.WriteTag(static_cast<uint32_t>(field.number()) << 3 | kLengthDelimited);
    output.WriteVarint64(content.size());
    output.WriteRaw(content.data(), static_cast<int>(content.size()));
  }
  return message;
}

// Returns the field of a chunk that only holds doubles; else null.
const Field* ValuesOf(const Field& chunk) {
  const google::protobuf::Descriptor& type = *chunk.message_type();
  if (type.field_count() != 1) return nullptr;
  const Field& field = *type.field(0);
  return field.type() == Field::TYPE_DOUBLE && field.is_packed() ? &field : nullptr;
}

}  // namespace

std::optional<RawUpload> RawUpload::Of(const google::protobuf::Descriptor& type) {
  const Field* const header = type.FindFieldByName("header");
  const Field* const chunk = type.FindFieldByName("chunk");
  if (header == nullptr || chunk == nullptr) return std::nullopt;
  if (chunk->type() == Field::TYPE_BYTES) return RawUpload(*header, *chunk, nullptr);
  if (chunk->type() != Field::TYPE_MESSAGE) return std::nullopt;
  const Field* const values = ValuesOf(*chunk);
  if (values == nullptr) return std::nullopt;
  return RawUpload(*header, *chunk, values);
}

absl::StatusOr<std::string> RawUpload::Header(std::string_view query,
                                              std::optional<uint64_t> content_length) const {
  const google::protobuf::Descriptor& type = *header_->message_type();
  std::string parameters(query);
  const bool given = query.find("sizeBytes=") != std::string_view::npos ||
                     query.find("size_bytes=") != std::string_view::npos;
  if (type.FindFieldByName("size_bytes") != nullptr && content_length.has_value() && !given) {
    parameters += Concat("&sizeBytes=", *content_length);
  }
  VRP_ASSIGN_OR_RETURN(const std::string header, BinaryFromQuery(type, parameters));
  return Wrapped(*header_, header);
}

std::string RawUpload::Chunk(std::string_view part) const {
  return values_ == nullptr ? Wrapped(*chunk_, part) : Wrapped(*chunk_, Wrapped(*values_, part));
}

}  // namespace vrp
