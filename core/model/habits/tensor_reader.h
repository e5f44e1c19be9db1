// Reads and writes the tensors of habit models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/base/text.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// Texts one after the other, and where each ends.
struct JoinedTexts {
  std::string text = {};
  std::vector<int64_t> ends = {};
};

inline JoinedTexts Join(const std::vector<std::string>& texts) {
  JoinedTexts joined;
  for (const std::string& text : texts) {
    joined.text += text;
    joined.ends.push_back(static_cast<int64_t>(joined.text.size()));
  }
  return joined;
}

template <typename T>
std::span<const std::byte> BytesOf(const T& values) {
  return std::as_bytes(std::span(values.data(), values.size()));
}

// Reads tensors and keeps the first error.
class TensorReader {
 public:
  TensorReader(const SafetensorsFile& file, std::string_view name) : file_(file), name_(name) {}

  // Reads a tensor with rows of `width` elements (1: no second extent), `rows` of them unless it is
  // -1.
  template <typename T>
  std::vector<T> Read(const char* tensor, TensorType type, int64_t rows = -1, int64_t width = 1) {
    const TensorView* const view = file_.Find(tensor);
    const bool known =
        view != nullptr && view->type == type && view->shape.size() == (width == 1 ? 1u : 2u) &&
        (width == 1 || view->shape[1] == width) && (rows < 0 || view->shape[0] == rows);
    Require(known, Concat(tensor, " is absent or has another type or shape"));
    std::vector<T> values;
    if (!known) return values;
    values.resize(view->data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), view->data.data(), view->data.size());
    return values;
  }
  std::vector<std::string> ReadTexts(const char* text_name, const char* ends_name) {
    const std::vector<char> text = Read<char>(text_name, TensorType::kUint8);
    const auto ends = Read<int64_t>(ends_name, TensorType::kInt64);
    std::vector<std::string> texts;
    std::set<std::string_view> known;
    int64_t begin = 0;
    for (const int64_t end : ends) {
      Require(end > begin && end <= std::ssize(text), Concat(ends_name, " is damaged"));
      if (!status_.ok()) return {};
      texts.emplace_back(text.data() + begin, static_cast<size_t>(end - begin));
      begin = end;
    }
    for (const std::string& one : texts) {
      Require(IsPrintableUtf8(one) && known.insert(one).second, Concat(text_name, " is damaged"));
    }
    return texts;
  }
  void Require(bool holds, std::string_view problem) {
    if (!holds && status_.ok()) status_ = absl::DataLossError(Concat(name_, ": ", problem));
  }
  const absl::Status& status() const { return status_; }

 private:
  const SafetensorsFile& file_;
  const std::string_view name_;
  absl::Status status_;
};

}  // namespace vrp
