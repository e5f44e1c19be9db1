#include "client/support/help_formatter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace vrp::client {

HelpFormatter::HelpFormatter() {
  column_width(34);
  label("REQUIRED", "(required)");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
  std::string help;
  if (!app->get_footer().empty()) {
    help = absl::StrCat("Examples:\n  ", absl::StrReplaceAll(app->get_footer(), {{"\n", "\n  "}}),
                        "\n\n");
  }
  return absl::StrCat(help, make_description(app), make_usage(app, std::move(name)),
                      make_positionals(app), make_groups(app, mode), make_subcommands(app, mode));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string text = CLI::Formatter::make_option_opts(option);
  const std::string label = absl::StrCat(" ", get_label("Excludes"), ": ");
  const size_t found = text.find(label);
  if (found == std::string::npos) return text;
  const size_t names_begin = found + label.size();
  std::vector<std::string> names = absl::StrSplit(text.substr(names_begin), ' ');
  std::ranges::sort(names);
  return absl::StrCat(text.substr(0, names_begin), absl::StrJoin(names, " "));
}

}  // namespace vrp::client
