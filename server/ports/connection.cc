#include "server/ports/connection.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/access/cidr.h"
#include "server/api/http_session.h"
#include "server/log/log.h"
#include "server/net/asio.h"
#include "server/net/nodes/host_and_port.h"
#include "server/net/nodes/relay_header.h"
#include "server/net/nodes/relay_proof.h"
#include "server/net/socket_peer.h"
#include "server/net/socket_reader.h"
#include "server/net/socket_writer.h"
#include "server/net/tls_session.h"
#include "server/net/transport.h"
#include "server/telnet/telnet_session.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::string_view kTlsRequired =
    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
    "Content-Length: 16\r\n\r\nTLS is required\n";

ConnectionRights RightsOfClient(const ConnectionContext& context,
                                AccessRights listener,
                                std::string_view address) {
  const std::optional<IpAddress> client = IpAddress::Parse(address);
  return {.listener = listener,
          .address = context.access == nullptr ? AccessRights() : context.access->RightsAt(address),
          .is_local = client.has_value() && client->is_loopback()};
}

class SocketConnection : public Connection,
                         public Transport,
                         public SocketWriter::Owner,
                         public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Socket socket,
                   const ConnectionContext* context,
                   AccessRights rights,
                   std::function<void()> on_closed);

  void Start();
  void Stop() override;
  void Abort() override;

  // For the session.
  std::shared_ptr<void> KeepAlive() override { return shared_from_this(); }
  const Strand& strand() const override { return strand_; }
  const std::atomic<bool>& stopping() const override { return stopping_; }
  void Send(std::string bytes) override;
  void SendEnd(std::string head, std::string body, bool close) override;
  size_t unsent_bytes() const override { return writer_.unsent_bytes(); }
  std::chrono::steady_clock::duration stalled_for() const override { return writer_.stalled_for(); }
  void ReadOn() override;
  void Touch() override { last_activity_ = std::chrono::steady_clock::now(); }
  std::string remote() const override {
    if (remote_.empty()) remote_ = PeerText(fd());
    return remote_;
  }
  bool PeerHasHungUp() const override { return PeerHungUp(fd()); }
  void CloseAfterFlush() override;
  void Cut() override;
  bool is_closing() const override { return closing_ || closed_; }
  bool is_closed() const override { return closed_; }

  // For the writer.
  void OnSent(size_t bytes) override;
  void OnAllSent() override;
  void OnBroken() override { Close(); }

 private:
  void WaitForInput();
  void OnReadable();
  void ReadSome();
  bool WantsInput() const;
  void OnBytes(std::string_view bytes);
  void Identify(std::string_view bytes);
  void Challenge(size_t header_bytes);
  void TakeProof();
  void Refuse();
  bool Trust(const RelayHeader& header);
  void CloseUnlessIdentified();
  void TakeWire(std::string_view bytes);
  void TakeTls(std::string_view bytes);
  void WatchHandshake();
  void TakePlain(std::string_view bytes);
  void RefusePlain();
  void OnEndOfInput();

  void Queue(std::string bytes);
  void Write();

  void Linger();
  void CloseIn(int64_t ms);
  void WatchIdle();
  void Close();

  int fd() const { return socket_.native_handle(); }

  Socket owned_socket_;
  tcp::socket& socket_;  // part of owned_socket_
  const Strand strand_;
  SocketWriter writer_;
  const ConnectionContext* const context_;
  ConnectionRights rights_;
  std::function<void()> on_closed_;
  asio::steady_timer idle_timer_;
  asio::steady_timer handshake_timer_;
  asio::steady_timer close_timer_;
  std::chrono::steady_clock::time_point last_activity_;
  mutable std::string remote_;  // set by the first remote() or by a relay header
  std::string first_bytes_;     // kept until the client is identified
  std::string nonce_;           // of the challenge to a relay; empty: not challenged

  std::optional<TlsSession> tls_;
  // From the first byte of its protocol until the connection ends.
  std::unique_ptr<Session> session_;

  bool is_identified_;         // the client is known: from a relay header, or directly
  bool is_watch_ = false;      // another process watches by it whether this one lives
  bool claims_watch_ = false;  // its header requests a watch; may not be proved yet
  bool waiting_ = false;       // for input
  bool input_ended_ = false;   // the client sends no more
  bool closing_ = false;       // once all is sent
  bool lingering_ = false;     // all is sent; input is dropped
  bool closed_ = false;
  std::atomic<bool> stopping_ = false;
};

SocketConnection::SocketConnection(Socket socket,
                                   const ConnectionContext* context,
                                   AccessRights rights,
                                   std::function<void()> on_closed)
    : owned_socket_(std::move(socket)),
      socket_(owned_socket_.socket),
      strand_{socket_.get_executor()},
      writer_(&owned_socket_),
      context_(context),
      rights_(RightsOfClient(*context, rights, PeerAddress(fd()))),
      on_closed_(std::move(on_closed)),
      idle_timer_(strand_.executor),
      handshake_timer_(strand_.executor),
      close_timer_(strand_.executor),
      is_identified_(context->relay == nullptr) {
  Touch();
}

void SocketConnection::Start() {
  asio::post(strand_.executor, [self = shared_from_this()] {
    AsioError error;
    self->socket_.non_blocking(true, error);
    if (error) {
      self->Close();
      return;
    }
    self->WatchIdle();
    self->WaitForInput();
  });
}

void SocketConnection::Stop() {
  asio::post(strand_.executor, [self = shared_from_this()] {
    self->stopping_ = true;
    if (self->session_ != nullptr) {
      self->session_->Stop();
    } else {
      if (self->is_watch_ || self->claims_watch_) self->Send(std::string(kLeaves));
      self->CloseAfterFlush();
    }
  });
}

void SocketConnection::Abort() {
  asio::post(strand_.executor, [self = shared_from_this()] { self->Close(); });
}

// Waits without a buffer, so that idle connections stay small.
void SocketConnection::WaitForInput() {
  if (waiting_ || closed_ || input_ended_) return;
  if (tls_.has_value() && tls_->client_finished()) {
    input_ended_ = true;
    OnEndOfInput();
    return;
  }
  waiting_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const AsioError& error) {
    self->waiting_ = false;
    if (error) {
      self->Close();
    } else {
      self->OnReadable();
    }
  });
}

bool SocketConnection::WantsInput() const {
  if (closed_ || input_ended_) return false;
  if (lingering_) return true;
  return !closing_ && (session_ == nullptr || session_->wants_input());
}

void SocketConnection::ReadOn() {
  if (WantsInput()) WaitForInput();
}

// Reads once, then yields to other connections: a full buffer of lines takes milliseconds.
void SocketConnection::OnReadable() {
  if (WantsInput()) ReadSome();
  ReadOn();
}

void SocketConnection::ReadSome() {
  const SocketInput input = ReadSocket(&owned_socket_);
  if (input.kind == SocketInput::Kind::kEnd) {
    input_ended_ = true;
    OnEndOfInput();
  } else if (input.kind == SocketInput::Kind::kBroken) {
    Close();
  }
  if (input.bytes.empty()) return;
  Touch();
  context_->counters->bytes_in->Add(input.bytes.size());
  if (!lingering_) OnBytes(input.bytes);
}

void SocketConnection::OnBytes(std::string_view bytes) {
  if (is_watch_) return;  // a watch sends no data
  if (is_identified_) {
    TakeWire(bytes);
  } else {
    Identify(bytes);
  }
}

void SocketConnection::Identify(std::string_view bytes) {
  first_bytes_ += bytes;
  if (!nonce_.empty()) return TakeProof();
  if (MayBeRelayHeader(first_bytes_)) {
    const auto parsed = ParseRelayHeader(first_bytes_);
    if (!parsed.ok()) return Refuse();
    if (!parsed->has_value()) return;  // more is to come
    claims_watch_ = (*parsed)->header.is_watch;
    return Challenge((*parsed)->bytes);
  }
  if (context_->relay->is_required) return Close();
  is_identified_ = true;
  const std::string first = std::exchange(first_bytes_, {});
  TakeWire(first);
}

// Bytes that a stranger sends after its header are not parsed before its proof.
void SocketConnection::Challenge(size_t header_bytes) {
  nonce_ = NewRelayNonce();
  const std::string_view header = std::string_view(first_bytes_).substr(0, header_bytes);
  Send(nonce_ + context_->relay->keys->Prove(RelaySide::kAcceptor, header, nonce_));
  CloseUnlessIdentified();
  if (first_bytes_.size() > header_bytes) TakeProof();
}

void SocketConnection::TakeProof() {
  const auto parsed = ParseRelayHeader(first_bytes_);
  const size_t header_bytes = (*parsed)->bytes;
  if (first_bytes_.size() < header_bytes + kRelayProofBytes) return;
  const std::string first = std::exchange(first_bytes_, {});
  const std::string_view text = first;
  if (!context_->relay->keys->Proves(RelaySide::kSender, text.substr(0, header_bytes), nonce_,
                                     text.substr(header_bytes, kRelayProofBytes)) ||
      !Trust((*parsed)->header)) {
    return Refuse();
  }
  is_identified_ = true;
  handshake_timer_.cancel();
  if (is_watch_) {
    idle_timer_.cancel();  // a watch is silent
  } else if (text.size() > header_bytes + kRelayProofBytes) {
    TakeWire(text.substr(header_bytes + kRelayProofBytes));
  }
}

void SocketConnection::Refuse() {
  LogWarning("{}: a connection that is passed on was refused", remote());
  Close();
}

// REQUIRES: the sender has proved that it knows the secret.
bool SocketConnection::Trust(const RelayHeader& header) {
  const RelayTrust& trust = *context_->relay;
  if (header.listener >= trust.listeners.size()) return false;
  is_watch_ = header.is_watch;
  rights_ = RightsOfClient(*context_, trust.listeners[header.listener], header.address);
  remote_ = JoinHostAndPort(header.address, header.port);
  return true;
}

void SocketConnection::CloseUnlessIdentified() {
  if (context_->handshake_timeout_ms == 0) return;
  handshake_timer_.expires_after(std::chrono::milliseconds(context_->handshake_timeout_ms));
  handshake_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error || self->is_closing() || self->is_identified_) return;
    self->context_->counters->timed_out->Add(1);
    self->Close();
  });
}

void SocketConnection::TakeWire(std::string_view bytes) {
  if (!tls_.has_value() && session_ == nullptr) {
    if (context_->tls != nullptr && bytes.front() == kTlsFirstByte) {
      tls_.emplace(*context_->tls);
      WatchHandshake();
    } else if (context_->tls_required) {
      RefusePlain();
      return;
    }
  }
  if (tls_.has_value()) {
    TakeTls(bytes);
  } else {
    TakePlain(bytes);
  }
}

void SocketConnection::TakeTls(std::string_view bytes) {
  std::string plain;
  std::string wire;
  const absl::Status status = tls_->Take(bytes, &plain, &wire);
  writer_.Queue(std::move(wire));
  Write();
  if (!status.ok()) {
    context_->counters->tls_failed->Add(1);
    CloseAfterFlush();
  } else if (!plain.empty() && !closed_) {
    TakePlain(plain);
  }
}

void SocketConnection::WatchHandshake() {
  if (context_->handshake_timeout_ms == 0) return;
  handshake_timer_.expires_after(std::chrono::milliseconds(context_->handshake_timeout_ms));
  handshake_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error || self->is_closing() || self->tls_->is_established()) return;
    self->context_->counters->tls_timed_out->Add(1);
    self->context_->counters->timed_out->Add(1);
    self->Close();  // no answer can be sent before the handshake
  });
}

void SocketConnection::RefusePlain() {
  context_->counters->tls_required->Add(1);
  Send(std::string(kTlsRequired));
  CloseAfterFlush();
}

void SocketConnection::TakePlain(std::string_view bytes) {
  if (session_ == nullptr && context_->start != nullptr) {
    session_ = context_->start(this, rights_.all());
  } else if (session_ == nullptr) {
    const bool is_http = bytes.front() >= 'A' && bytes.front() <= 'Z';
    session_ = is_http
                   ? StartHttpSession(this, context_->http, rights_)
                   : StartTelnetSession(this, context_->telnet, rights_.all(), rights_.is_local);
  }
  session_->Take(bytes);
}

void SocketConnection::OnEndOfInput() {
  if (lingering_) {
    Close();
  } else if (session_ != nullptr) {
    session_->EndInput();
  } else {
    CloseAfterFlush();
  }
}

void SocketConnection::Cut() {
  AsioError ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  Close();
}

void SocketConnection::Send(std::string bytes) {
  if (closed_) return;
  Queue(std::move(bytes));
  Write();
}

void SocketConnection::SendEnd(std::string head, std::string body, bool close) {
  if (close) closing_ = true;
  Queue(std::move(head));
  Queue(std::move(body));
  if (writer_.is_writing()) return;
  if (writer_.has_queued()) {
    Write();
  } else {
    OnAllSent();  // the end of a stream may be empty
  }
}

void SocketConnection::Queue(std::string bytes) {
  if (closed_) return;
  if (!tls_.has_value() || bytes.empty()) {
    writer_.Queue(std::move(bytes));
    return;
  }
  std::string wire;
  if (tls_->Send(bytes, &wire)) writer_.Queue(std::move(wire));
}

void SocketConnection::Write() {
  if (!closed_) writer_.Write(shared_from_this());
}

void SocketConnection::OnSent(size_t bytes) {
  Touch();
  context_->counters->bytes_out->Add(bytes);
  if (session_ != nullptr) session_->OnSent(bytes);
}

void SocketConnection::OnAllSent() {
  if (closed_) return;
  if (session_ != nullptr) session_->OnAllSent();
  if (closing_ && !writer_.is_writing()) Linger();
}

void SocketConnection::CloseAfterFlush() {
  if (closed_ || lingering_) return;
  closing_ = true;
  if (!writer_.is_writing()) {
    Linger();
  } else {
    CloseIn(kFlushMs);
  }
}

void SocketConnection::Linger() {
  if (closed_ || lingering_) return;
  lingering_ = true;
  AsioError error;
  if (tls_.has_value()) {
    std::string wire;
    tls_->Finish(&wire);
    // All is sent, so the socket has room for a few bytes; otherwise the client sees a cut.
    if (!wire.empty()) socket_.write_some(asio::buffer(wire), error);
  }
  socket_.shutdown(tcp::socket::shutdown_send, error);
  if (error || input_ended_) {
    Close();
    return;
  }
  CloseIn(stopping_ ? kStopLingerMs : kLingerMs);
  WaitForInput();
}

void SocketConnection::CloseIn(int64_t ms) {
  close_timer_.expires_after(std::chrono::milliseconds(ms));
  close_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (!error) self->Close();
  });
}

void SocketConnection::WatchIdle() {
  if (context_->idle_timeout_s == 0 || closed_) return;
  const auto deadline = last_activity_ + std::chrono::seconds(context_->idle_timeout_s);
  idle_timer_.expires_at(deadline);
  idle_timer_.async_wait([self = shared_from_this()](const AsioError& error) {
    if (error) return;
    const auto idle = std::chrono::steady_clock::now() - self->last_activity_;
    const bool working = self->session_ != nullptr && self->session_->is_working();
    if (working) self->Touch();  // the server is busy, not the client silent
    if (!working && idle >= std::chrono::seconds(self->context_->idle_timeout_s)) {
      self->context_->counters->timed_out->Add(1);
      self->Close();
    } else {
      self->WatchIdle();
    }
  });
}

void SocketConnection::Close() {
  if (closed_) return;
  closed_ = true;
  AsioError ignored;
  socket_.close(ignored);
  idle_timer_.cancel();
  handshake_timer_.cancel();
  close_timer_.cancel();
  if (session_ != nullptr) session_->OnClosed();
  std::exchange(on_closed_, nullptr)();
}

}  // namespace

std::shared_ptr<Connection> StartConnection(Socket socket,
                                            const ConnectionContext* context,
                                            AccessRights rights,
                                            std::function<void()> on_closed) {
  auto connection =
      std::make_shared<SocketConnection>(std::move(socket), context, rights, std::move(on_closed));
  connection->Start();
  return connection;
}

}  // namespace hourcell
