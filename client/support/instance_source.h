// The instances of a file, one after the other.
#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/support/instance_flags.h"
#include "vrp/v1/instance.pb.h"

namespace vrp::client {

// One instance, or the lines of a .jsonl file, which is read line by line and never held as a
// whole. Standard input
// ("-") is taken for lines when its first line is a whole JSON object and another follows.
class InstanceSource {
 public:
  // Opens the file at `path`; "-" is `standard_input`. `flags.format` may also be "jsonl".
  // kInvalidArgument: the file cannot be read, or a flag's word is none.
  static absl::StatusOr<InstanceSource> Open(const std::string& path, const InstanceFlags& flags,
                                             std::istream& standard_input);

  // Whether a summary makes sense: many instances.
  bool is_lines() const { return is_lines_; }
  // The next instance; nothing at the end. After an error of one line the next call goes on with
  // the line after it.
  absl::StatusOr<std::optional<v1::InstanceFile>> Next();
  // Where the last instance came from: "city.vrp", "set.jsonl:17".
  const std::string& where() const { return where_; }

 private:
  InstanceSource() = default;

  v1::InstanceFile MakeFile(std::string_view name, std::string content) const;
  absl::StatusOr<std::optional<v1::InstanceFile>> NextLine();
  // The next line, bounded; nothing at the end.
  absl::StatusOr<std::optional<std::string>> ReadLine();

  std::string path_;
  std::string where_;
  v1::InstanceFile empty_;  // each instance's file, but for its name and content
  bool is_lines_ = false;
  std::unique_ptr<std::istream> owned_;
  std::istream* stream_ = nullptr;
  std::optional<std::string> pending_;  // read already
  int64_t line_number_ = 0;
  bool done_ = false;
};

}  // namespace vrp::client
