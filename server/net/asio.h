// What Asio's types are called in our headers. Internal: included by no header, only by the few .cc
// files that have to do with sockets, strands and pools; nothing else pays for compiling Asio.

#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>

namespace hourcell {

struct IoContext {
  boost::asio::io_context context;
};

struct WorkerPool {
  explicit WorkerPool(size_t threads) : pool(threads) {}
  boost::asio::thread_pool pool;
};

// What runs the steps of one connection, one at a time.
struct Strand {
  boost::asio::any_io_executor executor;
};

struct Socket {
  boost::asio::ip::tcp::socket socket;
};

}  // namespace hourcell
