// Returns the paths of the files that tests read and write.
#pragma once

#include <string>
#include <string_view>

namespace vrp::test {

// Returns the path of a file in tests/data. CTest runs tests in the root of the repository and sets
// VRP_SOURCE_DIR.
std::string DataPath(std::string_view name);
// Returns the text of a file in tests/data. Aborts if the file cannot be read.
std::string ReadData(std::string_view name);

// A new empty folder for a test. The destructor removes it with its content.
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
