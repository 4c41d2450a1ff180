// StoreGates: the two gates of an open store, one for reads and one for writes. A facet has only
// the gates of its store. It gets the parts of the store from a gate, so no function can read or
// write before the store and its role allow it.
//
//   HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
//   return store->uids->Suggest(kind, prefix, max);
//
//   HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
//   return store.Acknowledge(store.writes().sealer->SealDue());
//
// Only a StoreWriter leads to the write side. Both are pointers: they take no lock and no memory.
// Thread-safe.

#pragma once

#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/hours/open_hours.h"

namespace hourcell {

class ReadSide;
class StoreCore;
class StoreImpl;
class TtlAdmin;
class WriteSide;

// The parts of a store, for a read that may begin.
class StoreReader {
 public:
  StoreCore* operator->() const;
  ReadSide& reads() const;
  TtlAdmin& ttls() const;

  // Everything acknowledged before BeginRead is in the hours or in the tables.
  std::shared_ptr<OpenHours> hours() const;

 private:
  friend class StoreGates;
  explicit StoreReader(StoreImpl* store) : store_(store) {}

  StoreImpl* store_;
};

// The parts of a store, for a write that may begin. The write returns one of the three statuses.
class StoreWriter {
 public:
  StoreCore* operator->() const;
  ReadSide& reads() const;
  WriteSide& writes() const;
  TtlAdmin& ttls() const;

  // Empties the name and series caches.
  void DropCaches() const;

  // StoreRole's functions, for the result of the write.
  absl::Status Acknowledge(absl::Status written) const;
  absl::Status NoteChange(absl::Status changed) const;
  absl::Status NoteAnnotation() const;

 private:
  friend class StoreGates;
  explicit StoreWriter(StoreImpl* store) : store_(store) {}

  StoreImpl* store_;
};

class StoreGates {
 public:
  explicit StoreGates(StoreImpl* store) : store_(store) {}

  // kFailedPrecondition: the store is closed, or another process is the writer now. kUnavailable:
  // unknown. kAborted: the check needs a call to the storage, and `at_once` forbids it.
  absl::StatusOr<StoreReader> BeginRead(bool at_once = false);

  // kFailedPrecondition: the store is closed, or this process only reads it. kUnavailable: another
  // process is known to be the writer.
  absl::StatusOr<StoreWriter> BeginWrite();

  // BeginRead, for an administrator's object before it answers. kUnavailable instead of
  // kFailedPrecondition if another process is the writer: a client repeats the call there.
  absl::Status CheckAnswer();

  // Null if the store is closed. For state of this process that says nothing about the contents of
  // the store: caches, memory, health.
  StoreImpl* process() const;

  // As process, also of a closed store: for the objects that live as long as the Tsdb.
  StoreImpl* lasting() const { return store_; }

 private:
  StoreImpl* const store_;
};

}  // namespace hourcell
