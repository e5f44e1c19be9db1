#include "client/support/help_formatter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

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

}  // namespace vrp::client
