#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/access/credentials.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// A file is read completely or refused with the line; each user of it can be printed and read
// back.
void CheckFile(std::string_view text) {
  const absl::StatusOr<Credentials> credentials = Credentials::Parse(text, "fuzz");
  if (!credentials.ok()) {
    const absl::Status& status = credentials.status();
    HOURCELL_CHECK(absl::IsInvalidArgument(status));
    const std::string message(status.message().data(), status.message().size());
    HOURCELL_CHECK(message.starts_with("fuzz:"));
    return;
  }
  const std::string_view name = text.substr(0, text.find(' '));
  const User* const user = credentials->Find(name);
  if (user == nullptr) return;
  const auto again = Credentials::Parse(CredentialsLine(name, user->rights, user->hash), "again");
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->Find(name)->rights == user->rights);
  HOURCELL_CHECK(again->Find(name)->hash.text() == user->hash.text());
}

void CheckLogin(const std::optional<Login>& login) {
  if (!login.has_value()) return;
  HOURCELL_CHECK(IsUserName(login->user));
  HOURCELL_CHECK(!login->secret.empty() && login->secret.size() <= kSecretBytesMax);
}

}  // namespace
}  // namespace hourcell

// The file of users, or an Authorization header and a token, as the first byte says: whatever
// strangers send.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, std::min<size_t>(size, 4096));
  if (TakeByte(&input) == 'F') {
    CheckFile(input);
  } else {
    CheckLogin(ParseAuthorization(input));
    CheckLogin(ParseToken(input));
  }
  return 0;
}
