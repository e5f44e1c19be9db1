#include "client/support/matrix_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace vrp::client {
namespace {

// Maximum number of rows of a matrix, and of numbers in a row.
constexpr size_t kMaxMatrixRows = 5000;
// Maximum number of values in a message of an upload.
constexpr size_t kChunkValues = 100'000;

// A parser that collects the numbers of the two matrices from a JSON stream.
class MatrixHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  absl::Status status() const { return status_; }
  MatrixFile Take() { return std::move(file_); }

  bool null() override { return WrongType("null"); }
  bool boolean(bool) override { return WrongType("a boolean"); }
  bool string(std::string&) override { return WrongType("a string"); }
  bool binary(nlohmann::json::binary_t&) override { return WrongType("bytes"); }
  bool number_integer(int64_t value) override { return Number(static_cast<double>(value)); }
  bool number_unsigned(uint64_t value) override { return Number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return Number(value); }

  bool start_object(size_t) override {
    ++depth_;
    return matrix_ == nullptr || WrongType("an object");
  }
  bool key(std::string& key) override {
    if (depth_ != 1) return true;
    name_ = key;
    row_ = 0;
    matrix_ = key == "distance_matrix"   ? &file_.distances
              : key == "duration_matrix" ? &file_.durations
                                         : nullptr;
    if (matrix_ == nullptr || matrix_->empty()) return true;
    return Fail(absl::StrCat(name_, ": given twice, wanted once"));
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(size_t) override {
    ++depth_;
    if (matrix_ == nullptr) return true;
    if (depth_ == 2) row_ = 0;
    if (depth_ == 3) row_start_ = matrix_->size();
    return depth_ <= 3 || WrongType("an array");
  }
  bool end_array() override {
    --depth_;
    if (matrix_ == nullptr) return true;
    if (depth_ == 2) return EndRow();
    if (depth_ != 1) return true;
    const size_t rows = row_;
    const size_t columns = size_;
    matrix_ = nullptr;
    return rows == columns || Fail(absl::StrCat(name_, ": has ", rows, " rows, wanted ", columns));
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    if (status_.ok()) Fail(absl::StrCat("invalid JSON at byte ", position));
    return false;
  }

 private:
  bool Fail(const std::string& message) {
    status_ = absl::InvalidArgumentError(message);
    return false;
  }
  bool WrongType(const char* got) {
    if (matrix_ == nullptr)
      return depth_ > 0 || Fail(absl::StrCat("got ", got, ", wanted an object"));
    return Fail(absl::StrCat(name_, "[", row_, "]: got ", got, ", wanted rows of numbers"));
  }
  bool Number(double value) {
    if (matrix_ == nullptr || depth_ != 3) return WrongType("a number");
    if (matrix_->size() - row_start_ >= kMaxMatrixRows) {
      return Fail(
          absl::StrCat(name_, "[", row_, "]: got more numbers, wanted at most ", kMaxMatrixRows));
    }
    matrix_->push_back(value);
    return true;
  }
  // Checks that the row is as long as the first row.
  bool EndRow() {
    const size_t length = matrix_->size() - row_start_;
    if (size_ == 0) size_ = length;
    if (length != size_) {
      return Fail(absl::StrCat(name_, "[", row_, "]: has ", length, " numbers, wanted ", size_));
    }
    ++row_;
    return row_ <= size_ || Fail(absl::StrCat(name_, ": got more rows, wanted ", size_));
  }

  MatrixFile file_;
  absl::Status status_;
  std::string name_;
  std::vector<double>* matrix_ = nullptr;  // the current key's matrix; null for other keys
  int depth_ = 0;
  size_t size_ = 0;
  size_t row_ = 0;
  size_t row_start_ = 0;
};

}  // namespace

absl::StatusOr<MatrixFile> ReadMatrixFile(std::istream& stream) {
  MatrixHandler handler;
  nlohmann::json::sax_parse(stream, &handler);
  if (!handler.status().ok()) return handler.status();
  MatrixFile file = handler.Take();
  if (file.distances.empty()) {
    return absl::InvalidArgumentError("distance_matrix: missing, wanted rows of numbers");
  }
  while (static_cast<size_t>(file.size) * static_cast<size_t>(file.size) < file.distances.size()) {
    ++file.size;
  }
  return file;
}

absl::StatusOr<std::optional<v1::UploadMatricesRequest>> MatrixMessages::Next() {
  v1::UploadMatricesRequest message;
  if (!std::exchange(header_sent_, true)) {
    message.mutable_header()->set_size(file_.size);
    message.mutable_header()->set_with_durations(!file_.durations.empty());
    return message;
  }
  const size_t distances = file_.distances.size();
  const std::vector<double>& values = sent_ < distances ? file_.distances : file_.durations;
  const size_t begin = sent_ < distances ? sent_ : sent_ - distances;
  if (begin == values.size()) return std::nullopt;
  const size_t end = std::min(values.size(), begin + kChunkValues);
  message.mutable_chunk()->mutable_values()->Assign(
      values.begin() + static_cast<std::ptrdiff_t>(begin),
      values.begin() + static_cast<std::ptrdiff_t>(end));
  sent_ += end - begin;
  return message;
}

}  // namespace vrp::client
