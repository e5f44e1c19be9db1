#include "core/model/weights/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

struct TypeRow {
  TensorType type;
  std::string_view name;
  int64_t bytes;
};
constexpr std::array<TypeRow, 8> kTypes = {{{TensorType::kBool, "BOOL", 1},
                                            {TensorType::kUint8, "U8", 1},
                                            {TensorType::kInt32, "I32", 4},
                                            {TensorType::kInt64, "I64", 8},
                                            {TensorType::kFloat16, "F16", 2},
                                            {TensorType::kBfloat16, "BF16", 2},
                                            {TensorType::kFloat32, "F32", 4},
                                            {TensorType::kFloat64, "F64", 8}}};
constexpr size_t kLengthBytes = 8;  // of the header's length, and alignment of the data
constexpr std::string_view kMetadataKey = "__metadata__";

const TypeRow& Row(TensorType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [type](const TypeRow& row) { return row.type == type; });
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = kLengthBytes; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

// Returns the size of a tensor in bytes; nullopt on overflow or a negative extent.
std::optional<int64_t> ByteCount(int64_t element_bytes, const std::vector<int64_t>& shape) {
  int64_t count = element_bytes;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

absl::StatusOr<std::vector<int64_t>> Integers(const nlohmann::json& entry, const char* key,
                                              const std::string& where) {
  constexpr size_t kMaxRank = 16;
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array() || found->size() > kMaxRank) {
    const std::string got = found == entry.end() ? "nothing"
                            : found->is_array()  ? Concat(found->size(), " entries")
                                                 : found->type_name();
    return absl::InvalidArgumentError(Concat(
        where, ".", key, ": got ", got, ", wanted an array of at most ", kMaxRank, " integers"));
  }
  std::vector<int64_t> values;
  for (const nlohmann::json& value : *found) {
    const bool fits = value.is_number_unsigned() &&
                      value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
    if (!fits) {
      return absl::InvalidArgumentError(
          Concat(where, ".", key, ": got ", Quoted(value.dump()), ", wanted an integer from 0"));
    }
    values.push_back(value.get<int64_t>());
  }
  return values;
}

absl::StatusOr<TensorType> ParseType(const nlohmann::json& entry, const std::string& where) {
  const auto found = entry.find("dtype");
  if (found == entry.end() || !found->is_string()) {
    return absl::InvalidArgumentError(Concat(where, ".dtype: got ",
                                             found == entry.end() ? "nothing" : found->type_name(),
                                             ", wanted a string"));
  }
  const auto& text = found->get_ref<const std::string&>();
  for (const TypeRow& row : kTypes) {
    if (row.name == text) return row.type;
  }
  return absl::InvalidArgumentError(Concat(where, ".dtype: got ", Quoted(text),
                                           ", wanted one of BOOL U8 I32 I64 F16 BF16 F32 F64"));
}

// Parses one entry of the header. Returns an error if the entry's data is not within `buffer`.
absl::StatusOr<TensorView> ParseEntry(const std::string& tensor, const nlohmann::json& entry,
                                      std::string_view buffer, std::string_view file) {
  const std::string where = Concat(file, ": ", Quoted(tensor));
  if (!entry.is_object() || entry.size() != 3) {
    return absl::InvalidArgumentError(
        Concat(where, ": got ", Quoted(entry.dump()),
               ", wanted an object of dtype, shape and data_offsets"));
  }
  TensorView view;
  view.name = tensor;
  VRP_ASSIGN_OR_RETURN(view.type, ParseType(entry, where));
  VRP_ASSIGN_OR_RETURN(view.shape, Integers(entry, "shape", where));
  VRP_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, Integers(entry, "data_offsets", where));
  const auto size = static_cast<int64_t>(buffer.size());
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > size) {
    return absl::InvalidArgumentError(
        Concat(where, ".data_offsets: got ", Quoted(entry.at("data_offsets").dump()),
               ", wanted [begin, end] within the ", size, " bytes of data"));
  }
  const std::optional<int64_t> wanted = ByteCount(TensorTypeBytes(view.type), view.shape);
  if (!wanted.has_value() || *wanted != offsets[1] - offsets[0]) {
    return absl::InvalidArgumentError(Concat(where, ".data_offsets: got ", offsets[1] - offsets[0],
                                             " bytes, wanted the size given by dtype and shape"));
  }
  const std::string_view data =
      buffer.substr(static_cast<size_t>(offsets[0]), static_cast<size_t>(offsets[1] - offsets[0]));
  view.data = std::as_bytes(std::span<const char>(data));
  return view;
}

absl::StatusOr<std::map<std::string, std::string>> ParseMetadata(const nlohmann::json& header,
                                                                 std::string_view file) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) {
    return absl::InvalidArgumentError(
        Concat(file, ": __metadata__: got ", found->type_name(), ", wanted an object of strings"));
  }
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) {
      return absl::InvalidArgumentError(Concat(file, ": __metadata__[", Quoted(key), "]: got ",
                                               value.type_name(), ", wanted a string"));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// Checks that every byte of the data belongs to exactly one tensor. `tensors` are sorted by their
// data's address.
absl::Status CheckNoGaps(const std::vector<TensorView>& tensors, std::string_view buffer,
                         std::string_view file) {
  const auto* next = reinterpret_cast<const std::byte*>(buffer.data());
  for (const TensorView& tensor : tensors) {
    if (tensor.data.data() != next) {
      return absl::InvalidArgumentError(
          Concat(file, ": ", Quoted(tensor.name),
                 ".data_offsets: got a gap or an overlap before this tensor, wanted neither"));
    }
    next += tensor.data.size();
  }
  const auto* end = reinterpret_cast<const std::byte*>(buffer.data() + buffer.size());
  if (next != end) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", end - next, " bytes after the last tensor, wanted none"));
  }
  return absl::OkStatus();
}

absl::StatusOr<nlohmann::json> ParseHeader(std::string_view bytes, std::string_view name) {
  if (bytes.size() < kLengthBytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": got ", bytes.size(), " bytes, wanted a safetensors header"));
  }
  const uint64_t length = LittleEndian(bytes);
  if (length > uint64_t{kMaxSafetensorsHeaderBytes} || length > bytes.size() - kLengthBytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": header length: got ", length, ", wanted at most ",
               std::min<uint64_t>(kMaxSafetensorsHeaderBytes, bytes.size() - kLengthBytes)));
  }
  JsonLimits limits;
  limits.max_bytes = kMaxSafetensorsHeaderBytes;
  limits.max_depth = 4;
  VRP_ASSIGN_OR_RETURN(nlohmann::json header,
                       ParseJsonText(bytes.substr(kLengthBytes, static_cast<size_t>(length)),
                                     Concat(name, " (header)"), limits));
  if (!header.is_object()) {
    return absl::InvalidArgumentError(
        Concat(name, ": header: got ", header.type_name(), ", wanted a JSON object"));
  }
  return header;
}

}  // namespace

std::string_view TensorTypeName(TensorType type) { return Row(type).name; }
int64_t TensorTypeBytes(TensorType type) { return Row(type).bytes; }

absl::StatusOr<SafetensorsFile> SafetensorsFile::Parse(std::string bytes, std::string_view name) {
  SafetensorsFile file;
  file.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view all = *file.bytes_;
  VRP_ASSIGN_OR_RETURN(const nlohmann::json header, ParseHeader(all, name));
  const std::string_view buffer = all.substr(kLengthBytes + static_cast<size_t>(LittleEndian(all)));
  VRP_ASSIGN_OR_RETURN(file.metadata_, ParseMetadata(header, name));
  for (const auto& [tensor, entry] : header.items()) {
    if (tensor == kMetadataKey) continue;
    VRP_ASSIGN_OR_RETURN(TensorView view, ParseEntry(tensor, entry, buffer, name));
    file.tensors_.push_back(std::move(view));
  }
  std::stable_sort(
      file.tensors_.begin(), file.tensors_.end(), [](const TensorView& a, const TensorView& b) {
        return std::pair(a.data.data(), a.data.size()) < std::pair(b.data.data(), b.data.size());
      });
  VRP_RETURN_IF_ERROR(CheckNoGaps(file.tensors_, buffer, name));
  return file;
}

const TensorView* SafetensorsFile::Find(std::string_view name) const {
  for (const TensorView& tensor : tensors_) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::string WriteSafetensors(std::span<const TensorView> tensors,
                             const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[std::string(kMetadataKey)] = metadata;
  std::set<std::string_view> names;
  int64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    const std::optional<int64_t> bytes = ByteCount(TensorTypeBytes(tensor.type), tensor.shape);
    const bool valid = bytes.has_value() && *bytes == static_cast<int64_t>(tensor.data.size()) &&
                       tensor.name != kMetadataKey && names.insert(tensor.name).second;
    if (!valid) std::abort();
    header[tensor.name] = {{"dtype", TensorTypeName(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + *bytes}}};
    offset += *bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::string bytes;
  bytes.reserve(kLengthBytes + text.size() + static_cast<size_t>(offset));
  for (size_t i = 0; i < kLengthBytes; ++i) {
    bytes.push_back(static_cast<char>(uint64_t{text.size()} >> (8 * i) & 0xff));
  }
  bytes += text;
  for (const TensorView& tensor : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  return bytes;
}

}  // namespace vrp
