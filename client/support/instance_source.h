// Reads the instances of a file one after the other.
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

// A source of the instances of a file: one, or one per line of a .jsonl file, which is read line by
// line. With format "auto", reads standard input ("-") as .jsonl if its first line is a complete
// JSON object and more text follows.
class InstanceSource {
 public:
  // Opens the file at `path`; "-" means `standard_input`. `flags.format` may also be "jsonl".
  // Returns kInvalidArgument if the file cannot be read or a flag has an unknown value.
  static absl::StatusOr<InstanceSource> Open(const std::string& path, const InstanceFlags& flags,
                                             std::istream& standard_input);

  // Whether the source has one instance per line.
  bool is_json_lines() const { return is_json_lines_; }
  // Returns the next instance; nullopt at the end. Returns kInvalidArgument for an instance that is
  // unreadable or has more than kMaxInputBytes. After an error in a line, the next call continues
  // with the following line.
  absl::StatusOr<std::optional<v1::InstanceFile>> Next();
  // Returns the location of the last instance, such as "city.vrp" or "set.jsonl:17".
  const std::string& where() const { return where_; }
  // Returns the number of the last line, from 1, and the number of bytes read so far.
  int64_t line_number() const { return line_number_; }
  int64_t bytes_read() const { return bytes_read_; }
  // Skips the next `count` lines.
  void SkipLines(int64_t count);

 private:
  InstanceSource() = default;

  v1::InstanceFile MakeFile(std::string_view name, std::string content) const;
  absl::StatusOr<std::optional<v1::InstanceFile>> NextLine();
  // Returns the next line; nullopt at the end. Returns kInvalidArgument above kMaxInputBytes.
  absl::StatusOr<std::optional<std::string>> ReadLine();

  std::string path_;
  std::string where_;
  v1::InstanceFile empty_;  // template of each instance's file, without name and content
  bool is_json_lines_ = false;
  std::unique_ptr<std::istream> owned_;
  std::istream* stream_ = nullptr;
  std::optional<std::string> pending_;  // a line that was read ahead
  int64_t line_number_ = 0;
  int64_t bytes_read_ = 0;
  bool done_ = false;
};

}  // namespace vrp::client
