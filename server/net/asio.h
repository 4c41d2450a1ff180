// Our names of Asio's types, for forward declarations in headers. Internal: only the few .cc files
// that use sockets, strands and pools include it; other files do not pay for compiling Asio.

#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>

namespace hourcell {

// The events of sockets, for one thread: the hint spares it the work of waking others.
struct IoContext {
  boost::asio::io_context context{1};
};

struct WorkerPool {
  explicit WorkerPool(size_t threads) : pool(threads) {}
  boost::asio::thread_pool pool;
};

// Runs the steps of one connection, one at a time: the loop of its thread (reactors.h).
struct Strand {
  boost::asio::any_io_executor executor;
};

struct Socket {
  boost::asio::ip::tcp::socket socket;
};

}  // namespace hourcell
