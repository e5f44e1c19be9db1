#include "server/convert/message_size.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/text.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/message.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Overhead in bytes: of an allocation, of a pointer in a list that doubles its capacity, and of a
// text.
constexpr int64_t kAllocation = 16;
constexpr int64_t kListEntry = 24;
constexpr int64_t kStringBytes = int64_t{sizeof(std::string)} + kAllocation;
// Memory factor of growing lists: lists of numbers double their capacity.
constexpr int64_t kListGrowth = 2;
constexpr int64_t kUnknownField = 32;  // bytes that protobuf stores for a field that the type does
                                       // not have
constexpr int64_t kMapEntry = 128;     // bytes of an entry of a map, without the content of texts
constexpr uint32_t kLengthDelimited = 2;  // wire type of texts, messages and packed numbers
constexpr int kMaxDepth = 100;            // equal to protobuf's limit
// Bounds the list of a type's fields. Fields with larger numbers count as unknown.
constexpr int kMaxFieldNumber = 1000;

// Returns the wire type of a field. Protobuf keeps values of another wire type as unknown fields.
uint32_t WireTypeOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return 1;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return kLengthDelimited;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return 5;
    default:
      return 0;
  }
}

struct TypeSize;

struct FieldSize {
  const FieldDescriptor* field = nullptr;  // null if the type has no field with this number
  const TypeSize* message = nullptr;       // type of message values
  int64_t value = 0;                       // bytes of each value, without the content of texts and
                                           // lists
  bool packable = false;                   // whether many values may share one tag
  uint32_t wire_type = 0;

  bool Fits(uint32_t type) const {
    return field != nullptr && (type == wire_type || (packable && type == kLengthDelimited));
  }
};

struct TypeSize {
  int64_t bytes = 0;
  std::vector<FieldSize> fields;  // indexed by field number
};

// A cache of the sizes of message types. Thread-safe. Returned references stay valid.
class TypeSizes {
 public:
  const TypeSize& Find(const Descriptor& type) {
    absl::MutexLock lock(&mutex_);
    return FindLocked(type);
  }

 private:
  const TypeSize& FindLocked(const Descriptor& type) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::unique_ptr<TypeSize>& known = known_[&type];
    if (known != nullptr) return *known;
    known = std::make_unique<TypeSize>();
    TypeSize& size = *known;  // registered before its fields, because these may have the same type
    size.bytes = BytesOf(type) + kAllocation;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const auto number = static_cast<size_t>(field.number());
      if (field.number() > kMaxFieldNumber) continue;
      if (size.fields.size() <= number) size.fields.resize(number + 1);
      size.fields[number] = EstimateField(field);
    }
    return size;
  }

  FieldSize EstimateField(const FieldDescriptor& field) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    FieldSize size{
        .field = &field, .packable = field.is_packable(), .wire_type = WireTypeOf(field)};
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        size.message = &FindLocked(*field.message_type());
        size.value = size.message->bytes + kListEntry;
        return size;
      case FieldDescriptor::CPPTYPE_STRING:
        size.value = kStringBytes + kListEntry;
        return size;
      default:
        size.value = field.is_repeated() ? kListGrowth * int64_t{sizeof(double)} : 0;
        return size;
    }
  }

  static int64_t BytesOf(const Descriptor& type) {
    if (type.options().map_entry()) return kMapEntry;
    const google::protobuf::Message* const empty =
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
    return static_cast<int64_t>(empty->SpaceUsedLong());
  }

  absl::Mutex mutex_;
  std::map<const Descriptor*, std::unique_ptr<TypeSize>> known_ ABSL_GUARDED_BY(mutex_);
};

// An estimator that derives the memory of a message from its tags and lengths.
class SizeEstimator {
 public:
  SizeEstimator(google::protobuf::io::ZeroCopyInputStream& wire, int64_t max_bytes)
      : in_(&wire), max_bytes_(max_bytes) {}

  int64_t bytes() const { return bytes_; }
  // Returns the path of the field at which the estimate exceeded the limit.
  std::string ExceededField() const {
    std::string path;
    for (const FieldDescriptor* field : path_) {
      path += Concat(path.empty() ? "" : ".", field->name());
    }
    return path.empty() ? "message" : path;
  }
  bool exceeds_limit() const { return bytes_ > max_bytes_; }

  // Adds the fields of a message of `type`; a null `type` is unknown. Returns false if the estimate
  // exceeds the limit, or if the bytes are unreadable or nested deeper than kMaxDepth.
  bool AddMessage(const TypeSize* type, int depth) {
    if (depth > kMaxDepth) return false;
    while (const uint32_t tag = in_.ReadTag()) {
      const uint32_t number = tag >> 3;
      const bool known =
          type != nullptr && number < type->fields.size() && type->fields[number].Fits(tag & 7);
      const FieldSize& field = known ? type->fields[number] : kNone;
      if (field.field != nullptr) path_.push_back(field.field);
      bool ends = false;
      if (!AddValue(field, tag & 7, depth, ends) || exceeds_limit()) return false;
      if (field.field != nullptr) path_.pop_back();
      if (ends) return true;
    }
    return in_.ConsumedEntireMessage();
  }

 private:
  static constexpr FieldSize kNone = {};

  bool AddValue(const FieldSize& field, uint32_t wire_type, int depth, bool& ends) {
    uint64_t number = 0;
    const int64_t scalar = field.field == nullptr ? kUnknownField : field.value;
    switch (wire_type) {
      case 0:
        bytes_ += scalar;
        return in_.ReadVarint64(&number);
      case 1:
        bytes_ += scalar;
        return in_.Skip(8);
      case 2:
        return AddLengthDelimited(field, depth);
      case 3:  // a group; the protos have none
        bytes_ += 3 * kUnknownField;
        return AddMessage(nullptr, depth + 1);
      case 4:
        return ends = true;
      case 5:
        bytes_ += scalar;
        return in_.Skip(4);
      default:
        return false;
    }
  }

  bool AddLengthDelimited(const FieldSize& field, int depth) {
    uint32_t length = 0;
    if (!in_.ReadVarint32(&length) || length > uint32_t{INT32_MAX}) return false;
    const auto bytes = static_cast<int>(length);
    if (field.message != nullptr) {
      bytes_ += field.value;
      if (exceeds_limit()) return false;
      const auto before = in_.PushLimit(bytes);
      if (!AddMessage(field.message, depth + 1)) return false;
      in_.PopLimit(before);
      return true;
    }
    if (field.field == nullptr) {
      bytes_ += kUnknownField + kStringBytes + bytes;
    } else if (field.packable) {
      bytes_ += PackedBytes(*field.field, bytes);
    } else {
      bytes_ += field.value + bytes;
    }
    return in_.Skip(bytes);
  }

  // Returns the memory of packed numbers. A double has 8 bytes on the wire, other numbers at
  // least 1.
  static int64_t PackedBytes(const FieldDescriptor& field, int64_t bytes) {
    const bool fixed = field.type() == FieldDescriptor::TYPE_DOUBLE;
    return kListGrowth * bytes * (fixed ? 1 : int64_t{sizeof(int64_t)});
  }

  google::protobuf::io::CodedInputStream in_;
  const int64_t max_bytes_;
  int64_t bytes_ = 0;
  std::vector<const FieldDescriptor*> path_;
};

}  // namespace

absl::StatusOr<int64_t> EstimateMessageBytes(const Descriptor& type,
                                             google::protobuf::io::ZeroCopyInputStream& wire,
                                             int64_t max_bytes) {
  static auto* const sizes = new TypeSizes;
  const TypeSize& root = sizes->Find(type);
  SizeEstimator estimator(wire, max_bytes - root.bytes);
  estimator.AddMessage(&root, 0);
  if (!estimator.exceeds_limit()) return root.bytes + estimator.bytes();
  return InvalidField(estimator.ExceededField(),
                      Concat("here the message exceeds the limit of ", max_bytes >> 20,
                             " MiB of memory, which max_message_mib and "
                             "max_request_memory_mib set; send less data"));
}

}  // namespace vrp
