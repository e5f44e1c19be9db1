// --help that begins with what people look for: examples.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vrp::client {

// Takes a command's footer for its examples, a line each.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace vrp::client
