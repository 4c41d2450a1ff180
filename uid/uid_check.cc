#include "uid/uid_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/name.h"
#include "uid/uid_text.h"

namespace hourcell {
namespace {

using What = UidChange::What;

// All rows of one kind.
struct Mappings {
  std::map<std::string, Uid, std::less<>> forward;
  std::map<Uid, std::string> reverse;
};

absl::StatusOr<Mappings> ReadMappings(UidStore* store, UidKind kind) {
  Mappings mappings;
  HOURCELL_RETURN_IF_ERROR(store->ScanForward(kind, "", [&](const UidMapping& mapping) {
    mappings.forward.emplace(mapping.name, mapping.uid);
    return true;
  }));
  HOURCELL_RETURN_IF_ERROR(store->ScanReverse(kind, [&](const UidMapping& mapping) {
    mappings.reverse.emplace(mapping.uid, mapping.name);
    return true;
  }));
  return mappings;
}

// The check of one kind. Findings are made on `found_`, which stays as it was read; repairs are
// planned on `fixed_`, so that a later repair sees what an earlier one did.
class KindCheck {
 public:
  KindCheck(const Layout& layout, UidKind kind, Mappings mappings)
      : layout_(layout),
        kind_(kind),
        width_(layout.width(kind)),
        found_(std::move(mappings)),
        fixed_(found_) {
    for (const auto& [name, uid] : found_.forward)
      names_of_[uid].push_back(name);
  }

  void CheckForward();
  void CheckReverse();
  void CheckCounter(const absl::StatusOr<Uid>& counter);

  size_t mappings() const { return found_.forward.size() + found_.reverse.size(); }

  // What turns the mappings found into the fixed ones, in the order of UidChange.
  std::vector<UidChange> Repairs() const;
  std::vector<UidFinding> TakeFindings(bool repaired);

 private:
  struct Finding {
    std::string text;
    bool is_error;
    bool has_repair;
  };

  void Error(std::string text) { findings_.push_back({std::move(text), true, true}); }
  void Warning(std::string text, bool has_repair) {
    findings_.push_back({std::move(text), false, has_repair});
  }
  std::string NameText(std::string_view stored) const;
  std::string UidText(Uid uid) const { return UidHex(uid, width_); }
  Uid HighestUid() const;

  void RepairForward(Uid uid);
  std::string MergedName(Uid uid, const std::vector<std::string>& names) const;

  const Layout& layout_;
  const UidKind kind_;
  const size_t width_;
  const Mappings found_;
  Mappings fixed_;
  std::map<Uid, std::vector<std::string>> names_of_;  // forwards of found_, by id, in name order
  std::optional<Uid> fixed_counter_;
  std::vector<Finding> findings_;
};

void KindCheck::CheckForward() {
  for (const auto& [name, uid] : found_.forward) {
    const std::string mapping =
        fmt::format("{} {} -> {}", KindName(kind_), NameText(name), UidText(uid));
    const auto reverse = found_.reverse.find(uid);
    if (reverse == found_.reverse.end()) {
      Error(fmt::format("{}: no reverse mapping", mapping));
      RepairForward(uid);
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
    RepairForward(uid);
  }
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
    // Unless a repair of its forwards has given the id its right name by now.
    if (!names_of_.contains(uid)) fixed_.reverse.erase(uid);
  }
}

void KindCheck::CheckCounter(const absl::StatusOr<Uid>& counter) {
  const Uid highest = HighestUid();
  const size_t names = std::max(found_.forward.size(), found_.reverse.size());
  if (!counter.ok()) {
    Error(fmt::format("{} counter: {}", KindName(kind_), std::string(counter.status().message())));
    fixed_counter_ = highest;
  } else if (*counter == 0 && kind_ == UidKind::kMetric && highest / 2 > names) {
    Warning(fmt::format("metrics counter: is 0, ids go up to {}; are they random?", highest),
            /*has_repair=*/false);
  } else if (*counter < highest) {
    Error(fmt::format("{} counter: below the highest id found; got {}; want {}", KindName(kind_),
                      *counter, highest));
    fixed_counter_ = highest;
  } else if (*counter > names) {
    Warning(fmt::format("{} counter: is {} with {} names found; were {} ids deleted?",
                        KindName(kind_), *counter, names, *counter - names),
            /*has_repair=*/false);
  }
}

Uid KindCheck::HighestUid() const {
  const Uid highest_forward = names_of_.empty() ? 0 : names_of_.rbegin()->first;
  const Uid highest_reverse = found_.reverse.empty() ? 0 : found_.reverse.rbegin()->first;
  return std::max(highest_forward, highest_reverse);
}

void KindCheck::RepairForward(Uid uid) {
  const std::vector<std::string>& names = names_of_.at(uid);
  if (names.size() == 1) {
    fixed_.reverse[uid] = names[0];
    return;
  }
  // Points of all these names went into the same series: no name is more right than another.
  if (!fixed_.forward.contains(names[0])) return;  // done at the first of them
  const std::string merged = MergedName(uid, names);
  for (const std::string& name : names)
    fixed_.forward.erase(name);
  fixed_.forward[merged] = uid;
  fixed_.reverse[uid] = merged;
}

std::string KindCheck::MergedName(Uid uid, const std::vector<std::string>& names) const {
  std::string merged = "fsck";
  for (const std::string& name : names) {
    merged += "." + name;
    if (merged.size() > kNameBytesMax) {
      merged = "fsck." + UidText(uid);
      break;
    }
  }
  while (found_.forward.contains(merged) || fixed_.forward.contains(merged)) {
    merged =
        merged.size() + 17 > kNameBytesMax ? "fsck." + UidText(uid) : merged + "." + UidText(uid);
  }
  return merged;
}

std::vector<UidChange> KindCheck::Repairs() const {
  std::vector<UidChange> changes;
  const auto add = [&](What what, Uid uid, std::string name) {
    changes.push_back({.what = what, .kind = kind_, .uid = uid, .name = std::move(name)});
  };
  if (fixed_counter_) add(What::kSetCounter, *fixed_counter_, {});
  for (const auto& [uid, name] : fixed_.reverse) {
    const auto it = found_.reverse.find(uid);
    if (it == found_.reverse.end() || it->second != name) add(What::kSetReverse, uid, name);
  }
  for (const auto& [name, uid] : fixed_.forward) {
    if (!found_.forward.contains(name)) add(What::kSetForward, uid, name);
  }
  for (const auto& [name, uid] : found_.forward) {
    if (!fixed_.forward.contains(name)) add(What::kDeleteForward, uid, name);
  }
  for (const auto& [uid, name] : found_.reverse) {
    if (!fixed_.reverse.contains(uid)) add(What::kDeleteReverse, uid, name);
  }
  return changes;
}

std::vector<UidFinding> KindCheck::TakeFindings(bool repaired) {
  std::vector<UidFinding> findings;
  for (Finding& finding : findings_) {
    findings.push_back({.text = std::move(finding.text),
                        .is_error = finding.is_error,
                        .repaired = repaired && finding.has_repair});
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
    HOURCELL_ASSIGN_OR_RETURN(Mappings mappings, ReadMappings(store, kind));

    KindCheck check(layout, kind, std::move(mappings));
    check.CheckForward();
    check.CheckReverse();
    check.CheckCounter(counter);
    report.mappings += check.mappings();

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
