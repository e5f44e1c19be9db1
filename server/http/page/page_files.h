// The files of the web page, which embed.py compiles into the program.
#pragma once

#include <span>
#include <string_view>

namespace vrp {

struct PageFile {
  std::string_view path;          // "/page/main.js"; "/" is index.html
  std::string_view content_type;  // "text/javascript; charset=utf-8"
  std::string_view etag;          // with its quotes
  std::string_view content;
};

// Returns all files in the order of their paths.
std::span<const PageFile> PageFiles();

}  // namespace vrp
