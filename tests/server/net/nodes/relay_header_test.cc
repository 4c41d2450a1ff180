#include "server/net/nodes/relay_header.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::relay_header_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::Optional;

MATCHER_P2(Parsed, header, bytes, "") {
  return arg.header == header && arg.bytes == static_cast<size_t>(bytes);
}

const std::string kNonce = "0123456789abcdef";
const RelayHeader kIpv4{.address = "192.0.2.1", .port = 0x1234, .listener = 2, .nonce = kNonce};

TEST(RelayHeaderTest, AsBytes) {
  EXPECT_EQ(ToHex(EncodeRelayHeader(kIpv4)),
            "0d0a0d0a000d0a515549540a"  // signature
            "21110023"                  // version and command, TCP over IPv4, 35 bytes
            "c0000201000000001234"      // client's address, ours is not said, client's port
            "0000"                      // our port is not said
            "e1000102"                  // listener
            "e2001030313233343536373839616263646566");  // nonce
  const RelayHeader ipv6{.address = "2001:db8::1", .port = 1, .listener = 0, .nonce = kNonce};
  EXPECT_EQ(ToHex(EncodeRelayHeader(ipv6)),
            "0d0a0d0a000d0a515549540a2121003b"
            "20010db8000000000000000000000001"
            "00000000000000000000000000000000"
            "00010000e1000100e2001030313233343536373839616263646566");
}

TEST(RelayHeaderTest, AWatchIsALocalConnection) {
  const RelayHeader watch{.address = "0.0.0.0", .nonce = kNonce, .is_watch = true};
  const std::string bytes = EncodeRelayHeader(watch);
  EXPECT_EQ(ToHex(bytes),
            "0d0a0d0a000d0a515549540a"
            "20110023"
            "000000000000000000000000"
            "e1000100"
            "e2001030313233343536373839616263646566");
  EXPECT_THAT(ParseRelayHeader(bytes), IsOkAndHolds(Optional(Parsed(watch, 51))));
}

TEST(RelayHeaderTest, IsReadBackWithWhatFollows) {
  const std::string bytes = EncodeRelayHeader(kIpv4);
  EXPECT_THAT(ParseRelayHeader(bytes + "GET /"), IsOkAndHolds(Optional(Parsed(kIpv4, 51))));
  const RelayHeader ipv6{.address = "2001:db8::1", .port = 65535, .listener = 255, .nonce = kNonce};
  EXPECT_THAT(ParseRelayHeader(EncodeRelayHeader(ipv6)),
              IsOkAndHolds(Optional(Parsed(ipv6, 16 + 36 + 4 + 19))));
}

TEST(RelayHeaderTest, EachBeginningNeedsMoreBytes) {
  const std::string bytes = EncodeRelayHeader(kIpv4);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_TRUE(MayBeRelayHeader(cut));
    EXPECT_THAT(ParseRelayHeader(cut), IsOkAndHolds(std::nullopt)) << size;
  }
}

TEST(RelayHeaderTest, ValuesOfOthersAreSkipped) {
  std::string bytes = EncodeRelayHeader(kIpv4);
  bytes[15] += 5;
  bytes += std::string("\x04\0\x02zz", 5);
  EXPECT_THAT(ParseRelayHeader(bytes), IsOkAndHolds(Optional(Parsed(kIpv4, 56))));
}

TEST(RelayHeaderTest, WhatIsNoHeaderIsRefused) {
  const std::string bytes = EncodeRelayHeader(kIpv4);
  const auto with = [&](size_t at, char value) {
    std::string changed = bytes;
    changed[at] = value;
    return ParseRelayHeader(changed).status();
  };
  const auto refused = [](std::string_view why) {
    return StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::string(why)));
  };
  EXPECT_THAT(ParseRelayHeader("GET / HTTP/1.1"), refused("does not begin as one"));
  EXPECT_FALSE(MayBeRelayHeader("put m 1 1"));
  EXPECT_THAT(with(12, 0x22), refused("an unknown version or command"));
  EXPECT_THAT(with(13, 0x00), refused("an unknown family"));
  EXPECT_THAT(with(13, 0x21), refused("its addresses are cut"));
  EXPECT_THAT(with(14, 0x10), refused("expected at most 512 bytes, got 4147"));
  EXPECT_THAT(with(15, 0x22), refused("a value is cut"));
  EXPECT_THAT(with(15, 0x0d), refused("a value is cut"));
  EXPECT_THAT(with(30, 0), refused("expected 1 byte of the listener"));
  EXPECT_THAT(with(34, 15), refused("nonce: expected 16 bytes, got 15"));
  EXPECT_THAT(with(32, 0x04), refused("it has no nonce"));
}

}  // namespace
}  // namespace hourcell::relay_header_test
