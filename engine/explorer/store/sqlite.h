#pragma once
// SQLite with RAII and diagnostics; the only module that includes sqlite3.h besides its .cpp. Private to the
// store.

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace sluice::inline explorer::store {

/// What the library said, in words that help; `code` is its extended result code.
Diagnostic sqliteProblem(const std::filesystem::path& file, int code, const std::string& message);

class Database;

/// A prepared statement. bind() numbers from 1, columns from 0.
class Statement {
 public:
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);  ///< NaN: NULL
  Statement& bind(int index, std::string_view value);
  Statement& bindNull(int index);

  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return sqlite3_step(handle_.get()); }
  void reset() { sqlite3_reset(handle_.get()); }
  /// Steps a statement that gives no rows, and resets it.
  int run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const;  ///< NULL: NaN
  bool null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  bool whole(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER; }
  std::string text(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle, sqlite3_finalize) {}
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> handle_;
};

class Database {
 public:
  /// `query`: parameters of SQLite's URI, such as "immutable=1".
  static Result<Database> open(const std::filesystem::path& file, int flags, const std::string& query = "");

  Result<Done> execute(const std::string& sql);
  /// Of SQL that is ours: an error is the file's (damaged, not a store), never the user's.
  Result<Statement> prepare(const std::string& sql);
  /// The value in the first column of the first row, if there is one.
  Result<std::optional<std::int64_t>> number(const std::string& sql);
  Diagnostic problem(int code) const;

  const std::filesystem::path& file() const { return file_; }
  /// For ATTACH: the file as it was opened, to be read only.
  std::string readOnlyUri() const;
  std::int64_t lastRow() const { return sqlite3_last_insert_rowid(handle_.get()); }
  std::int64_t changes() const { return sqlite3_changes(handle_.get()); }

 private:
  Database(std::filesystem::path file, std::string query, sqlite3* handle)
      : file_(std::move(file)), query_(std::move(query)), handle_(handle, sqlite3_close_v2) {}
  std::filesystem::path file_;
  std::string query_;
  std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> handle_;
};

/// BEGIN IMMEDIATE ... COMMIT; rolled back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<Done> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace sluice::inline explorer::store
