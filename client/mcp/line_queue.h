// Reads the lines of standard input in a thread of its own, so that a signal can end the server.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <istream>
#include <mutex>
#include <optional>
#include <string>

namespace vrp::client::mcp {

// A line of input. A line above the queue's bound has no text.
struct Line {
  std::string text = {};
  bool too_long = false;  // whether the line is above the bound
};

// A queue of lines from one reading thread to one handling thread. Thread-safe.
class LineQueue {
 public:
  // Creates a queue of lines of at most `max_bytes`.
  explicit LineQueue(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Adds each line of `in` and ends the queue at the end of `in`. Returns early after Close. Blocks
  // for input, and while the queue is full.
  void ReadAll(std::istream& in);
  // Blocks until there is a line. Returns nullopt after Close, and after the last line.
  std::optional<Line> Next();
  // Drops all lines and ends the queue.
  void Close();

 private:
  // Returns nullopt at the end of `in`.
  std::optional<Line> ReadLine(std::istream& in) const;
  void End();

  const int64_t max_bytes_;
  // Mutex of the standard library, as in Interrupt.
  std::mutex mutex_;  // guards all further fields
  std::condition_variable changed_;
  std::deque<Line> lines_;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace vrp::client::mcp
