#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "engine/backup_manifest.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

// A text is refused, or is the only text of its content, and all its files are within a store.
void CheckDecode(std::string_view text) {
  const auto manifest = DecodeBackupManifest(text);
  if (!manifest.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(manifest.status()) ||
                   absl::IsFailedPrecondition(manifest.status()));
    return;
  }
  HOURCELL_CHECK(EncodeBackupManifest(*manifest) == text);
  std::string_view last;
  for (const BackupFile& file : manifest->files) {
    HOURCELL_CHECK(file.path.starts_with("db/") || file.path.starts_with("journal/"));
    const std::string name = file.path.substr(file.path.find('/') + 1);
    HOURCELL_CHECK(name.find('/') == std::string::npos && name != "." && name != "..");
    HOURCELL_CHECK(last < file.path);
    last = file.path;
  }
}

}  // namespace
}  // namespace hourcell

// Any text, as it is and with the CRC it would need, is refused or is a manifest's text to the bit.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  CheckDecode(input);
  std::string text(input);
  if (!text.ends_with('\n')) text += '\n';
  CheckDecode(text + fmt::format("crc32c {:08x}\n", Crc32c(text)));
  return 0;
}
