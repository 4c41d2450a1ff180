#include "engine/rocks_error_watch.h"

namespace hourcell {

void RocksErrorWatch::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                                        rocksdb::Status* /*error*/) {
  has_failed_ = true;
}

void RocksErrorWatch::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                           rocksdb::Status /*error*/,
                                           bool* auto_recovery) {
  *auto_recovery = false;
}

}  // namespace hourcell
