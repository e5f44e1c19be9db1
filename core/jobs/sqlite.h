// A thin RAII layer over SQLite. Every error becomes a Status that names the file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace vrp {

class Database;

// Bytes that are stored unchanged.
struct Blob {
  std::string_view bytes;
};

// One execution of a prepared statement. The destructor returns the statement to its database. Not
// thread-safe.
class Query {
 public:
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  ~Query();

  // Binds values to the question marks, in order: integers, texts, blobs, or optionals of them
  // (nullopt is NULL).
  template <typename... Values>
  absl::Status Bind(const Values&... values) {
    int position = 0;
    absl::Status status;
    (status.Update(BindOne(++position, values)), ...);
    return status;
  }
  // Steps to the next row. Returns false if there is none.
  absl::StatusOr<bool> Next();
  // Runs a statement without rows.
  absl::Status Run();

  // Returns a value of the current row. Columns count from 0.
  int64_t Integer(int column) const;
  std::string Text(int column) const;
  std::string Bytes(int column) const;
  std::optional<int64_t> OptionalInteger(int column) const;
  std::optional<std::string> OptionalText(int column) const;

 private:
  friend class Database;
  Query(Database& database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}

  absl::Status BindOne(int position, int64_t value);
  absl::Status BindOne(int position, std::string_view value);
  absl::Status BindOne(int position, Blob value);
  template <typename T>
  absl::Status BindOne(int position, const std::optional<T>& value) {
    return value.has_value() ? BindOne(position, *value) : BindNull(position);
  }
  absl::Status BindNull(int position);

  Database& database_;
  sqlite3_stmt* statement_;
};

// The durability of a commit. In WAL mode, no commit is lost when the process crashes. Only kFull
// commits also survive a power failure.
enum class Durability { kFull, kNormal };

// One connection to a database. Not thread-safe: callers hold a lock. Errors: kResourceExhausted
// (disk full), kFailedPrecondition (cannot be opened or written), kDataLoss (corrupt, with the
// remedy), kAlreadyExists (violated constraint), kUnavailable (I/O, busy), kInternal (others).
class Database {
 public:
  // Opens the file in WAL mode. Creates the file (mode 0600) if it is absent.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  // Runs any number of statements without results.
  absl::Status Execute(const std::string& sql);
  // Returns a statement. Prepares the statement on its first use and caches it. At most one Query
  // of the same text may exist at a time.
  absl::StatusOr<Query> Prepare(const std::string& sql);
  // Copies all committed data to a new file (mode 0600) by SQLite's online backup, while other
  // connections read and write. The file is durable on return. Removes the file after an error.
  absl::Status CopyTo(const std::string& path);
  // Verifies all pages by SQLite's quick check, which does not compare indexes with tables. Returns
  // kDataLoss if the pages are inconsistent.
  absl::Status Check();

 private:
  friend class Query;
  friend class Transaction;
  explicit Database(std::string path) : path_(std::move(path)) {}

  // Opens the file without WAL.
  static absl::StatusOr<std::unique_ptr<Database>> OpenPlain(const std::string& path);
  absl::Status SetDurability(Durability durability);
  absl::Status ToStatus(int code, std::string_view operation) const;

  const std::string path_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
  std::optional<Durability> durability_;
};

// A write transaction that begins at once and is rolled back unless Commit succeeds.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Database& database, Durability durability);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  absl::Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace vrp
