#include "core/base/json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace vrp {
namespace {

using nlohmann::json;

// A handler of the parser's events that builds the tree and enforces the limits.
class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view text, std::string_view name, const JsonLimits& limits)
      : text_(text), name_(name), limits_(limits) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t& shown) override {
    if (!std::isfinite(value)) return Refuse(Concat("number ", shown, " is not finite"));
    return Add(value);
  }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return Refuse("binary data"); }
  bool start_object(size_t) override { return OpenContainer(json::object()); }
  bool start_array(size_t) override { return OpenContainer(json::array()); }
  bool end_object() override { return CloseContainer(); }
  bool end_array() override { return CloseContainer(); }

  bool key(string_t& value) override {
    if (open_.back()->contains(value)) {
      return Refuse(Concat("key ", Quoted(value), " appears twice in one object, wanted it once"));
    }
    key_ = std::move(value);
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception& error) override {
    const std::string_view before = text_.substr(0, std::min(position, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    // nlohmann's format is "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    std::string_view what = error.what();
    if (const size_t start = what.find("] "); start != what.npos) what.remove_prefix(start + 2);
    error_ = absl::InvalidArgumentError(Concat(name_, ":", line, ":", before.size() - line_start,
                                               ": invalid JSON: ", Escaped(what.substr(0, 300))));
    return false;
  }

  absl::StatusOr<json> Finish(bool complete) && {
    if (!error_.ok()) return error_;
    if (!complete) return absl::InvalidArgumentError(Concat(name_, ": invalid JSON"));
    return std::move(root_);
  }

 private:
  bool Refuse(std::string_view what) {
    error_ = absl::InvalidArgumentError(Concat(name_, ": ", what));
    return false;
  }

  json* Attach(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    return &((*open_.back())[key_] = std::move(value));
  }

  template <typename T>
  bool Add(T&& value) {
    if (++values_ > limits_.max_values) {
      return Refuse(Concat("more than ", limits_.max_values, " values"));
    }
    Attach(json(std::forward<T>(value)));
    return true;
  }

  bool OpenContainer(json container) {
    if (static_cast<int64_t>(open_.size()) >= limits_.max_depth) {
      return Refuse(Concat("nested deeper than ", limits_.max_depth, " levels"));
    }
    if (++containers_ > limits_.max_containers) {
      return Refuse(Concat("more than ", limits_.max_containers, " arrays and objects"));
    }
    open_.push_back(Attach(std::move(container)));
    return true;
  }

  bool CloseContainer() {
    open_.pop_back();
    return true;
  }

  const std::string_view text_;
  const std::string_view name_;
  const JsonLimits limits_;
  json root_;
  // The containers still open, outermost first. A container is attached before it is filled, and
  // its parent grows only after the container is closed, so the pointers stay valid.
  std::vector<json*> open_;
  std::string key_;
  int64_t values_ = 0;
  int64_t containers_ = 0;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<json> ParseJsonText(std::string_view text, std::string_view name,
                                   const JsonLimits& limits) {
  if (static_cast<int64_t>(text.size()) > limits.max_bytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": ", text.size(), " bytes exceed the limit of ", limits.max_bytes));
  }
  TreeBuilder builder(text, name, limits);
  const bool complete = json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).Finish(complete);
}

}  // namespace vrp
