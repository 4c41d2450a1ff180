// A store that clients of OpenTSDB and of Prometheus write, asked by Prometheus' API.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "promql/labels.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_series_reader.h"
#include "server/query/query_registry.h"
#include "server/query/query_run.h"
#include "tests/server/api_fixture.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell {

class PromqlTest : public ApiTest {
 protected:
  static constexpr int64_t kMs = kStartS * 1000;

  PromqlTest() { options().layout.names = NameEncoding::kAny; }

  void Write(const std::vector<PromTestSeries>& series) {
    const HttpResponse response =
        Send("POST /api/v1/write", PromMessage(PromWriteVersion::k1, series),
             {{"content-type", "application/x-protobuf"}});
    ASSERT_EQ(response.status, 204) << response.body;
  }

  // up of two hosts and load of one, a point each 15 s for a minute.
  void WriteHosts() {
    std::vector<PromTestSeries> series = {
        {.labels = {{"__name__", "up"}, {"host", "a"}, {"dc", "x"}}},
        {.labels = {{"__name__", "up"}, {"host", "b"}}},
        {.labels = {{"__name__", "load"}, {"host", "a"}}}};
    for (int64_t i = 0; i <= 4; ++i) {
      for (size_t s = 0; s < series.size(); ++s)
        series[s].samples.push_back(
            {static_cast<double>(10 * static_cast<int64_t>(s) + i), kMs + 15'000 * i});
    }
    Write(series);
  }

  // A form as Grafana posts it. `body` is percent-encoded.
  HttpResponse SendForm(std::string_view path, std::string body) {
    return Send(fmt::format("POST {}", path), std::move(body),
                {{"content-type", "application/x-www-form-urlencoded"}});
  }

  // Parameters in a form, their values encoded here.
  HttpResponse Ask(std::string_view path,
                   const std::vector<std::pair<std::string, std::string>>& params) {
    std::string form;
    for (const auto& [name, value] : params) {
      form += fmt::format("&{}=", name);
      for (const char c : value)
        form += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
    return SendForm(path, form.empty() ? form : form.substr(1));
  }

  // up{a="1", b="2"}; without other labels than the name, "up".
  static std::string SeriesText(const promql::Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels.pairs()) {
      if (name == promql::kMetricName) continue;
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ", ", name, value);
    }
    const std::string_view metric = labels.Get(promql::kMetricName);
    return text.empty() ? std::string(metric) : fmt::format("{}{{{}}}", metric, text);
  }

  // The service of a reader that tests use by itself.
  const PromSeriesReader& reader() {
    if (reader_ == nullptr) {
      service_ = {.tsdb = &tsdb(), .clock = &clock_, .registry = &registry_};
      const auto settings = InputSettingsOf(config());
      HOURCELL_CHECK(settings.ok());
      names_ = std::make_unique<NameRule>(tsdb().layout().names, "");
      reader_ = std::make_unique<PromSeriesReader>(&service_, names_.get(), *settings);
    }
    return *reader_;
  }

 private:
  QueryRegistry registry_{&clock_};
  QueryService service_;
  std::unique_ptr<NameRule> names_;
  std::unique_ptr<PromSeriesReader> reader_;
};

}  // namespace hourcell
