#include "server/lab/lab_choices.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/lab/layouts_request.h"
#include "server/lab/simulate_request.h"
#include "tests/support/status_matchers.h"

namespace hourcell::lab_choices_test {
namespace {

// What is offered must be taken.
TEST(LabChoicesTest, EachCanBeChosen) {
  const std::string text = LabChoicesJson();
  simdjson::dom::parser parser;
  const simdjson::dom::element choices = parser.parse(text);
  const auto try_designs = [&](std::string_view list, std::string_view field,
                               std::string_view more = "") {
    for (const simdjson::dom::element choice : choices[list]) {
      const std::string_view name = choice["name"];
      const std::string body = fmt::format(R"({{"designs":[{{"{}":"{}"{}}}]}})", field, name, more);
      EXPECT_OK(ParseSimulateJson(body)) << body;
    }
  };
  try_designs("layouts", "layout");
  try_designs("distributors", "distributor");
  try_designs("presplits", "presplit", R"(,"layout":"salted:20")");
  for (const simdjson::dom::element policy : choices["policies"]) {
    const std::string name(std::string_view{policy});
    const std::string more = name == "KeyPrefix" ? R"(,"tsd.region.split.prefix_length":3)"
                             : name == "DelimitedKeyPrefix" ? R"(,"tsd.region.split.delimiter":"_")"
                                                            : "";
    EXPECT_OK(ParseSimulateJson(fmt::format(
        R"({{"designs":[{{"settings":{{"tsd.region.split.policy":"{}"{}}}}}]}})", name, more)))
        << name;
  }
  for (const std::string_view list : {"layouts", "cells", "rules", "workloads"}) {
    for (const simdjson::dom::element choice : choices["bench"][list]) {
      std::string_view name;
      if (choice.get(name) != simdjson::SUCCESS) name = choice["name"];
      EXPECT_OK(ParseLayoutsJson(fmt::format(R"({{"{}":["{}"]}})", list, name))) << name;
    }
  }
}

}  // namespace
}  // namespace hourcell::lab_choices_test
