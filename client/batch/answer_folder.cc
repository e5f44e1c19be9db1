#include "client/batch/answer_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/support/files.h"

namespace vrp::client {
namespace {

namespace fs = std::filesystem;
using Ledger = nlohmann::ordered_json;

constexpr char kAnotherFolder[] = "; name another folder";

std::string NameOf(const std::string& input) { return fs::path(input).filename().string(); }

absl::Status WrongFolder(const std::string& where, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what, kAnotherFolder));
}

// Checks that each input gets a file of its own in `folder`.
absl::Status CheckNames(const std::string& folder, const std::vector<std::string>& inputs) {
  std::set<std::string> names;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (fs::equivalent(folder,
                       fs::path(input).parent_path().empty() ? "." : fs::path(input).parent_path(),
                       ignored)) {
      return WrongFolder(folder, absl::StrCat("holds the input ", input));
    }
    if (!names.insert(NameOf(input)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(input, ": another input has the name ", NameOf(input),
                       ", under which the answers are written; solve it into another folder"));
    }
  }
  return absl::OkStatus();
}

// Returns the ledger in `folder`; an empty one if there is none.
absl::StatusOr<Ledger> ReadLedger(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Ledger{{"options", nullptr}, {"inputs", Ledger::object()}};
  Ledger ledger = Ledger::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (ledger.is_object() && ledger.contains("options") && ledger.contains("inputs") &&
      ledger["options"].is_string() && ledger["inputs"].is_object()) {
    return ledger;
  }
  return WrongFolder(path, "is damaged");
}

}  // namespace

AnswerFolder::Lock::~Lock() { close(descriptor); }

absl::StatusOr<AnswerFolder> AnswerFolder::Open(const std::string& path,
                                                const std::vector<std::string>& inputs,
                                                const std::string& options) {
  AnswerFolder folder(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(path, ": ", error.message()));
  absl::Status status = CheckNames(path, inputs);
  if (status.ok()) status = folder.TakeLock();
  if (status.ok()) status = folder.Enter(inputs, options);
  if (!status.ok()) return status;
  for (const std::string& input : inputs) {
    absl::StatusOr<AnswerFile> file = AnswerFile::Open(absl::StrCat(path, "/", NameOf(input)));
    if (!file.ok()) return file.status();
    folder.files_.push_back(*std::move(file));
  }
  return folder;
}

absl::Status AnswerFolder::TakeLock() {
  const std::string path = absl::StrCat(path_, "/.lock");
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
  lock_ = std::make_unique<Lock>(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path_, ": another vrpctl writes answers into it; wait for its end, or name another folder"));
}

absl::Status AnswerFolder::Enter(const std::vector<std::string>& inputs,
                                 const std::string& options) {
  const std::string path = absl::StrCat(path_, "/ledger.json");
  absl::StatusOr<Ledger> ledger = ReadLedger(path);
  if (!ledger.ok()) return ledger.status();
  if (!(*ledger)["options"].is_null() && (*ledger)["options"] != options) {
    return WrongFolder(path, absl::StrCat("got the options ", options, ", wanted ",
                                          (*ledger)["options"].get<std::string>(),
                                          ", with which the answers were begun"));
  }
  (*ledger)["options"] = options;
  Ledger& known = (*ledger)["inputs"];
  for (const std::string& input : inputs) {
    const std::string name = NameOf(input);
    std::error_code error;
    const auto bytes = static_cast<int64_t>(fs::file_size(input, error));
    if (error) return absl::InvalidArgumentError(absl::StrCat(input, ": ", error.message()));
    input_bytes_ += bytes;
    if (known.contains(name)) {
      if (known[name] == bytes) continue;
      return WrongFolder(input, absl::StrCat("got ", bytes, " bytes, wanted ", known[name].dump(),
                                             " as when its answers were begun"));
    }
    for (const char* const suffix : {"", ".part"}) {
      const std::string file = absl::StrCat(path_, "/", name, suffix);
      if (fs::exists(file, error)) return WrongFolder(file, "exists, but is not in ledger.json");
    }
    known[name] = bytes;
  }
  return WriteFile(path, absl::StrCat(ledger->dump(1), "\n"));
}

}  // namespace vrp::client
