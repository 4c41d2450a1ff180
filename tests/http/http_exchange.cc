#include "tests/http/http_exchange.h"

#include <charconv>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "server/http/http_inflate.h"

namespace hourcell {
namespace {

constexpr size_t kReplyBytesMax = size_t{64} << 20;

std::string ReadLine(TcpClient* client) {
  std::string line = client->ReadLines(1);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.pop_back();
  return line;
}

size_t NumberOf(const std::string& text, int base) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

// Chunks up to the empty one and the line after it.
std::string ReadChunks(TcpClient* client) {
  std::string body;
  while (const size_t size = NumberOf(ReadLine(client), 16)) {
    body += client->ReadBytes(size);
    ReadLine(client);
  }
  ReadLine(client);
  return body;
}

}  // namespace

std::string HeaderOf(const HttpResult& result, std::string_view name) {
  const std::string start = fmt::format("\n{}: ", name);
  const size_t at = result.headers.find(start);
  if (at == std::string::npos) return "";
  const size_t begin = at + start.size();
  return result.headers.substr(begin, result.headers.find('\n', begin) - begin);
}

HttpResult Exchange(TcpClient* client, std::string_view request) {
  HttpResult result;
  if (!client->Send(request)) return result;
  const std::string status_line = ReadLine(client);
  if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12) return result;
  const int status = static_cast<int>(NumberOf(status_line.substr(9, 3), 10));
  result.headers.push_back('\n');
  for (std::string line = ReadLine(client); !line.empty(); line = ReadLine(client)) {
    absl::AsciiStrToLower(&line);
    result.headers.append(line).push_back('\n');
  }
  if (status == 204 || status == 304) {
    result.status = status;
    return result;
  }
  if (HeaderOf(result, "transfer-encoding") == "chunked") {
    result.body = ReadChunks(client);
  } else {
    const size_t size = NumberOf(HeaderOf(result, "content-length"), 10);
    result.body = client->ReadBytes(size);
    if (result.body.size() < size) return result;
  }
  if (HeaderOf(result, "content-encoding") == "gzip") {
    auto inflated = Inflate(result.body, Compression::kGzip, kReplyBytesMax);
    if (!inflated.ok()) return result;
    result.body = *std::move(inflated);
  }
  result.status = status;
  return result;
}

std::string WithBody(std::string_view head, std::string_view body) {
  return fmt::format("{}Content-Length: {}\r\n\r\n{}", head, body.size(), body);
}

}  // namespace hourcell
