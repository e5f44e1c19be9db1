// Where tests find their files.
#pragma once

#include <string>
#include <string_view>

namespace vrp::test {

// The path of a file in tests/data. CTest runs tests in the root of the repository and sets
// VRP_SOURCE_DIR.
std::string DataPath(std::string_view name);
// The text of that file; aborts when it cannot be read.
std::string ReadData(std::string_view name);

// A new empty folder for this test, removed with its content when the object goes.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace vrp::test
