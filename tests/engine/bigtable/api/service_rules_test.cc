// The rules of the service (tests/support/bigtable/service_rules.h): our fake refuses whatever
// Google's emulator refuses, and requests that the service's documents forbid.

#include "tests/support/bigtable/service_rules.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/bigtable/bigtable_service.h"

namespace hourcell::service_rules_test {
namespace {

namespace api = google::bigtable::v2;
namespace admin = google::bigtable::admin::v2;

using grpc::StatusCode;
using testing::ElementsAre;

constexpr std::string_view kInstance = "projects/project/instances/instance";

void SetCell(const std::string& family, int64_t micros, api::Mutation* mutation) {
  api::Mutation::SetCell& cell = *mutation->mutable_set_cell();
  cell.set_family_name(family);
  cell.set_column_qualifier("q");
  cell.set_timestamp_micros(micros);
  cell.set_value("v");
}

// Calls without BigtableClient, which never makes most of these.
class ServiceRulesTest : public testing::TestWithParam<BigtableService> {
 protected:
  void SetUp() override {
    if (GetParam() == BigtableService::kGooglesEmulator) {
      HOURCELL_WANT_EMULATOR();
    } else {
      fake_ = std::make_unique<FakeBigtable>();
    }
    const auto channel =
        grpc::CreateChannel(fake_ != nullptr ? fake_->address() : SharedGoogleEmulator().address(),
                            grpc::InsecureChannelCredentials());
    data_ = api::Bigtable::NewStub(channel);
    admin_ = admin::BigtableTableAdmin::NewStub(channel);
    ASSERT_EQ(Create(id_, "h"), StatusCode::OK);
  }

  std::string Path() const { return fmt::format("{}/tables/{}", kInstance, id_); }

  StatusCode Create(const std::string& id, const std::string& family) {
    grpc::ClientContext context;
    admin::CreateTableRequest request;
    request.set_parent(std::string(kInstance));
    request.set_table_id(id);
    (*request.mutable_table()->mutable_column_families())[family];
    admin::Table made;
    return admin_->CreateTable(&context, request, &made).error_code();
  }
  StatusCode AddFamily(const std::string& id, const std::string& family) {
    grpc::ClientContext context;
    admin::ModifyColumnFamiliesRequest request;
    request.set_name(fmt::format("{}/tables/{}", kInstance, id));
    request.add_modifications()->set_id(family);
    request.mutable_modifications(0)->mutable_create();
    admin::Table changed;
    return admin_->ModifyColumnFamilies(&context, request, &changed).error_code();
  }

  // "": without the header.
  StatusCode Read(api::ReadRowsRequest request, const std::string& features = {}) {
    grpc::ClientContext context;
    if (!features.empty()) context.AddMetadata("bigtable-features", features);
    request.set_table_name(Path());
    const auto stream = data_->ReadRows(&context, request);
    keys_.clear();
    for (api::ReadRowsResponse message; stream->Read(&message);) {
      for (const auto& chunk : message.chunks())
        keys_.push_back(chunk.row_key());
    }
    return stream->Finish().error_code();
  }
  StatusCode ReadWith(const std::function<void(api::RowFilter* filter)>& make) {
    api::ReadRowsRequest request;
    make(request.mutable_filter());
    return Read(request);
  }

  using MakeMutation = std::function<void(api::Mutation* mutation)>;
  StatusCode Mutate(const std::string& key, const MakeMutation& make, int count = 1) {
    grpc::ClientContext context;
    api::MutateRowRequest request;
    request.set_table_name(Path());
    request.set_row_key(key);
    for (int i = 0; i < count; ++i)
      make(request.add_mutations());
    api::MutateRowResponse answer;
    return data_->MutateRow(&context, request, &answer).error_code();
  }
  StatusCode Put(const std::string& key) {
    return Mutate(key, [](api::Mutation* mutation) { SetCell("h", 1000, mutation); });
  }
  // The code of the call, or of the first entry that is refused.
  StatusCode MutateRows(api::MutateRowsRequest request) {
    grpc::ClientContext context;
    request.set_table_name(Path());
    const auto stream = data_->MutateRows(&context, request);
    StatusCode refused = StatusCode::OK;
    for (api::MutateRowsResponse message; stream->Read(&message);) {
      for (const auto& entry : message.entries()) {
        if (refused == StatusCode::OK) refused = static_cast<StatusCode>(entry.status().code());
      }
    }
    const StatusCode code = stream->Finish().error_code();
    return code == StatusCode::OK ? refused : code;
  }
  StatusCode CheckAndMutate(
      const std::string& key,
      const std::function<void(api::CheckAndMutateRowRequest* request)>& make) {
    grpc::ClientContext context;
    api::CheckAndMutateRowRequest request;
    request.set_table_name(Path());
    request.set_row_key(key);
    make(&request);
    api::CheckAndMutateRowResponse answer;
    return data_->CheckAndMutateRow(&context, request, &answer).error_code();
  }
  StatusCode Increment(const std::string& key,
                       const std::string& family,
                       const std::string& qualifier) {
    grpc::ClientContext context;
    api::ReadModifyWriteRowRequest request;
    request.set_table_name(Path());
    request.set_row_key(key);
    request.add_rules()->set_family_name(family);
    request.mutable_rules(0)->set_column_qualifier(qualifier);
    request.mutable_rules(0)->set_increment_amount(1);
    api::ReadModifyWriteRowResponse answer;
    return data_->ReadModifyWriteRow(&context, request, &answer).error_code();
  }

  std::unique_ptr<FakeBigtable> fake_;
  std::unique_ptr<api::Bigtable::Stub> data_;
  std::unique_ptr<admin::BigtableTableAdmin::Stub> admin_;
  const std::string id_ = FreshTablePrefix();
  std::vector<std::string> keys_;  // of the last read
};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         ServiceRulesTest,
                         testing::Values(BigtableService::kFake, BigtableService::kGooglesEmulator),
                         NameOfService);

// The emulator returns UNKNOWN where the service returns INVALID_ARGUMENT, and INTERNAL for an
// entry.
constexpr auto kRefusals = {StatusCode::INVALID_ARGUMENT, StatusCode::UNKNOWN,
                            StatusCode::INTERNAL};
MATCHER(IsRefused, "is a refusal of the request") {
  return std::ranges::find(kRefusals, arg) != kRefusals.end();
}

TEST_P(ServiceRulesTest, ReversedReadsNeedTheFeatureFlag) {
  for (const char* const key : {"a", "b", "c"})
    ASSERT_EQ(Put(key), StatusCode::OK);
  api::ReadRowsRequest request;
  request.set_reversed(true);

  EXPECT_EQ(Read(request), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Read(request, "CAA="), StatusCode::UNIMPLEMENTED);  // false
  EXPECT_EQ(Read(request, "CAE"), StatusCode::UNIMPLEMENTED);   // without its padding
  EXPECT_EQ(Read(request, "%%%%"), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Read(request, "CAE="), StatusCode::OK);
  EXPECT_THAT(keys_, ElementsAre("c", "b", "a"));
}

// The emulator looks at a filter when it comes to a row.
TEST_P(ServiceRulesTest, ChainsAndInterleavesHaveTwoFilters) {
  ASSERT_EQ(Put("a"), StatusCode::OK);
  for (const int count : {0, 1, 2}) {
    const StatusCode wanted = count < 2 ? StatusCode::INVALID_ARGUMENT : StatusCode::OK;
    EXPECT_EQ(ReadWith([&](api::RowFilter* filter) {
                filter->mutable_chain();
                for (int i = 0; i < count; ++i)
                  filter->mutable_chain()->add_filters()->set_cells_per_row_limit_filter(1);
              }),
              wanted);
    EXPECT_EQ(ReadWith([&](api::RowFilter* filter) {
                filter->mutable_interleave();
                for (int i = 0; i < count; ++i)
                  filter->mutable_interleave()->add_filters()->set_cells_per_row_limit_filter(1);
              }),
              wanted);
  }
  EXPECT_EQ(CheckAndMutate("a",
                           [](api::CheckAndMutateRowRequest* request) {
                             auto& chain = *request->mutable_predicate_filter()->mutable_chain();
                             chain.add_filters()->set_cells_per_row_limit_filter(1);
                             SetCell("h", 1000, request->add_true_mutations());
                           }),
            StatusCode::INVALID_ARGUMENT);
}

TEST_P(ServiceRulesTest, FiltersHaveArgumentsOfTheirKind) {
  ASSERT_EQ(Put("a"), StatusCode::OK);
  EXPECT_EQ(ReadWith([](auto* filter) { filter->set_cells_per_column_limit_filter(0); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](auto* filter) { filter->set_cells_per_row_limit_filter(-1); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](auto* filter) { filter->set_family_name_regex_filter("("); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](auto* filter) { filter->set_family_name_regex_filter("h"); }),
            StatusCode::OK);
}

TEST_P(ServiceRulesTest, RangesEndAfterTheyBegin) {
  api::ReadRowsRequest request;
  request.mutable_rows()->add_row_ranges()->set_start_key_closed("b");
  request.mutable_rows()->mutable_row_ranges(0)->set_end_key_open("a");
  EXPECT_EQ(Read(request), StatusCode::INVALID_ARGUMENT);
  request.mutable_rows()->mutable_row_ranges(0)->set_end_key_open("b");
  EXPECT_EQ(Read(request), StatusCode::OK);
}

TEST_P(ServiceRulesTest, WritesHaveAKeyAndMutations) {
  EXPECT_EQ(Put(""), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate("a", {}, /*count=*/0), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(CheckAndMutate("",
                           [](api::CheckAndMutateRowRequest* request) {
                             SetCell("h", 1000, request->add_false_mutations());
                           }),
            StatusCode::INVALID_ARGUMENT);
  api::MutateRowsRequest request;
  EXPECT_EQ(MutateRows(request), StatusCode::INVALID_ARGUMENT);
  request.add_entries()->set_row_key("a");
  EXPECT_EQ(MutateRows(request), StatusCode::INVALID_ARGUMENT);
  SetCell("h", 1000, request.mutable_entries(0)->add_mutations());
  EXPECT_EQ(MutateRows(request), StatusCode::OK);
  request.mutable_entries(0)->set_row_key("");
  EXPECT_THAT(MutateRows(request), IsRefused());
}

TEST_P(ServiceRulesTest, CellsAreOfAFamilyAndHaveTimesOfWholeMilliseconds) {
  const auto set = [&](const std::string& family, int64_t micros) {
    return Mutate("a", [&](auto* mutation) { SetCell(family, micros, mutation); });
  };
  EXPECT_THAT(set("none", 1000), IsRefused());
  EXPECT_THAT(set("", 1000), IsRefused());
  EXPECT_THAT(set("h", 1), IsRefused());
  EXPECT_THAT(set("h", -2000), IsRefused());
  EXPECT_EQ(set("h", 0), StatusCode::OK);
  EXPECT_THAT(Mutate("a", [](api::Mutation*) {}), IsRefused());
  api::MutateRowsRequest request;
  request.add_entries()->set_row_key("a");
  SetCell("none", 1000, request.mutable_entries(0)->add_mutations());
  EXPECT_THAT(MutateRows(request), IsRefused());
}

TEST_P(ServiceRulesTest, DeletionsNameAFamilyAndATimeRange) {
  ASSERT_EQ(Put("a"), StatusCode::OK);
  const auto remove = [&](const std::string& family, int64_t start, int64_t end) {
    return Mutate("a", [&](api::Mutation* mutation) {
      auto& removal = *mutation->mutable_delete_from_column();
      removal.set_family_name(family);
      removal.set_column_qualifier("q");
      removal.mutable_time_range()->set_start_timestamp_micros(start);
      removal.mutable_time_range()->set_end_timestamp_micros(end);
    });
  };
  EXPECT_THAT(remove("none", 0, 0), IsRefused());
  EXPECT_THAT(remove("h", 1, 0), IsRefused());
  EXPECT_THAT(remove("h", 5000, 2000), IsRefused());
  EXPECT_THAT(remove("h", 5000, 5000), IsRefused());
  EXPECT_EQ(remove("h", 2000, 5000), StatusCode::OK);
}

TEST_P(ServiceRulesTest, OnlyCountersAreIncremented) {
  ASSERT_EQ(Put("a"), StatusCode::OK);
  EXPECT_THAT(Increment("a", "h", "q"), IsRefused());  // "v"
  EXPECT_THAT(Increment("a", "none", "n"), IsRefused());
  EXPECT_EQ(Increment("a", "h", "n"), StatusCode::OK);
  EXPECT_EQ(Increment("a", "h", "n"), StatusCode::OK);
}

TEST_P(ServiceRulesTest, TablesAndFamiliesAreMadeOnce) {
  EXPECT_EQ(Create(id_, "h"), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(AddFamily(id_, "h"), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(AddFamily(id_, "t"), StatusCode::OK);
  EXPECT_EQ(AddFamily("none", "t"), StatusCode::NOT_FOUND);
}

TEST_P(ServiceRulesTest, SamplesAreKeysInsideATable) {
  api::MutateRowsRequest request;
  for (int i = 0; i < 3000; ++i) {
    auto& entry = *request.add_entries();
    entry.set_row_key(fmt::format("row-{:04}", i));
    SetCell("h", 1000, entry.add_mutations());
  }
  ASSERT_EQ(MutateRows(request), StatusCode::OK);

  grpc::ClientContext context;
  api::SampleRowKeysRequest sample;
  sample.set_table_name(Path());
  const auto stream = data_->SampleRowKeys(&context, sample);
  std::vector<std::string> keys;
  std::vector<int64_t> offsets;
  for (api::SampleRowKeysResponse message; stream->Read(&message);) {
    keys.push_back(message.row_key());
    offsets.push_back(message.offset_bytes());
  }
  ASSERT_TRUE(stream->Finish().ok());
  ASSERT_GT(keys.size(), 1u);
  EXPECT_EQ(keys.back(), "");
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end() - 1));
  EXPECT_TRUE(std::ranges::is_sorted(offsets));
}

// Rules of the service's documents that the emulator of version 528 does not have.
class FakeRulesTest : public ServiceRulesTest {};

INSTANTIATE_TEST_SUITE_P(OnEach,
                         FakeRulesTest,
                         testing::Values(BigtableService::kFake),
                         NameOfService);

TEST_P(FakeRulesTest, AFilterThatIsSentIsOne) {
  EXPECT_EQ(ReadWith([](api::RowFilter*) {}), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](api::RowFilter* filter) {
              filter->mutable_chain()->add_filters();
              filter->mutable_chain()->add_filters()->set_cells_per_row_limit_filter(1);
            }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](auto* filter) { filter->set_strip_value_transformer(false); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReadWith([](auto* filter) {
              filter->mutable_timestamp_range_filter()->set_end_timestamp_micros(1);
            }),
            StatusCode::INVALID_ARGUMENT);
  api::ReadRowsRequest negative;
  negative.set_rows_limit(-1);
  EXPECT_EQ(Read(negative), StatusCode::INVALID_ARGUMENT);
}

TEST_P(FakeRulesTest, SizesHaveTheDocumentedLimits) {
  fake_->SetLimits(
      {.mutations_max = 2, .key_bytes_max = 3, .qualifier_bytes_max = 1, .value_bytes_max = 1});
  const auto set = [](api::Mutation* mutation) { SetCell("h", 1000, mutation); };
  EXPECT_EQ(Mutate("abc", set, /*count=*/2), StatusCode::OK);
  EXPECT_EQ(Mutate("abc", set, /*count=*/3), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate("abcd", set), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate("abc",
                   [&](api::Mutation* mutation) {
                     set(mutation);
                     mutation->mutable_set_cell()->set_value("12");
                   }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Mutate("abc",
                   [&](api::Mutation* mutation) {
                     set(mutation);
                     mutation->mutable_set_cell()->set_column_qualifier("12");
                   }),
            StatusCode::INVALID_ARGUMENT);
}

// A repetition of a write that the service dates would be another cell.
TEST_P(FakeRulesTest, WritersGiveTheTimeOfACell) {
  EXPECT_EQ(Mutate("a", [](api::Mutation* mutation) { SetCell("h", -1, mutation); }),
            StatusCode::INVALID_ARGUMENT);
}

TEST_P(FakeRulesTest, NamesAreThoseThatTheServiceTakes) {
  EXPECT_EQ(Create("a b", "h"), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("", "h"), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create("-a", "h"), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create(std::string(51, 'a'), "h"), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Create(std::string(50, 'a'), "h"), StatusCode::OK);
  EXPECT_EQ(AddFamily(id_, "a b"), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(AddFamily(id_, ""), StatusCode::INVALID_ARGUMENT);
}

TEST_P(FakeRulesTest, AConditionalWriteHasMutationsAndACounterHasARow) {
  EXPECT_EQ(CheckAndMutate("a", [](api::CheckAndMutateRowRequest*) {}),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Increment("", "h", "n"), StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hourcell::service_rules_test
