// The safetensors format (https://github.com/huggingface/safetensors): eight bytes of header length
// (little-endian), a JSON header, then the tensors' bytes. Holds data only: nothing in a file is
// run.
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

enum class TensorType { kBool, kUint8, kInt32, kInt64, kFloat16, kBfloat16, kFloat32, kFloat64 };
std::string_view TensorTypeName(TensorType type);  // "BOOL", "U8", ..., as in the header
int64_t TensorTypeBytes(TensorType type);          // of one element

// Row-major. `data` belongs to someone else and is exactly as long as type and shape say.
struct TensorView {
  std::string name;
  TensorType type = TensorType::kFloat32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

inline constexpr int64_t kMaxSafetensorsHeaderBytes = int64_t{16} << 20;
inline constexpr int64_t kMaxSafetensorsBytes = int64_t{4} << 30;

// A checked file: every name once, every offset in range, no gap and no overlap. Immutable.
class SafetensorsFile {
 public:
  // Takes `bytes` over. kInvalidArgument with `name: what, got, wanted`; nothing is allocated by a
  // size that the file claims but does not have.
  static absl::StatusOr<SafetensorsFile> Parse(std::string bytes, std::string_view name);

  const std::vector<TensorView>& tensors() const { return tensors_; }  // in the order of the data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const TensorView* Find(std::string_view name) const;  // null: no such tensor

 private:
  SafetensorsFile() = default;

  std::shared_ptr<const std::string> bytes_;  // where the views point; copies share it
  std::vector<TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

// The file's bytes; tensors in the order given, data aligned to 8 bytes. Names must be unique and
// lengths right (checked: aborts).
std::string WriteSafetensors(std::span<const TensorView> tensors,
                             const std::map<std::string, std::string>& metadata = {});

}  // namespace vrp
