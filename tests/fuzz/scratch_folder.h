// Provides a folder for files that a parser opens by name.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace vrp::fuzz {

// Returns a folder of this process, in memory if possible. The first call creates the folder.
inline const std::filesystem::path& ScratchFolder() {
  static const std::filesystem::path folder = [] {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    std::string path = memory ? "/dev/shm/vrp-fuzz-XXXXXX" : "/tmp/vrp-fuzz-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) std::abort();
    std::atexit([] { std::filesystem::remove_all(ScratchFolder()); });
    return std::filesystem::path(path);
  }();
  return folder;
}

// Writes a file below ScratchFolder() and returns its path.
inline std::string WriteScratch(const std::string& name, std::string_view content) {
  const std::filesystem::path path = ScratchFolder() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(content.data(), static_cast<std::streamsize>(content.size()));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

}  // namespace vrp::fuzz
