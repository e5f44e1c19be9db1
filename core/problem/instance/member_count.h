// Counts the members of an aggregate, to detect members that a list of fields lacks.
#pragma once

#include <cstddef>
#include <utility>

namespace vrp {
namespace member_count_internal {

// A placeholder for a member of any type.
struct ConvertsToAnything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): never defined, never called
};

template <typename Aggregate, size_t... kIndices>
constexpr bool Accepts(std::index_sequence<kIndices...> /*indices*/) {
  return requires { Aggregate{((void)kIndices, ConvertsToAnything{})...}; };
}

}  // namespace member_count_internal

// Returns the number of data members of `Aggregate`, which has neither bases nor arrays.
template <typename Aggregate, size_t kCount = 0>
constexpr size_t MemberCount() {
  using member_count_internal::Accepts;
  if constexpr (Accepts<Aggregate>(std::make_index_sequence<kCount + 1>())) {
    return MemberCount<Aggregate, kCount + 1>();
  } else {
    return kCount;
  }
}

}  // namespace vrp
