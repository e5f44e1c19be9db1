// A network's parameters and their gradient, each in one flat span. Optimiser, clipping and
// checkpoint each need only one pass over a span. Needs no torch.
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

// A parameter: its name, its shape and the range of its initial values.
struct ParameterShape {
  std::string name;
  std::vector<int64_t> shape;
  double bound = 0;     // initial values are uniform in [-bound, bound]
  double offset = 0;    // added to the initial values (1 for a norm's scale)
  bool frozen = false;  // whether the gradient stays 0 (running statistics of imported weights)
};

// The offsets of parameters in the flat span. They are in the order of `shapes`, without gaps.
class ParameterLayout {
 public:
  explicit ParameterLayout(std::vector<ParameterShape> shapes);

  std::span<const ParameterShape> shapes() const { return shapes_; }
  int64_t size() const { return size_; }
  // Returns the first element's offset. Aborts if `name` is unknown.
  int64_t Offset(std::string_view name) const;
  static int64_t Elements(const ParameterShape& shape);

 private:
  std::vector<ParameterShape> shapes_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
};

// Returns OK if `file` holds exactly the parameters of `layout`, with their shapes and finite
// values. Otherwise returns kInvalidArgument with the first difference; the text begins with
// `name`.
absl::Status CheckParameters(const ParameterLayout& layout, const SafetensorsFile& file,
                             std::string_view name);

// Returns the pieces that an optimiser updates: all parameters except frozen ones, at most
// `largest` elements each.
std::vector<UpdatePiece> UpdatePieces(const ParameterLayout& layout, int32_t largest);

// A network's parameters on the host. Reading is thread-safe while nothing changes.
class FlatParameters {
 public:
  // Draws initial values from (seed, index of the parameter). They are the same on every machine.
  FlatParameters(ParameterLayout layout, uint64_t seed);

  const ParameterLayout& layout() const { return layout_; }
  int64_t size() const { return layout_.size(); }
  std::span<float> values() { return values_; }
  std::span<const float> values() const { return values_; }
  // Returns the values of one parameter. Aborts if `name` is unknown.
  std::span<const float> Get(std::string_view name) const;
  // Returns the gradient; empty before the first call of TrackGradient.
  std::span<float> gradient() { return gradient_; }
  std::span<const float> gradient() const { return gradient_; }
  // Allocates the gradient and sets it to 0.
  void TrackGradient();

  // Returns the parameters as float32 safetensors under their names.
  std::string Save() const { return Save(values()); }
  // Returns safetensors of other values of this network's parameters, [size].
  std::string Save(std::span<const float> values) const;
  // Loads all values. Returns the errors of CheckParameters; nothing has changed then.
  absl::Status Load(const SafetensorsFile& file, std::string_view name);

 private:
  ParameterLayout layout_;
  std::vector<float> values_;
  std::vector<float> gradient_;
};

}  // namespace vrp
