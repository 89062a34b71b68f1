// A queue's messages in an SQLite file: their bodies by sequence.
//
//   writer connection                         the file, in WAL mode              reader connection
//   append, remove --> a batch --commit-->      message(sequence, body)  ----->   fetch
//                      one transaction                                            a snapshot per page
//
// Changes gather in memory and are written in one transaction when they are a batch, as brokers commit in groups; so no
// transaction is open in between. Readers never wait for the writer, and see what was committed. Each connection is for one
// thread at a time; the two may be used at once.
#pragma once

#include "cursor/bodies.hpp"
#include "cursor/page_source.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

struct sqlite3;
struct sqlite3_stmt;

namespace replay {

/// What a store holds, as `Cursor::open` wants it after a restart.
struct StoredSummary {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t lastSequence = 0;
};

namespace sqlite {

struct CloseConnection {
    void operator()(sqlite3* connection) const;
};
struct EndStatement {
    void operator()(sqlite3_stmt* statement) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

}  // namespace sqlite

class SqliteStore final : public PageSource {
  public:
    /// Opens the file, or makes it. Bodies that fetch reads go into `bodies`. `batch` changes make a transaction.
    SqliteStore(const std::filesystem::path& file, BodyPool& bodies, unsigned batch);
    /// Commits what is open; what cannot be committed any more is given up.
    ~SqliteStore() override;

    /// Stores a copy of a body and numbers it. It is committed with its batch.
    std::uint64_t append(const std::byte* body);
    /// Deletes one message, with its batch.
    void remove(std::uint64_t sequence);
    /// Ends the batch, and with it deletes all messages up to a sequence in one statement. Answers how many there were.
    std::uint64_t removeUpTo(std::uint64_t sequence);
    /// Ends the batch: everything so far is committed. If it fails, nothing of the batch is, and it can be repeated.
    void commit();

    /// The sequence that the next message gets.
    std::uint64_t nextSequence() const { return nextSequence_; }
    /// Everything appended up to this sequence is committed.
    std::uint64_t committedSequence() const { return committedSequence_; }
    std::uint64_t commits() const { return commits_; }

    void fetch(const PageRequest& request, std::vector<PagedMessage>& page) override;
    /// What is committed.
    StoredSummary summary();

  private:
    void countChange();
    std::uint64_t write(std::uint64_t removeUpTo);
    void insertBodies();
    void readBody(std::vector<PagedMessage>& page);

    BodyPool& bodies_;
    const unsigned batch_;
    sqlite::Connection writer_;
    sqlite::Connection reader_;
    sqlite::Statement begin_, commit_, rollback_, insert_, removeOne_, removeRange_;
    sqlite::Statement select_;
    std::uint64_t nextSequence_ = 1;
    std::uint64_t committedSequence_ = 0;
    std::uint64_t commits_ = 0;
    std::vector<std::byte> appended_;  // the bodies of the batch, one after the other
    std::vector<std::uint64_t> removed_;
};

/// Deletes the file and what SQLite keeps beside it.
void deleteStoreFiles(const std::filesystem::path& file);

}  // namespace replay
