// The safetensors format (https://github.com/huggingface/safetensors): eight bytes of header length
// (little-endian), a JSON header, then the tensors' bytes. A file contains only data; nothing in it
// is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// The type of a tensor's elements.
enum class TensorType { kBool, kUint8, kInt32, kInt64, kFloat16, kBfloat16, kFloat32, kFloat64 };
std::string_view TensorTypeName(TensorType type);  // "BOOL", "U8", ..., as in the header
int64_t TensorTypeBytes(TensorType type);          // bytes of one element

// A row-major tensor. `data` is not owned and has exactly the length that type and shape need.
struct TensorView {
  std::string name;
  TensorType type = TensorType::kFloat32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

// Largest sizes of a header and of a whole file, in bytes.
inline constexpr int64_t kMaxSafetensorsHeaderBytes = int64_t{16} << 20;
inline constexpr int64_t kMaxSafetensorsBytes = int64_t{4} << 30;

// A checked, immutable file: names are unique, offsets valid, without gaps and overlaps.
class SafetensorsFile {
 public:
  // Parses a file and takes ownership of `bytes`. Returns kInvalidArgument for a malformed file;
  // errors begin with `name: `. Never allocates by a size that only the header claims.
  static absl::StatusOr<SafetensorsFile> Parse(std::string bytes, std::string_view name);

  const std::vector<TensorView>& tensors() const { return tensors_; }  // in the order of their data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const TensorView* Find(std::string_view name) const;  // null if there is no such tensor

 private:
  SafetensorsFile() = default;

  std::shared_ptr<const std::string> bytes_;  // the memory of the views; shared by copies
  std::vector<TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Returns a file with `tensors` in their order. The tensors' bytes begin at a multiple of 8. Aborts
// if a name repeats or is `__metadata__`, or if a length is wrong.
std::string WriteSafetensors(std::span<const TensorView> tensors,
                             const std::map<std::string, std::string>& metadata = {});

}  // namespace vrp
