// TableStoreTest: one suite for every TableStore. Its tests are in *_test.cc of this folder; a
// program that compiles them selects the engines with INSTANTIATE_TEST_SUITE_P.
//
// A test of a promise (engine/table/table_capabilities.h) begins with HOURCELL_WANT_PROMISE and is
// skipped on stores that do not make it. One of RegionStore begins with HOURCELL_WANT_REGIONS.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gtest/gtest.h>

#include "engine/table/table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell {

// One store of an engine. It is empty at first.
class TestedEngine {
 public:
  virtual ~TestedEngine() = default;

  // Opens the store, or opens it again, with its contents. REQUIRES: it is not open.
  virtual absl::StatusOr<std::unique_ptr<TableStore>> Open() = 0;
};

struct EngineCase {
  std::string name;
  // Null: this machine lacks something that the engine needs, and the test is skipped.
  std::function<std::unique_ptr<TestedEngine>()> make;

  friend void PrintTo(const EngineCase& engine, std::ostream* out) { *out << engine.name; }
};

class TableStoreTest : public testing::TestWithParam<EngineCase> {
 protected:
  using Rows = std::vector<std::pair<std::string, std::string>>;

  void SetUp() override {
    engine_ = GetParam().make();
    if (engine_ == nullptr) GTEST_SKIP() << GetParam().name << " is missing";
    Reopen();
  }

  // Without a close, as after kill -9, unless the test closed it.
  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<TableStore>> opened = engine_->Open();
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }

  bool Promises(TableCapability capability) const { return store_->capabilities().Has(capability); }

  absl::Status Apply(TableId table, Mutation::Kind kind, std::string key, std::string value) {
    const Mutation mutation{table, kind, std::move(key), std::move(value)};
    return store_->Apply({&mutation, 1}, /*sync=*/false);
  }
  absl::Status Set(TableId table, const std::string& key, const std::string& value) {
    return Apply(table, Mutation::Kind::kSet, key, value);
  }
  absl::Status Delete(TableId table, const std::string& key) {
    return Apply(table, Mutation::Kind::kDelete, key, "");
  }

  Rows Scan(TableId table, const ScanRange& range) {
    return ScanOf(store_->Snapshot().get(), table, range);
  }
  static Rows ScanOf(TableView* view, TableId table, const ScanRange& range) {
    Rows rows;
    EXPECT_OK(view->Scan(table, range, [&](std::string_view key, std::string_view value) {
      rows.emplace_back(key, value);
      return true;
    }));
    return rows;
  }
  std::optional<std::string> Get(TableId table, std::string_view key) {
    const absl::StatusOr<std::optional<std::string>> value = store_->Snapshot()->Get(table, key);
    EXPECT_OK(value);
    return value.ok() ? *value : std::nullopt;
  }

  std::unique_ptr<TestedEngine> engine_;
  std::unique_ptr<TableStore> store_;
};

inline std::string NameOfEngine(const testing::TestParamInfo<EngineCase>& tested) {
  return tested.param.name;
}

#define HOURCELL_WANT_PROMISE(capability)                                                       \
  if (!Promises(capability)) {                                                                  \
    GTEST_SKIP() << GetParam().name << " does not promise " << TableCapabilityName(capability); \
  }                                                                                             \
  static_assert(true)

#define HOURCELL_WANT_REGIONS()                                     \
  if (store_->regions() == nullptr) {                               \
    GTEST_SKIP() << GetParam().name << " divides tables by itself"; \
  }                                                                 \
  static_assert(true)

}  // namespace hourcell
