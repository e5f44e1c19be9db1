// What route stores need to undo changes and to report them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace vrp {

// Copies of the routes that a transaction changes, made before their first change. The copies keep
// their memory for later transactions. Not thread-safe.
template <typename RouteCopy>
class UndoLog {
 public:
  struct Saved {
    int32_t slot = 0;
    RouteCopy copy = {};
  };

  // Starts a transaction and forgets the one before.
  void Begin() {
    is_recording_ = true;
    count_ = 0;
  }
  void Stop() { is_recording_ = false; }

  // Returns the copy of the route in that slot, valid until the next call; null outside a
  // transaction. Calls fill(copy), whose content may be anything, if there is none yet.
  template <typename FillFn>
  RouteCopy* Save(int32_t slot, FillFn fill) {
    if (!is_recording_) return nullptr;
    if (slot >= std::ssize(index_of_)) index_of_.resize(slot + 1);
    size_t& index = index_of_[slot];
    if (index >= count_ || saved_[index].slot != slot) {
      index = count_++;
      if (saved_.size() < count_) saved_.emplace_back();
      saved_[index].slot = slot;
      fill(saved_[index].copy);
    }
    return &saved_[index].copy;
  }

  // The copies of the last transaction in the order in which they were made.
  std::span<Saved> saved() { return {saved_.data(), count_}; }
  std::span<const Saved> saved() const { return {saved_.data(), count_}; }

 private:
  bool is_recording_ = false;
  std::vector<size_t> index_of_;  // by slot: of its last copy among saved_
  std::vector<Saved> saved_;      // the first count_ are in use
  size_t count_ = 0;
};

// Slots whose routes have changed, each once. Not thread-safe.
class ChangedSlots {
 public:
  void Mark(int32_t slot) {
    if (slot >= std::ssize(is_marked_)) is_marked_.resize(slot + 1, 0);
    if (!std::exchange(is_marked_[slot], 1)) slots_.push_back(slot);
  }
  // Returns the slots marked since the last call.
  std::vector<int32_t> Take() {
    for (const int32_t slot : slots_) is_marked_[slot] = 0;
    return std::exchange(slots_, {});
  }

 private:
  std::vector<char> is_marked_;  // by slot
  std::vector<int32_t> slots_;
};

}  // namespace vrp
