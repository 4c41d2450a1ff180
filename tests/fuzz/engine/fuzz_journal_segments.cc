#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "engine/journal/file_journal.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_segment.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr int kStepsMax = 24;
constexpr int kChangesMax = 4;
const char* const kDirectory = "/journal";

// A journal in memory, with the blocks written to it.
class Scribe {
 public:
  Scribe() : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())), fs_(env_->GetFileSystem()) {}

  absl::Status Open() {
    JournalOptions options;
    options.directory = kDirectory;
    options.fs = fs_.get();
    options.segment_bytes = 160;
    options.preallocate_bytes = 0;
    options.low_mark = low_mark_;
    auto opened = FileJournal::Open(options);
    if (!opened.ok()) return opened.status();
    journal_ = *std::move(opened);
    return absl::OkStatus();
  }

  // A block, a sync, a deletion, an end in good order or by kill -9.
  void Step(std::string_view* input) {
    const uint8_t what = TakeByte(input);
    if (what < 176) {
      const std::string_view payload = TakePart(input);
      HOURCELL_CHECK(journal_->Write({&payload, 1}).ok());
      written_.emplace_back(payload);
    } else if (what < 200) {
      HOURCELL_CHECK(journal_->Sync().ok());
    } else if (what < 216) {
      low_mark_ = std::max<uint64_t>(low_mark_, 1 + what % (written_.size() + 1));
      HOURCELL_CHECK(journal_->DeleteBelow(low_mark_).ok());
    } else {
      if (what < 240) HOURCELL_CHECK(journal_->Close().ok());
      journal_.reset();
      HOURCELL_CHECK(Open().ok());
    }
  }

  void Drop() { journal_.reset(); }

  // Changes a byte of a segment, or cuts it.
  void Damage(std::string_view* input) {
    const uint8_t file = TakeByte(input);
    const size_t where = size_t{TakeByte(input)} << 8 | TakeByte(input);
    const uint8_t change = TakeByte(input);
    std::vector<std::string> names = Names();
    if (names.empty()) return;
    const std::string path = std::string(kDirectory) + "/" + names[file % names.size()];
    std::string bytes;
    HOURCELL_CHECK(rocksdb::ReadFileToString(env_.get(), path, &bytes).ok());
    if (bytes.empty()) return;
    const size_t at = where % bytes.size();
    if (change == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ change);
    }
    HOURCELL_CHECK(rocksdb::WriteStringToFile(env_.get(), bytes, path).ok());
  }

  // The journal has the written blocks from the low mark on, in order, except those that it lists
  // as lost. `*end`: the sequence after its last block.
  absl::Status CheckReplay(uint64_t* end) {
    *end = std::max<uint64_t>(low_mark_, 1);
    const absl::Status replayed =
        journal_->Replay(*end, [&](uint64_t sequence, std::string_view payload) {
          CheckLost(*end, sequence);
          HOURCELL_CHECK(sequence <= written_.size());
          HOURCELL_CHECK(payload == written_[sequence - 1]);
          *end = sequence + 1;
          return absl::OkStatus();
        });
    if (!replayed.ok()) return replayed;
    CheckLost(*end, journal_->next_sequence());
    *end = journal_->next_sequence();
    return absl::OkStatus();
  }

  // The blocks after `end` are gone, as after a torn tail.
  void Forget(uint64_t end) { written_.resize(end - 1); }

  Journal* journal() { return journal_.get(); }
  uint64_t end() const { return written_.size() + 1; }

 private:
  // Those of [begin, end) are in the cuts.
  void CheckLost(uint64_t begin, uint64_t end) {
    HOURCELL_CHECK(begin <= end);
    if (begin == end) return;
    const auto cuts = journal_->UnseenCuts();
    HOURCELL_CHECK(cuts.ok());
    for (uint64_t sequence = begin; sequence < end; ++sequence) {
      HOURCELL_CHECK(std::ranges::any_of(*cuts, [sequence](const JournalCut& cut) {
        return sequence >= cut.first_sequence && sequence < cut.end_sequence.value_or(sequence + 1);
      }));
    }
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    fs_->GetChildren(kDirectory, {}, &names, nullptr);
    std::erase_if(names, [](const std::string& name) { return !SegmentNumberOf(name); });
    std::ranges::sort(names);
    return names;
  }

  const std::unique_ptr<rocksdb::Env> env_;
  const std::shared_ptr<rocksdb::FileSystem> fs_;
  std::unique_ptr<FileJournal> journal_;
  std::vector<std::string> written_;  // written_[i] is block i + 1
  uint64_t low_mark_ = 0;             // nothing below it is needed any more
};

}  // namespace
}  // namespace hourcell

// A journal that the input writes is read back complete. Then bytes of its files change: an open
// fails with data loss, or the journal has some of the written blocks in order, lists the missing
// ones in the middle, and takes new blocks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  Scribe scribe;
  HOURCELL_CHECK(scribe.Open().ok());
  const int changes = TakeByte(&input) % (kChangesMax + 1);
  std::string_view damage = input.substr(0, 4 * static_cast<size_t>(changes));
  input.remove_prefix(damage.size());
  for (int i = 0; i < kStepsMax && !input.empty(); ++i)
    scribe.Step(&input);

  uint64_t end = 0;
  HOURCELL_CHECK(scribe.CheckReplay(&end).ok() && end == scribe.end());
  scribe.Drop();
  for (int i = 0; i < changes; ++i)
    scribe.Damage(&damage);

  if (const absl::Status opened = scribe.Open(); !opened.ok()) {
    HOURCELL_CHECK(changes > 0);
    HOURCELL_CHECK(absl::IsDataLoss(opened) || absl::IsFailedPrecondition(opened));
    return 0;
  }
  HOURCELL_CHECK(scribe.CheckReplay(&end).ok());
  HOURCELL_CHECK(end <= scribe.end() && (changes > 0 || end == scribe.end()));
  HOURCELL_CHECK(scribe.journal()->next_sequence() == end);
  scribe.Forget(end);

  std::string_view more = "\1\1!";
  scribe.Step(&more);
  HOURCELL_CHECK(scribe.CheckReplay(&end).ok() && end == scribe.end());
  return 0;
}
