// Walks through a text file by lines and by words, and knows where it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/text.h"

namespace vrp {

// The text and the name must outlive the scanner. Any bytes are allowed; NUL and other control
// characters separate words as blanks do. Lines end with LF, CR LF or CR.
class TextScanner {
 public:
  TextScanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  // From now on, what follows a `mark` that begins a line or a word, up to the line's end, is
  // blank.
  void SkipCommentsFrom(char mark) { comment_mark_ = mark; }

  // The next line that is not blank (or the rest of the current one), without blanks at its ends;
  // nullopt at the end.
  std::optional<std::string_view> NextLine();
  // The next word, on whatever line; nullopt at the end.
  std::optional<std::string_view> NextWord();
  // As NextWord, without going past it.
  std::optional<std::string_view> PeekWord();

  // The next word as a finite number, or an error that calls it `what` in `section`.
  absl::StatusOr<double> NextNumber(std::string_view section, std::string_view what);
  absl::StatusOr<int64_t> NextInteger(std::string_view section, std::string_view what);
  // How many words the next line has that is not blank; nothing is read.
  size_t WordsOfNextLine() const;

  // Of what was read last, from 1.
  int64_t line() const { return line_; }

  // kInvalidArgument: `name:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(name_, ":", line_, ": ", parts...));
  }

 private:
  void SkipBlanks();
  // Returns the length of the rest of the line. Amortized O(length).
  size_t LineLength();

  std::string_view text_;  // what is left
  // Bytes from the next LF to the end of the text. It is kept, because a text of CR alone would
  // else be searched to its end at each line. More than the text has: not searched yet.
  size_t bytes_from_feed_ = std::string_view::npos;
  std::string_view name_;
  int64_t line_ = 1;
  std::optional<char> comment_mark_ = {};
};

// `text` without blanks at its ends.
std::string_view Trimmed(std::string_view text);
// With a to z as A to Z.
std::string UpperCase(std::string_view text);
// `text` without the mark of UTF-8 that some editors begin files with.
std::string_view WithoutByteOrderMark(std::string_view text);
// Returns kInvalidArgument if `text` is UTF-16.
absl::Status CheckEncoding(std::string_view text, std::string_view name);

}  // namespace vrp
