#include "server/net/socket_reader.h"

#include <memory>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include "server/net/asio.h"

namespace hourcell {

namespace asio = boost::asio;

SocketInput ReadSocket(Socket* socket) {
  thread_local const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
  boost::system::error_code error;
  const size_t size = socket->socket.read_some(asio::buffer(buffer.get(), kReadBytesMax), error);
  if (error == asio::error::would_block || error == asio::error::try_again) {
    return {.kind = SocketInput::Kind::kNothing};
  }
  if (error == asio::error::eof) return {.kind = SocketInput::Kind::kEnd};
  if (error) return {.kind = SocketInput::Kind::kBroken};
  return {.kind = SocketInput::Kind::kBytes, .bytes = {buffer.get(), size}};
}

}  // namespace hourcell
