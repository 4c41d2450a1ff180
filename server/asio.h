// What Asio's types are called in our headers. Internal: included by connection.cc, listener.cc and
// server.cc only, so that nothing else pays for compiling Asio.

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

struct Socket {
  boost::asio::ip::tcp::socket socket;
};

}  // namespace hourcell
