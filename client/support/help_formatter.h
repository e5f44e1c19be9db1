// Formats help texts that begin with examples.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vrp::client {

// A formatter that shows a command's footer as examples, one per line, before everything else.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  // Sorts the options that an option excludes. CLI11 lists them in the order of their addresses,
  // which may change from run to run.
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace vrp::client
