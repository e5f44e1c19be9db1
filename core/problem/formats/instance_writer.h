// Instances as files of the field's formats. What makes a plan feasible or costs something is
// either in the text or refused by the field's name; a name and a reference cost, which do not, are
// left out where a format has no place for them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/problem/formats/vrplib/vrplib_form.h"
#include "core/problem/instance/instance.h"

namespace vrp {

enum class WrittenFormat {
  kVrplib,   // CVRPLIB, with PyVRP's and LKH's sections
  kTsplib,   // of a TSP
  kSolomon,  // a VRPTW with distances cut to one decimal
  kVroom,    // whole numbers
  kJson,     // ours: everything
};

struct WriteOptions {
  WrittenFormat format = WrittenFormat::kJson;
  // Ids that the format has no place for are left out; else they are refused.
  bool renumber = false;
};

// The text reads back to the same problem. Where there is no other way, distances that the format's
// rule would round become a matrix, an unlimited fleet one vehicle for each customer, a capacity
// without limit more than there is to carry, and skills the customers that each vehicle may serve.
// kUnimplemented: `customers[3].prize: 5, which CVRPLIB's format cannot say`.
absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options);

// Parts of WriteInstance. Text that may say less than the instance does; WriteInstance compares.
absl::StatusOr<std::string> WriteVrplib(const VrplibForm& form);
std::string WriteSolomon(const InstanceData& data);
absl::StatusOr<std::string> WriteVroom(const Instance& instance);

}  // namespace vrp
