#include "uid/uid_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/name.h"
#include "uid/uid_text.h"

namespace hourcell {
namespace {

using ChangeKind = UidChange::What;

using Forwards = std::map<std::string, Uid, std::less<>>;

// Rows of one kind: those that differ between the directions, and all others with their names and
// UIDs. So each row here comes with all rows that decide whether it is right.
struct Mappings {
  Forwards forward;
  std::map<Uid, std::string> reverse;
};

// Totals over all rows of one kind.
struct Totals {
  // Sums of the mappings' hashes, less those of the reverse rows; by the hash's upper bits.
  static constexpr int kBucketBits = 12;
  std::array<uint64_t, size_t{1} << kBucketBits> sums = {};
  uint64_t forward = 0;
  uint64_t reverse = 0;
  Uid highest = 0;

  static size_t BucketOf(uint64_t hash) { return hash >> (64 - kBucketBits); }
  bool Differs(const UidMapping& mapping) const { return sums[BucketOf(HashOf(mapping))] != 0; }
  bool is_good() const { return sums == decltype(sums)(); }

  static uint64_t HashOf(const UidMapping& mapping) {
    return absl::HashOf(std::string_view(mapping.name), mapping.uid);
  }
};

absl::StatusOr<Totals> SumMappings(UidStore* store, UidKind kind) {
  Totals totals;
  HOURCELL_RETURN_IF_ERROR(store->ScanForward(kind, "", [&](const UidMapping& mapping) {
    const uint64_t hash = Totals::HashOf(mapping);
    totals.sums[Totals::BucketOf(hash)] += hash;
    totals.highest = std::max(totals.highest, mapping.uid);
    ++totals.forward;
    return true;
  }));
  HOURCELL_RETURN_IF_ERROR(store->ScanReverse(kind, [&](const UidMapping& mapping) {
    const uint64_t hash = Totals::HashOf(mapping);
    totals.sums[Totals::BucketOf(hash)] -= hash;
    totals.highest = std::max(totals.highest, mapping.uid);
    ++totals.reverse;
    return true;
  }));
  return totals;
}

absl::Status VisitBoth(UidStore* store,
                       UidKind kind,
                       const std::function<void(const UidMapping&, bool is_forward)>& visit) {
  const auto each = [&](bool is_forward) {
    return [&visit, is_forward](const UidMapping& mapping) {
      visit(mapping, is_forward);
      return true;
    };
  };
  HOURCELL_RETURN_IF_ERROR(store->ScanForward(kind, "", each(true)));
  return store->ScanReverse(kind, each(false));
}

absl::StatusOr<Mappings> ReadDiffering(UidStore* store, UidKind kind, const Totals& totals) {
  Mappings mappings;
  if (totals.is_good()) return mappings;
  absl::flat_hash_set<std::string> names;
  absl::flat_hash_set<Uid> uids;
  HOURCELL_RETURN_IF_ERROR(VisitBoth(store, kind, [&](const UidMapping& mapping, bool) {
    if (!totals.Differs(mapping)) return;
    names.insert(mapping.name);
    uids.insert(mapping.uid);
  }));
  HOURCELL_RETURN_IF_ERROR(VisitBoth(store, kind, [&](const UidMapping& mapping, bool is_forward) {
    if (!uids.contains(mapping.uid) && !names.contains(mapping.name)) return;
    if (is_forward) {
      mappings.forward.emplace(mapping.name, mapping.uid);
    } else {
      mappings.reverse.emplace(mapping.uid, mapping.name);
    }
  }));
  return mappings;
}

// The check of one kind. Findings use `found_`, the mappings as read; repairs are planned on
// `fixed_`, so that a later repair sees the effect of an earlier one.
class KindCheck {
 public:
  KindCheck(
      const Layout& layout, UidStore* store, UidKind kind, const Totals& totals, Mappings mappings)
      : layout_(layout),
        store_(*store),
        kind_(kind),
        width_(layout.width(kind)),
        totals_(totals),
        found_(std::move(mappings)),
        fixed_(found_) {
    for (const auto& [name, uid] : found_.forward)
      names_of_[uid].push_back(name);
  }

  absl::Status CheckForward();
  void CheckReverse();
  void CheckCounter(const absl::StatusOr<Uid>& counter);

  // The changes from the mappings found to the fixed ones, in the order of UidChange.
  std::vector<UidChange> Repairs() const;
  std::vector<UidFinding> TakeFindings(bool repaired);

 private:
  struct Finding {
    std::string text;
    bool is_error;
    bool has_repair;
    Uid wasted = kNoUid;
  };

  void Error(std::string text) { findings_.push_back({std::move(text), true, true}); }
  void Warning(std::string text, bool has_repair) {
    findings_.push_back({std::move(text), false, has_repair});
  }
  std::string NameText(std::string_view stored) const;
  std::string UidText(Uid uid) const { return UidHex(uid, width_); }

  bool IsInconsistent(Forwards::const_iterator forward) const;
  absl::Status RepairForward(Uid uid);
  absl::StatusOr<std::string> MergedName(Uid uid, const std::vector<std::string>& names) const;
  absl::StatusOr<bool> IsTaken(const std::string& name) const;

  const Layout& layout_;
  UidStore& store_;
  const UidKind kind_;
  const size_t width_;
  const Totals& totals_;
  const Mappings found_;
  Mappings fixed_;
  std::map<Uid, std::vector<std::string>> names_of_;  // forwards of found_, by id, in name order
  std::optional<Uid> fixed_counter_;
  std::vector<Finding> findings_;
};

absl::Status KindCheck::CheckForward() {
  for (const auto& [name, uid] : found_.forward) {
    const std::string mapping =
        fmt::format("{} {} -> {}", KindName(kind_), NameText(name), UidText(uid));
    const auto reverse = found_.reverse.find(uid);
    if (reverse == found_.reverse.end()) {
      Error(fmt::format("{}: no reverse mapping", mapping));
      HOURCELL_RETURN_IF_ERROR(RepairForward(uid));
      continue;
    }
    const std::string& other = reverse->second;
    if (other == name) continue;
    Error(
        fmt::format("{}: the reverse mapping is {} -> {}", mapping, UidText(uid), NameText(other)));
    if (const auto it = found_.forward.find(other); it != found_.forward.end()) {
      Error(fmt::format("{}: inconsistent with {} -> {}", mapping, NameText(other),
                        UidText(it->second)));
    }
    HOURCELL_RETURN_IF_ERROR(RepairForward(uid));
  }
  return absl::OkStatus();
}

void KindCheck::CheckReverse() {
  for (const auto& [uid, name] : found_.reverse) {
    const std::string mapping =
        fmt::format("{} {} -> {}", KindName(kind_), UidText(uid), NameText(name));
    const auto forward = found_.forward.find(name);
    if (forward == found_.forward.end()) {
      Warning(fmt::format("{}: no forward mapping", mapping), /*has_repair=*/true);
    } else if (forward->second != uid) {
      Error(fmt::format("{}: the forward mapping is {} -> {}", mapping, NameText(name),
                        UidText(forward->second)));
    } else {
      continue;
    }
    if (!names_of_.contains(uid) && !IsInconsistent(forward)) findings_.back().wasted = uid;
    // Skipped if a repair of the id's forwards has already given it the right name.
    if (!names_of_.contains(uid)) fixed_.reverse.erase(uid);
  }
}

// True for a name whose UID has another name. A name without a UID is consistent.
bool KindCheck::IsInconsistent(Forwards::const_iterator forward) const {
  if (forward == found_.forward.end()) return false;
  const auto reverse = found_.reverse.find(forward->second);
  return reverse == found_.reverse.end() || reverse->second != forward->first;
}

void KindCheck::CheckCounter(const absl::StatusOr<Uid>& counter) {
  const Uid highest = totals_.highest;
  const uint64_t names = std::max(totals_.forward, totals_.reverse);
  if (!counter.ok()) {
    Error(fmt::format("{} counter: {}", KindName(kind_), std::string(counter.status().message())));
    fixed_counter_ = highest;
  } else if (*counter == 0 && kind_ == UidKind::kMetric && highest / 2 > names) {
    Warning(fmt::format("metrics counter: is 0, ids go up to {}; are they random?", highest),
            /*has_repair=*/false);
  } else if (*counter < highest) {
    Error(fmt::format("{} counter: below the highest id found; expected {}, got {}",
                      KindName(kind_), highest, *counter));
    fixed_counter_ = highest;
  } else if (*counter > names) {
    Warning(fmt::format("{} counter: is {} with {} names found; were {} ids deleted?",
                        KindName(kind_), *counter, names, *counter - names),
            /*has_repair=*/false);
  }
}

absl::Status KindCheck::RepairForward(Uid uid) {
  const std::vector<std::string>& names = names_of_.at(uid);
  if (names.size() == 1) {
    fixed_.reverse[uid] = names[0];
    return absl::OkStatus();
  }
  // Points of all these names went into the same series, so none is the right one.
  if (!fixed_.forward.contains(names[0])) return absl::OkStatus();  // merged already
  HOURCELL_ASSIGN_OR_RETURN(const std::string merged, MergedName(uid, names));
  for (const std::string& name : names)
    fixed_.forward.erase(name);
  fixed_.forward[merged] = uid;
  fixed_.reverse[uid] = merged;
  return absl::OkStatus();
}

// True if a name of the store, or of a repair, is `name`.
absl::StatusOr<bool> KindCheck::IsTaken(const std::string& name) const {
  if (fixed_.forward.contains(name)) return true;
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, store_.GetForward(kind_, name));
  return uid.has_value();
}

absl::StatusOr<std::string> KindCheck::MergedName(Uid uid,
                                                  const std::vector<std::string>& names) const {
  std::string merged = "fsck";
  for (const std::string& name : names) {
    merged += "." + name;
    if (merged.size() > kNameBytesMax) {
      merged = "fsck." + UidText(uid);
      break;
    }
  }
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_taken, IsTaken(merged));
    if (!is_taken) return merged;
    merged =
        merged.size() + 17 > kNameBytesMax ? "fsck." + UidText(uid) : merged + "." + UidText(uid);
  }
}

std::vector<UidChange> KindCheck::Repairs() const {
  std::vector<UidChange> changes;
  const auto add = [&](ChangeKind what, Uid uid, std::string name) {
    changes.push_back({.what = what, .kind = kind_, .uid = uid, .name = std::move(name)});
  };
  if (fixed_counter_) add(ChangeKind::kSetCounter, *fixed_counter_, {});
  for (const auto& [uid, name] : fixed_.reverse) {
    const auto it = found_.reverse.find(uid);
    if (it == found_.reverse.end() || it->second != name) add(ChangeKind::kSetReverse, uid, name);
  }
  for (const auto& [name, uid] : fixed_.forward) {
    if (!found_.forward.contains(name)) add(ChangeKind::kSetForward, uid, name);
  }
  for (const auto& [name, uid] : found_.forward) {
    if (!fixed_.forward.contains(name)) add(ChangeKind::kDeleteForward, uid, name);
  }
  for (const auto& [uid, name] : found_.reverse) {
    if (!fixed_.reverse.contains(uid)) add(ChangeKind::kDeleteReverse, uid, name);
  }
  return changes;
}

std::vector<UidFinding> KindCheck::TakeFindings(bool repaired) {
  std::vector<UidFinding> findings;
  for (Finding& finding : findings_) {
    findings.push_back({.text = std::move(finding.text),
                        .is_error = finding.is_error,
                        .repaired = repaired && finding.has_repair,
                        .is_wasted = finding.wasted != kNoUid,
                        .kind = kind_,
                        .uid = finding.wasted});
  }
  return findings;
}

std::string KindCheck::NameText(std::string_view stored) const {
  const absl::StatusOr<std::string> text = DecodeName(stored, layout_.names);
  return QuoteForMessage(text.ok() ? std::string_view(*text) : stored);
}

uint64_t CountFindings(const std::vector<UidFinding>& findings, bool are_errors) {
  return static_cast<uint64_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const UidFinding& finding) { return finding.is_error == are_errors; }));
}

}  // namespace

std::string LineOf(const UidFinding& finding) {
  return fmt::format("{}: {}{}", finding.is_error ? "error" : "warning", finding.text,
                     finding.repaired ? " (repaired)" : "");
}

uint64_t UidCheckReport::errors() const {
  return CountFindings(findings, true);
}
uint64_t UidCheckReport::warnings() const {
  return CountFindings(findings, false);
}

absl::StatusOr<UidCheckReport> CheckUids(const Layout& layout, UidStore* store, bool repair) {
  UidCheckReport report;
  for (const UidKind kind : kUidKinds) {
    const absl::StatusOr<Uid> counter = store->GetCounter(kind);
    if (!counter.ok() && !absl::IsDataLoss(counter.status())) return counter.status();
    HOURCELL_ASSIGN_OR_RETURN(const Totals totals, SumMappings(store, kind));
    HOURCELL_ASSIGN_OR_RETURN(Mappings mappings, ReadDiffering(store, kind, totals));

    KindCheck check(layout, store, kind, totals, std::move(mappings));
    HOURCELL_RETURN_IF_ERROR(check.CheckForward());
    check.CheckReverse();
    check.CheckCounter(counter);
    report.mappings += totals.forward + totals.reverse;

    if (repair) {
      if (const std::vector<UidChange> changes = check.Repairs(); !changes.empty()) {
        HOURCELL_RETURN_IF_ERROR(store->Commit(changes));
        HOURCELL_KILL_POINT("fsck:names");
      }
    }
    for (UidFinding& finding : check.TakeFindings(/*repaired=*/repair)) {
      report.findings.push_back(std::move(finding));
    }
  }
  return report;
}

}  // namespace hourcell
