#include "core/problem/formats/text/text_scanner.h"

#include <algorithm>

#include "core/base/number.h"

namespace vrp {
namespace {

// Lines end with LF (Unix), CR LF (Windows) or CR (old Macs).
constexpr std::string_view kLineBreaks = "\r\n";

bool IsBlank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; }

// Whether `start` looks like two Latin letters in UTF-16.
bool AlternatesWithZeros(std::string_view start) {
  if (start.size() < 4 || (start[0] == '\0') == (start[1] == '\0')) return false;
  return (start[0] == '\0') == (start[2] == '\0') && (start[1] == '\0') == (start[3] == '\0');
}

absl::Status WrongWord(const TextScanner& scanner, std::optional<std::string_view> word,
                       std::string_view section, std::string_view wanted) {
  const std::string got = word.has_value() ? Quoted(*word) : "the end of the text";
  return scanner.Error(section, ": got ", got, ", wanted ", wanted);
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

absl::Status CheckEncoding(std::string_view text, std::string_view name) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (!marked && !AlternatesWithZeros(text.substr(0, 4))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(name, ": is UTF-16 text, wanted UTF-8; convert it with `iconv -f UTF-16 -t UTF-8`"));
}

void TextScanner::SkipBlanks() {
  while (!text_.empty()) {
    if (text_.front() == comment_mark_) {
      text_.remove_prefix(LineLength());
      continue;
    }
    if (!IsBlank(text_.front())) return;
    const bool first_of_two = text_.starts_with("\r\n");
    if (kLineBreaks.find(text_.front()) != kLineBreaks.npos && !first_of_two) ++line_;
    text_.remove_prefix(1);
  }
}

// Searches for LF and CR one after the other, which is several times faster than a search for
// either.
size_t TextScanner::LineLength() {
  if (bytes_from_feed_ > text_.size()) {
    bytes_from_feed_ = text_.size() - std::min(text_.find('\n'), text_.size());
  }
  const size_t length = text_.size() - bytes_from_feed_;
  return std::min(text_.substr(0, length).find('\r'), length);
}

std::optional<std::string_view> TextScanner::NextLine() {
  SkipBlanks();
  if (text_.empty()) return std::nullopt;
  // Does not consume the line break, which SkipBlanks counts.
  const std::string_view line = text_.substr(0, LineLength());
  text_.remove_prefix(line.size());
  return Trimmed(line);
}

std::optional<std::string_view> TextScanner::PeekWord() {
  SkipBlanks();
  if (text_.empty()) return std::nullopt;
  const auto end = std::find_if(text_.begin(), text_.end(), IsBlank);
  return text_.substr(0, static_cast<size_t>(end - text_.begin()));
}

std::optional<std::string_view> TextScanner::NextWord() {
  const std::optional<std::string_view> word = PeekWord();
  if (word.has_value()) text_.remove_prefix(word->size());
  return word;
}

absl::StatusOr<double> TextScanner::NextNumber(std::string_view section, std::string_view what) {
  const std::optional<std::string_view> word = NextWord();
  const std::optional<double> number = word.has_value() ? ParseNumber(*word) : std::nullopt;
  if (number.has_value()) return *number;
  return WrongWord(*this, word, section, Concat("a finite number: ", what));
}

size_t TextScanner::WordsOfNextLine() const {
  TextScanner ahead = *this;
  if (!ahead.PeekWord().has_value()) return 0;
  const int64_t line = ahead.line();
  size_t words = 0;
  while (ahead.PeekWord().has_value() && ahead.line() == line) {
    ahead.NextWord();
    ++words;
  }
  return words;
}

absl::StatusOr<int64_t> TextScanner::NextInteger(std::string_view section, std::string_view what) {
  const std::optional<std::string_view> word = NextWord();
  const std::optional<int64_t> number = word.has_value() ? ParseInteger(*word) : std::nullopt;
  if (number.has_value()) return *number;
  return WrongWord(*this, word, section, Concat("an integer: ", what));
}

}  // namespace vrp
