// The table of vrpd's options. Flags, file keys, help, docs/reference/vrpd-options.md and the
// limits of `server info` come from this table. To add an option, add a member to VrpdOptions and a
// row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/config/vrpd_options.h"

namespace vrp {

// Value of OptionRange::max that stands for the number of hardware threads of vrpd's machine.
inline constexpr int32_t kHardwareThreads = 0;

// The range of an integer option, including both ends.
struct OptionRange {
  int32_t min = 1;
  int32_t max = kHardwareThreads;
};

// The field of vrp.v1.Limits that an option sets, and its units per unit of the option.
struct LimitsField {
  std::string_view name;  // empty if there is none
  int64_t scale = 1;
};

// An option of vrpd.
struct OptionRow {
  using Member = std::variant<bool VrpdOptions::*, int32_t VrpdOptions::*,
                              std::string VrpdOptions::*, std::vector<std::string> VrpdOptions::*,
                              std::vector<RoadNetworkOptions> VrpdOptions::*>;

  std::string_view key;  // key in the file, such as "state_dir" for the flag "--state-dir"
  Member member;
  std::string_view placeholder = {};             // placeholder for the value in the help; the unit
                                                 // of a number
  std::string_view help;                         // an imperative phrase of at most 80 characters
  OptionRange range = {};                        // range of an integer option
  std::span<const std::string_view> words = {};  // allowed values of a text option; empty: any text
  std::string_view default_text = {};            // empty means the value in VrpdOptions()
  LimitsField limit = {};                        // limit that an integer option sets
};

std::span<const OptionRow> OptionTable();

// Returns "--state-dir" for the key "state_dir".
std::string FlagOf(const OptionRow& row);

// Returns the largest allowed value of an integer option on this machine.
int32_t MaxValueOf(const OptionRow& row);

// Returns a phrase such as "1 to 4096" or "text or json"; empty if every value of the type is
// allowed.
std::string AllowedValues(const OptionRow& row);

// Returns the default as help and documentation show it.
std::string DefaultText(const OptionRow& row);

// Returns the value of the option as text. Joins the elements of a list by ", ". Shows only the
// names of road networks.
std::string ValueText(const OptionRow& row, const VrpdOptions& options);

// Copies the value of the option.
void CopyOption(const OptionRow& row, const VrpdOptions& from, VrpdOptions& to);

// Returns the content of docs/reference/vrpd-options.md, which is the same on every machine.
std::string OptionsMarkdown();

}  // namespace vrp
