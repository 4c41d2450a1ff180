// WriterRole: the role of the process that writes to a store on a SharedStorage, where another
// process may become the writer at any time. Thread-safe.

#pragma once

#include <vector>

#include <absl/status/status.h>

#include "engine/cluster_view.h"

namespace hourcell {

class WriterRole {
 public:
  virtual ~WriterRole() = default;
  WriterRole(const WriterRole&) = delete;
  WriterRole& operator=(const WriterRole&) = delete;

  // OK: when the call began, no other process had acknowledged anything since this one opened the
  // store; and a later writer reads everything that this one wrote before the call. A read calls it
  // after the read begins and before it reads data, a write after writing and before the
  // acknowledgement.
  // kFailedPrecondition: another process is the writer now. kUnavailable: unknown.
  virtual absl::Status CheckIsWriter() = 0;

  // kFailedPrecondition: it is already known that another process is the writer. Does not call the
  // storage.
  virtual absl::Status KnownLoss() const = 0;

  // The processes on the store, in their last known state, this one first.
  virtual std::vector<ClusterNode> Nodes() const = 0;

  // Notifies followers of any change other than a new point, name or series, so that they reload.
  // Called after the change and before its acknowledgement. The first call is the last step of
  // opening a store. kUnavailable: the followers may have missed it.
  virtual absl::Status NoteChange() = 0;

 protected:
  WriterRole() = default;
};

}  // namespace hourcell
