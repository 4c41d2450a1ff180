#include "server/net/socket_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include "codec/base/check.h"
#include "server/net/asio.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using AsioError = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

}  // namespace

void SocketWriter::Queue(std::string bytes) {
  if (bytes.empty()) return;
  if (unsent_bytes_ == 0) {
    taken_at_ = SteadyClock::now();
    taken_bytes_ = 0;
  }
  unsent_bytes_ += bytes.size();
  queued_.push_back(std::move(bytes));
}

SteadyClock::duration SocketWriter::stalled_for() const {
  return unsent_bytes_ == 0 ? SteadyClock::duration::zero() : SteadyClock::now() - taken_at_;
}

void SocketWriter::Write(const std::shared_ptr<Owner>& owner) {
  if (is_writing() || queued_.empty()) return;
  sending_ = std::exchange(queued_, {});
  absl::InlinedVector<asio::const_buffer, 2> buffers;
  for (const std::string& bytes : sending_)
    buffers.emplace_back(bytes.data(), bytes.size());
  // Bytes that the socket takes at once need no other thread to finish the write.
  AsioError error;
  const size_t sent = socket_->socket.write_some(buffers, error);
  if (error && error != asio::error::would_block && error != asio::error::try_again) {
    sending_.clear();
    owner->OnBroken();
    return;
  }
  Count(sent, owner.get());
  if (sent == asio::buffer_size(buffers)) {
    EndWrite(owner);
  } else {
    WriteRest(owner, sent);
  }
}

void SocketWriter::WriteRest(const std::shared_ptr<Owner>& owner, size_t written) {
  HOURCELL_DCHECK(is_writing());
  std::vector<asio::const_buffer> rest;
  for (const std::string& bytes : sending_) {
    const size_t taken = std::min(written, bytes.size());
    written -= taken;
    rest.push_back(asio::buffer(bytes) + taken);
  }
  counted_bytes_ = 0;
  const auto progress = [this, owner](const AsioError& error, size_t sent) {
    CountUpTo(sent, owner.get());
    return asio::transfer_all()(error, 0);
  };
  asio::async_write(socket_->socket, std::move(rest), progress,
                    [this, owner](const AsioError& error, size_t sent) {
                      CountUpTo(sent, owner.get());
                      if (error) {
                        sending_.clear();
                        owner->OnBroken();
                      } else {
                        EndWrite(owner);
                      }
                    });
}

void SocketWriter::CountUpTo(size_t total, Owner* owner) {
  HOURCELL_DCHECK(total >= counted_bytes_);
  Count(total - counted_bytes_, owner);
  counted_bytes_ = total;
}

void SocketWriter::Count(size_t bytes, Owner* owner) {
  if (bytes == 0) return;
  unsent_bytes_ -= std::min(bytes, unsent_bytes_);
  taken_bytes_ += bytes;
  if (unsent_bytes_ == 0 || taken_bytes_ >= kTakenBytesMin) {
    taken_at_ = SteadyClock::now();
    taken_bytes_ = 0;
  }
  owner->OnSent(bytes);
}

// REQUIRES: all of sending_ is written.
void SocketWriter::EndWrite(const std::shared_ptr<Owner>& owner) {
  HOURCELL_DCHECK(is_writing());
  sending_.clear();
  if (queued_.empty()) {
    owner->OnAllSent();
  } else {
    Write(owner);
  }
}

}  // namespace hourcell
