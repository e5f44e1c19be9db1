// Reads instances of any format. Each format's own reader and writer have their own header.
//
// Every reader accepts arbitrary bytes. Malformed text gives kInvalidArgument with `name:line:
// field: got ..., wanted ...`. JSON's errors have a line only for wrong syntax and for numbers
// beyond double's range. If only the validation of the instance fails, the error has one line for
// each wrong field.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"

namespace vrp {

// The format of an instance that is read.
enum class InstanceFormat {
  kAuto,     // detected by content
  kVrplib,   // CVRPLIB and TSPLIB, with LKH's and PyVRP's sections
  kSolomon,  // Solomon, Gehring and Homberger
  kLiLim,    // Li and Lim: pickups and deliveries
  kCordeau,  // Cordeau: VRP and MDVRP, with or without time windows
  kJson,     // our JSON (json_reader.h) or VROOM's input (vroom_input.h), detected by their keys
};

// Reads one instance. `name` is the file's name: errors begin with it, and it names the instance if
// the text does not. `matrices` resolves matrices that our JSON refers to by name.
absl::StatusOr<Instance> ParseInstance(std::string_view text, std::string_view name,
                                       InstanceFormat format = InstanceFormat::kAuto,
                                       const MatrixSource* matrices = nullptr);

// Reads our JSON or VROOM's input: one object, for example a line of a .jsonl file.
absl::StatusOr<Instance> ParseJson(std::string_view text, std::string_view name,
                                   const MatrixSource* matrices = nullptr);

// Whether `text` is an instance in our JSON that refers to the uploaded matrices `name`.
bool RefersToMatrices(std::string_view text, std::string_view name);

}  // namespace vrp
