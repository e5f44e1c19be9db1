// A network's parameters and their gradient, each one flat span, so that optimiser, clipping and
// checkpoint are one pass. No torch here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/kernels/optimiser/adamw.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

struct ParameterShape {
  std::string name;
  std::vector<int64_t> shape;
  double bound = 0;     // drawn from [-bound, bound] at first
  double offset = 0;    // and moved by this (1 for a norm's scale)
  bool frozen = false;  // its gradient stays 0 (running statistics of imported weights)
};

// Where each parameter lies in the flat span: in the order of `shapes`, without gaps.
class ParameterLayout {
 public:
  explicit ParameterLayout(std::vector<ParameterShape> shapes);

  std::span<const ParameterShape> shapes() const { return shapes_; }
  int64_t size() const { return size_; }
  // First element of `name`; aborts for a name that is not there.
  int64_t Offset(std::string_view name) const;
  static int64_t Elements(const ParameterShape& shape);

 private:
  std::vector<ParameterShape> shapes_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
};

// OK where `file` holds every parameter of `layout` with its shape and finite values, and nothing
// else; kInvalidArgument, with `name` in front, says what differs.
absl::Status CheckParameters(const ParameterLayout& layout, const SafetensorsFile& file,
                             std::string_view name);

// What an optimiser updates: all but the frozen ones, at most `largest` elements each.
std::vector<UpdatePiece> UpdatePieces(const ParameterLayout& layout, int32_t largest);

// Not thread-safe while parameters change; reading is.
class FlatParameters {
 public:
  // Drawn from (seed, parameter's place) by counters: the same on every machine.
  FlatParameters(ParameterLayout layout, uint64_t seed);

  const ParameterLayout& layout() const { return layout_; }
  int64_t size() const { return layout_.size(); }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }
  std::span<const float> Get(std::string_view name) const;
  // Empty before the first call of TrackGradient.
  std::span<float> gradient() { return gradient_; }
  std::span<const float> gradient() const { return gradient_; }
  void TrackGradient();

  // float32 safetensors under the parameters' names.
  std::string Save() const { return Save(values()); }
  // Other values of the same network's parameters ([size]).
  std::string Save(std::span<const float> values) const;
  // Errors as of CheckParameters; on failure nothing has changed.
  absl::Status Load(const SafetensorsFile& file, std::string_view name);

 private:
  ParameterLayout layout_;
  std::vector<float> values_;
  std::vector<float> gradient_;
};

}  // namespace vrp
