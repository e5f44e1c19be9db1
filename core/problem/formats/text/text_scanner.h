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
// and other control characters separate words like blanks. Lines end with LF, CR LF or CR.
class TextScanner {
 public:
  TextScanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  // Makes later calls skip comments, which extend from a `mark` to the line's end. The mark must
  // begin a word, or for NextLine the rest of the line.
  void SkipCommentsFrom(char mark) { comment_mark_ = mark; }

  // Returns the rest of the current line without blanks at its ends. If the rest is blank, returns
  // the next line that is not blank. Returns nullopt at the end of the text.
  std::optional<std::string_view> NextLine();
  // Returns the next word, on this line or a later one; nullopt at the end of the text.
  std::optional<std::string_view> NextWord();
  // Returns the next word without consuming it.
  std::optional<std::string_view> PeekWord();

  // Returns the next word as a finite number. Errors describe the word as `what` in `section`.
  absl::StatusOr<double> NextNumber(std::string_view section, std::string_view what);
  // Returns the next word as an integer. Errors describe the word as `what` in `section`.
  absl::StatusOr<int64_t> NextInteger(std::string_view section, std::string_view what);
  // Returns the number of words of the next line that is not blank, without consuming it.
  size_t WordsOfNextLine() const;

  // Returns the line of the last word or line that was read or peeked at, counted from 1.
  int64_t line() const { return line_; }

  // Returns kInvalidArgument with the text `name:line: parts`.
  template <typename... Parts>
  absl::Status Error(const Parts&... parts) const {
    return absl::InvalidArgumentError(Concat(name_, ":", line_, ": ", parts...));
  }

 private:
  void SkipBlanks();
  // Returns the length of the rest of the line. Amortized O(length).
  size_t LineLength();

  std::string_view text_;  // not read yet
  // Number of bytes from the next LF to the end of the text. A value larger than the text means
  // that the LF is not known yet. Stored because otherwise each line of a text without LF would be
  // searched to the text's end.
  size_t bytes_from_feed_ = std::string_view::npos;
  std::string_view name_;
  int64_t line_ = 1;
  std::optional<char> comment_mark_ = {};
};

// Returns `text` without blanks at its ends.
std::string_view Trimmed(std::string_view text);
// Returns `text` with the letters a to z in upper case.
std::string UpperCase(std::string_view text);
// Returns `text` without the UTF-8 byte order mark that some editors write.
std::string_view WithoutByteOrderMark(std::string_view text);
// Returns kInvalidArgument if `text` begins like UTF-16.
absl::Status CheckEncoding(std::string_view text, std::string_view name);

}  // namespace vrp
