#include "client/output/svg_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/support/text.h"

namespace vrp::client {

std::string SvgEscaped(std::string_view text) {
  std::string clean = ToValidUtf8(text);
  // Removes the control characters that XML 1.0 forbids.
  clean.erase(std::remove_if(
                  clean.begin(), clean.end(),
                  [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; }),
              clean.end());
  return absl::StrReplaceAll(
      clean, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&apos;"}});
}

std::string SvgShortened(const std::string& text, size_t max_length) {
  if (text.size() <= max_length) return text;
  return absl::StrCat(ToValidUtf8(text.substr(0, max_length - 3)), "...");
}

std::string SvgHeader(double width, double height, std::string_view title) {
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                                      "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                                      "font-family=\"sans-serif\">\n",
                                      width, height, width, height),
                      "<title>", SvgEscaped(title),
                      "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
}

}  // namespace vrp::client
