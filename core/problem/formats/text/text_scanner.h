// Reads a text by lines and words, and counts lines for errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/text.h"

namespace vrp {

// A position in a text. The text and the name must outlive the scanner. All bytes are allowed; NUL
// and other control characters separate words as blanks do. Lines end with LF, CR LF or CR.
class TextScanner {
 public:
  TextScanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  // From now on skips comments: from a `mark` that begins a line or a word to the line's end.
  void SkipCommentsFrom(char mark) { comment_mark_ = mark; }

  // Returns the rest of the current line, or the next line, that is not blank, without blanks at
  // its ends; nullopt at the end of the text.
  std::optional<std::string_view> NextLine();
  // Returns the next word, on any line; nullopt at the end of the text.
  std::optional<std::string_view> NextWord();
  // Returns the next word without going past it.
  std::optional<std::string_view> PeekWord();

  // Return the next word as a finite number or an integer. Errors call it `what` in `section`.
  absl::StatusOr<double> NextNumber(std::string_view section, std::string_view what);
  absl::StatusOr<int64_t> NextInteger(std::string_view section, std::string_view what);
  // Returns the number of words of the next line that is not blank, without going past it.
  size_t WordsOfNextLine() const;

  // The line of the last word that was read, from 1.
  int64_t line() const { return line_; }

  // Returns kInvalidArgument: `name:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(name_, ":", line_, ": ", parts...));
  }

 private:
  void SkipBlanks();
  // Returns the length of the rest of the line. Amortized O(length).
  size_t LineLength();

  std::string_view text_;  // not read yet
  // Bytes from the next LF to the end of the text; more than the text has: not searched yet. Kept,
  // because a text without LF would else be searched to its end at each line.
  size_t bytes_from_feed_ = std::string_view::npos;
  std::string_view name_;
  int64_t line_ = 1;
  std::optional<char> comment_mark_ = {};
};

// Returns `text` without blanks at its ends.
std::string_view Trimmed(std::string_view text);
// Returns `text` with a to z as A to Z.
std::string UpperCase(std::string_view text);
// Returns `text` without the UTF-8 byte order mark that some editors write.
std::string_view WithoutByteOrderMark(std::string_view text);
// Returns kInvalidArgument if `text` is UTF-16.
absl::Status CheckEncoding(std::string_view text, std::string_view name);

}  // namespace vrp
