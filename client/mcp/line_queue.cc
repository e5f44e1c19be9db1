#include "client/mcp/line_queue.h"

#include <utility>

namespace vrp::client::mcp {
namespace {

// Maximum number of lines in the queue. Each line may have the maximum size. While the queue is
// full, the reading thread holds one line more.
constexpr size_t kMaxQueuedLines = 4;

}  // namespace

void LineQueue::ReadAll(std::istream& in) {
  while (std::optional<Line> line = ReadLine(in)) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || lines_.size() < kMaxQueuedLines; });
    if (closed_) return;
    lines_.push_back(*std::move(line));
    changed_.notify_all();
  }
  End();
}

std::optional<Line> LineQueue::ReadLine(std::istream& in) const {
  Line line;
  std::streambuf& buffer = *in.rdbuf();
  int c = buffer.sbumpc();
  if (c == EOF) return std::nullopt;
  for (; c != EOF && c != '\n'; c = buffer.sbumpc()) {
    if (static_cast<int64_t>(line.text.size()) >= max_bytes_) line.too_long = true;
    if (!line.too_long) line.text += static_cast<char>(c);
  }
  if (line.too_long) line.text.clear();
  return line;
}

std::optional<Line> LineQueue::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || ended_ || !lines_.empty(); });
  if (closed_ || lines_.empty()) return std::nullopt;
  Line line = std::move(lines_.front());
  lines_.pop_front();
  changed_.notify_all();
  return line;
}

void LineQueue::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void LineQueue::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  lines_.clear();
  changed_.notify_all();
}

}  // namespace vrp::client::mcp
