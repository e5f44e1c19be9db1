#include "core/train/config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

constexpr size_t kMaxDepth = 8;     // levels of maps and sequences
constexpr int kMaxValues = 10'000;  // nodes of the tree
constexpr char kNoAnchors[] = "anchors and aliases are not supported; write the value itself";
constexpr char kTextKeys[] = "a key must be text, not a list, a mapping or null";

// An exception that ends yaml-cpp's parser at the first error. ParseYamlTree catches it.
struct ParseRefusal : std::exception {
  ParseRefusal(const YAML::Mark& mark, std::string why)
      : line(mark.line + 1), text(std::move(why)) {}
  int line;
  std::string text;
};

// A builder of the tree from the parser's events. yaml-cpp's own nodes are not used, because they
// accept aliases and have no limits.
class TreeBuilder final : public YAML::EventHandler {
 public:
  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckNoAnchor(mark, anchor);
    // The parser is already at the next token, so an absent value gets the line of its key.
    const bool value = !levels_.empty() && !levels_.back().wants_key;
    YAML::Mark position = mark;
    if (value && levels_.back().key_line > 0) position.line = levels_.back().key_line - 1;
    Add(position, YamlNode{});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw ParseRefusal(mark, kNoAnchors);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    CheckNoAnchor(mark, anchor);
    if (tag != "?" && tag != "!" && !tag.empty())
      throw ParseRefusal(mark, "tags are not supported; remove the word that begins with !");
    YamlNode node;
    node.kind = YamlKind::kScalar;
    node.quoted = tag == "!";
    node.text = value;
    Add(mark, std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, YamlKind::kSequence);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, YamlKind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  // A map or a sequence that is not closed yet.
  struct Level {
    YamlNode node;
    bool wants_key = false;
    int32_t key_line = 0;  // line of the last key
  };

  static void CheckNoAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) throw ParseRefusal(mark, kNoAnchors);
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, YamlKind kind) {
    CheckNoAnchor(mark, anchor);
    if (levels_.size() >= kMaxDepth)
      throw ParseRefusal(mark, Concat("nested deeper than ", kMaxDepth, " levels"));
    if (!levels_.empty() && levels_.back().wants_key) throw ParseRefusal(mark, kTextKeys);
    Level level;
    level.node.kind = kind;
    level.node.line = mark.line + 1;
    level.wants_key = kind == YamlKind::kMap;
    levels_.push_back(std::move(level));
  }

  void Close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    Place(std::move(node));
  }

  void Add(const YAML::Mark& mark, YamlNode node) {
    node.line = mark.line + 1;
    if (levels_.empty() || !levels_.back().wants_key) return Place(std::move(node));
    std::vector<std::string>& keys = levels_.back().node.keys;
    if (node.kind != YamlKind::kScalar) throw ParseRefusal(mark, kTextKeys);
    if (std::find(keys.begin(), keys.end(), node.text) != keys.end()) {
      throw ParseRefusal(mark, Concat("the key ", Quoted(node.text), " appears twice; remove one"));
    }
    keys.push_back(std::move(node.text));
    levels_.back().wants_key = false;
    levels_.back().key_line = mark.line + 1;
  }

  void Place(YamlNode node) {
    if (++nodes_ > kMaxValues) {
      throw ParseRefusal(YAML::Mark::null_mark(),
                         Concat("has more than ", kMaxValues, " values, the limit of a YAML text"));
    }
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& parent = levels_.back();
    parent.wants_key = parent.node.kind == YamlKind::kMap;
    parent.node.children.push_back(std::move(node));
  }

  YamlNode root_;
  std::vector<Level> levels_;
  int nodes_ = 0;
};

absl::Status CheckText(std::string_view text, std::string_view name) {
  if (text.size() > kMaxYamlBytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": got ", text.size(), " bytes, wanted at most ", kMaxYamlBytes));
  }
  int line = 1;
  std::string printable;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (control && c != '\n' && c != '\t' && c != '\r') {
      return absl::InvalidArgumentError(
          Concat(name, ":", line, ": got a control character; remove it"));
    }
    if (!control) printable.push_back(c);
  }
  if (IsPrintableUtf8(printable)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(name, ": got bytes that are not printable UTF-8; save the file as UTF-8"));
}

}  // namespace

std::string YamlNode::Shown() const {
  switch (kind) {
    case YamlKind::kNull:
      return "nothing";
    case YamlKind::kScalar:
      return Quoted(text);
    case YamlKind::kSequence:
      return "a list";
    case YamlKind::kMap:
      return "a mapping";
  }
  return "";
}

absl::StatusOr<YamlNode> ParseYamlTree(std::string_view text, std::string_view name) {
  if (absl::Status status = CheckText(text, name); !status.ok()) return status;
  const auto refuse = [&](int line, std::string_view why) {
    return absl::InvalidArgumentError(Concat(name, ":", std::max(1, line), ": ", why));
  };
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree;
    if (!parser.HandleNextDocument(tree)) return YamlNode{};
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      return refuse(1, "got more than one document; remove all but one");
    return tree.TakeRoot();
  } catch (const ParseRefusal& refused) {
    return refuse(refused.line, refused.text);
  } catch (const YAML::Exception& error) {
    return refuse(error.mark.line + 1, error.msg);
  } catch (const std::exception& error) {
    return refuse(1, error.what());
  }
}

}  // namespace vrp
