// The threads that work on one trajectory together, so that one program runs on the CPU and on
// CUDA. A group offers
//   Each(n, f)      f(i) for i = 0 .. n - 1, in any order and by different threads; when it returns
//                   all are done and what they wrote is seen by all
//   Rows(n, f)      f(lanes, row) for row = 0 .. n - 1, each by some of the threads, `lanes`; as
//                   Each
//   Once(f)         f() by one thread; as Each
//   Wait()          when it returns all have called it, and what they wrote before is seen by all
//   Add(to, value)  to += value, where other groups may add to the same
// and lanes offer, each to be called by all of them,
//   Each(n, f), Once(f)
//   Sum(n, f)       the sum of f(i); every f(i) is called once, by the lane that Each gives i to
//   Largest(n, f)   of n >= 1 values
//   First(n, test)  the least i for which test(i), or n
//   Least(n, f)     the smallest of n int32 values and the first i that has it; where all are the
//                   largest int32, that and n
// All threads of a group must come to the same calls: conditions around them may depend only on
// what all threads see alike. None of the calls waits before it begins: what a condition has read
// must not be written before all threads have come to the end of some call behind it.
#pragma once

#include <cstdint>
#include <limits>

// What device code calls carries it: sources for CUDA are compiled with it as __device__.
#ifndef VRP_DEVICE
#define VRP_DEVICE
#endif

namespace vrp {

struct LeastValue {
  int32_t value = std::numeric_limits<int32_t>::max();
  int32_t index = 0;
};

// One thread as a group: what runs on the CPU.
struct SerialGroup {
  template <typename Body>
  void Each(int32_t count, const Body& body) const {
    for (int32_t i = 0; i < count; ++i) body(i);
  }
  template <typename Body>
  void Rows(int32_t count, const Body& body) const {
    for (int32_t row = 0; row < count; ++row) body(*this, row);
  }
  template <typename Body>
  void Once(const Body& body) const {
    body();
  }
  void Wait() const {}
  template <typename T>
  void Add(T& to, T value) const {
    to += value;
  }
  template <typename T, typename Term>
  T Sum(int32_t count, const Term& term) const {
    T sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += term(i);
    return sum;
  }
  template <typename T, typename Value>
  T Largest(int32_t count, const Value& value) const {
    T largest = value(0);
    for (int32_t i = 1; i < count; ++i) {
      const T other = value(i);
      largest = other > largest ? other : largest;
    }
    return largest;
  }
  template <typename Test>
  int32_t First(int32_t count, const Test& test) const {
    int32_t i = 0;
    while (i < count && !test(i)) ++i;
    return i;
  }
  template <typename Value>
  LeastValue Least(int32_t count, const Value& value) const {
    LeastValue least = {.index = count};
    for (int32_t i = 0; i < count; ++i) {
      const int32_t other = value(i);
      if (other < least.value) least = {other, i};
    }
    return least;
  }
};

}  // namespace vrp
