#include "server/http/guard/forwarding.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/check.h"
#include "server/config/config.h"

namespace hourcell::forwarding_test {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr AccessRights kRead = AccessRights::Read();
constexpr AccessRights kWrite = AccessRights::Write();
constexpr AccessRights kAdmin = AccessRights::Admin();

AccessPolicy MakePolicy(std::string_view proxies, std::string_view allow = "") {
  Config config;
  HOURCELL_CHECK(config.Set("tsd.http.trusted_proxies", proxies).ok());
  HOURCELL_CHECK(config.Set("tsd.auth.allow", allow).ok());
  auto policy = AccessPolicy::Create(config);
  HOURCELL_CHECK(policy.ok());
  return *std::move(policy);
}

HttpRequest RequestWith(Headers headers) {
  HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

// Of a request from 127.0.0.1 with these X-Forwarded-For.
RequestSource SourceOf(const AccessPolicy& policy,
                       const std::vector<std::string>& forwarded_for,
                       const ConnectionRights& connection = {.listener = kRead, .address = {}}) {
  HttpRequest request = RequestWith({{"via", "1.1 proxy"}});
  for (const std::string& value : forwarded_for)
    request.headers.emplace_back("x-forwarded-for", value);
  return SourceOfForwarded(request, connection, "127.0.0.1", &policy);
}

TEST(ForwardingTest, HeadersOfProxiesShowThem) {
  for (const char* const name :
       {"x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via"}) {
    EXPECT_TRUE(IsForwarded(RequestWith({{"host", "a"}, {name, ""}}))) << name;
  }
  EXPECT_FALSE(IsForwarded(RequestWith({{"host", "a"}, {"user-agent", "via"}})));
}

TEST(ForwardingTest, NobodyIsAdminThroughAProxy) {
  const AccessPolicy policy = MakePolicy("10.0.0.1");
  const ConnectionRights admin{.listener = kAdmin, .address = kAdmin};
  EXPECT_EQ(SourceOf(policy, {"10.9.9.9"}, admin).rights, kRead | kWrite);
  EXPECT_EQ(SourceOf(policy, {"127.0.0.1"}, admin).rights, kRead | kWrite);
  EXPECT_EQ(SourceOf(policy, {}, admin).rights, kRead | kWrite);
  EXPECT_EQ(SourceOf(MakePolicy("127.0.0.1"), {"127.0.0.1"}, admin).rights, kRead | kWrite);
  EXPECT_EQ(SourceOfForwarded(RequestWith({{"via", "x"}}), admin, "127.0.0.1", nullptr).rights,
            kRead | kWrite);
}

TEST(ForwardingTest, AProxyThatIsNotListedIsNotBelieved) {
  const AccessPolicy policy = MakePolicy("10.0.0.1", "10.1.0.0/16=admin");
  const RequestSource source =
      SourceOf(policy, {"10.1.0.7"}, {.listener = kRead, .address = kWrite});
  EXPECT_EQ(source.rights, kRead | kWrite) << "its own";
  EXPECT_EQ(source.client, "");
}

TEST(ForwardingTest, OfAListedProxyTheClientsAddressCounts) {
  const AccessPolicy policy = MakePolicy("127.0.0.0/8", "10.1.0.0/16=write, 10.2.0.0/16=admin");
  const ConnectionRights connection{.listener = kRead, .address = kWrite};
  EXPECT_EQ(SourceOf(policy, {"10.1.0.7"}, connection).rights, kRead | kWrite);
  EXPECT_EQ(SourceOf(policy, {"10.2.0.7"}, connection).rights, kAdmin);
  EXPECT_EQ(SourceOf(policy, {"10.3.0.7"}, connection).rights, kRead) << "not the proxy's own";
  EXPECT_EQ(SourceOf(policy, {"unknown"}, connection).rights, kRead);
  EXPECT_EQ(SourceOf(policy, {}, connection).rights, kRead);
}

TEST(ForwardingTest, TheClientIsTheLastThatIsNoListedProxy) {
  const AccessPolicy policy = MakePolicy("127.0.0.1, 10.0.0.0/24");
  EXPECT_EQ(SourceOf(policy, {"1.1.1.1, 2.2.2.2"}).client, "2.2.2.2");
  EXPECT_EQ(SourceOf(policy, {"1.1.1.1, 2.2.2.2, 10.0.0.9"}).client, "2.2.2.2");
  EXPECT_EQ(SourceOf(policy, {"1.1.1.1", "2.2.2.2 ,10.0.0.9"}).client, "2.2.2.2");
  EXPECT_EQ(SourceOf(policy, {"2.2.2.2", "10.0.0.9"}).client, "2.2.2.2");
  EXPECT_EQ(SourceOf(policy, {"10.0.0.8, 10.0.0.9"}).client, "10.0.0.8");
  EXPECT_EQ(SourceOf(policy, {"1.1.1.1, unknown"}).client, "") << "nor is what stands before it";
  EXPECT_EQ(SourceOf(policy, {"2.2.2.2:5000"}).client, "2.2.2.2");
  EXPECT_EQ(SourceOf(policy, {"[2001:db8::1]:5000"}).client, "2001:db8::1");
  EXPECT_EQ(SourceOf(policy, {"2001:db8::1"}).client, "2001:db8::1");
}

TEST(ForwardingTest, ABadBlockOfProxiesIsRefused) {
  Config config;
  ASSERT_TRUE(config.Set("tsd.http.trusted_proxies", "10.0.0.1/8").ok());
  EXPECT_NE(AccessPolicy::Create(config).status().message().find("tsd.http.trusted_proxies"),
            std::string::npos);
}

}  // namespace
}  // namespace hourcell::forwarding_test
