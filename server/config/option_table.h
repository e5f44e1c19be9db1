// The table of vrpd's options. Flags, file keys, help, docs/vrpd-options.md and the limits of
// `server info` come from it: a new option is a member of VrpdOptions and a row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/config/vrpd_options.h"

namespace vrp {

// Means, as OptionRange::most, the number of hardware threads of the machine that vrpd runs on.
inline constexpr int32_t kThreadsOfMachine = 0;

// The allowed values of an integer option, including both ends.
struct OptionRange {
  int32_t least = 1;
  int32_t most = kThreadsOfMachine;
};

// The field of vrp.v1.Limits that an option sets, and its units per unit of the option.
struct LimitsField {
  std::string_view name;  // empty: none
  int64_t scale = 1;
};

// An option of vrpd.
struct OptionRow {
  using Member = std::variant<bool VrpdOptions::*, int32_t VrpdOptions::*,
                              std::string VrpdOptions::*, std::vector<std::string> VrpdOptions::*>;

  std::string_view key;  // in the file: "state_dir"; the flag is "--state-dir"
  Member member;
  std::string_view placeholder = {};             // of the value in the help; of a number: its unit
  std::string_view help;                         // an imperative phrase of at most 80 characters
  OptionRange range = {};                        // of an integer
  std::span<const std::string_view> words = {};  // allowed texts; empty: any
  std::string_view default_text = {};            // empty: the value in VrpdOptions()
  LimitsField limit = {};                        // of an integer
};

std::span<const OptionRow> OptionTable();

// Returns "--state-dir" for the key "state_dir".
std::string FlagOf(const OptionRow& row);

// Returns the largest allowed value of an integer option on this machine.
int32_t MostOf(const OptionRow& row);

// Returns "1 to 4096" or "text or json"; empty if every value of the type is allowed.
std::string AllowedValues(const OptionRow& row);

// Returns the default as help and documentation show it.
std::string DefaultText(const OptionRow& row);

// Copies the value of the option.
void CopyOption(const OptionRow& row, const VrpdOptions& from, VrpdOptions& to);

// Returns docs/vrpd-options.md, which is the same on every machine.
std::string OptionsMarkdown();

}  // namespace vrp
