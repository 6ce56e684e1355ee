// tests/profiling/session/recorded_values_test.cpp: what recordings hold is what exports say, of
// one device or of several in one session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/profiling/session/synthetic.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Scene, variant, axes, device, step, metric → measured value. Made from the file's lines by other
// means than a Session, so that the two can be compared.
using Figure =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;
using Figures = std::map<Figure, double>;

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return to_text(AxisValue(value.get<double>()));
}

// Only the axes that the variant has: old recordings named every axis of the scene.
std::string axes_of(const std::string& scene, const std::string& variant, const json& axes) {
  std::map<std::string, std::string> own;
  const std::vector<Axis>& known = (*built_in_catalogue().find(scene))->axes;
  for (const auto& [name, value] : axes.items()) {
    const Axis* axis = find_axis(known, name);
    if (axis != nullptr && of_variant(*axis, variant)) own[name] = text_of(value);
  }
  // What stood fixed in the kernels before there were axes for it.
  for (const auto& [name, value] :
       {std::pair("index_width", "64"), std::pair("launch_bounds", "32"),
        std::pair("block_known", "compile time"), std::pair("copy", "one by one"),
        std::pair("broken", "on")}) {
    const Axis* axis = find_axis(known, name);
    if (axis == nullptr || !of_variant(*axis, variant)) continue;
    const bool narrow = variant == "block_row_zero_test" && axis->name == "index_width";
    own.emplace(name, narrow ? "32" : value);
  }
  std::string text;
  for (const auto& [name, value] : own) text += name + "=" + value + " ";
  return text;
}

void add_measured(const json& metrics, const Figure& at, Figures& figures) {
  for (const json& metric : metrics) {
    if (metric.value("origin", "measured") != "measured" || !metric.contains("value") ||
        !metric["value"].is_number())
      continue;
    Figure figure = at;
    std::get<5>(figure) = metric["id"].get<std::string>();
    figures[figure] = metric["value"].get<double>();
  }
}

Figures of_measurement(const json& m) {
  const std::string scene = m["scene"], variant = m["variant"];
  const Figure at{
      scene, variant, axes_of(scene, variant, m["axes"]), m["conditions"].value("device_uuid", ""),
      "",    ""};
  Figures figures;
  add_measured(m["metrics"], at, figures);
  for (const json& step : m["steps"]) {
    Figure place = at;
    std::get<4>(place) = step["name"].get<std::string>();
    if (step.contains("metrics")) add_measured(step["metrics"], place, figures);
  }
  return figures;
}

// The newest line of a place counts, and what older ones of the same source knew besides.
Figures measured_in(const std::string& session_lines) {
  std::map<std::string, std::pair<std::string, Figures>> places;
  std::istringstream lines(session_lines);
  for (std::string line; std::getline(lines, line);) {
    const json m = json::parse(line);
    if (m["type"] != "measurement" || m.value("partial", false)) continue;
    const std::string place = m["scene"].get<std::string>() + m["variant"].get<std::string>() +
                              axes_of(m["scene"], m["variant"], m["axes"]) +
                              m["conditions"].value("device_uuid", "");
    const std::string source = m["conditions"].value("source_hash", "");
    auto& [known_source, known] = places[place];
    Figures figures = of_measurement(m);
    if (source == known_source && m["verdict"]["outcome"] == "correct") figures.merge(known);
    known_source = source;
    known = std::move(figures);
  }
  Figures all;
  for (auto& [place, kept] : places) all.merge(kept.second);
  return all;
}

Figures exported_csv(const Session& session) {
  const auto rows = *parse_csv(tidy_csv(session));
  const std::vector<std::string>& names = rows.at(0);
  std::set<std::string> axes;
  for (const Measurement* m : session.all_points()) {
    for (const auto& [name, value] : m->axes.values()) axes.insert(name);
  }
  Figures figures;
  for (std::size_t at = 1; at < rows.size(); ++at) {
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = rows[at].at(i);
    if (row["origin"] != "measured" || row["value"].empty()) continue;
    std::string configuration;
    for (const std::string& axis : axes) {
      // A file axis may be empty and is there all the same.
      const Axis* known = find_axis((*session.catalogue().find(row["scene"]))->axes, axis);
      if (known != nullptr && of_variant(*known, row["variant"]))
        configuration += axis + "=" + row[axis] + " ";
    }
    figures[{row["scene"], row["variant"], configuration, row["device_uuid"], row["step"],
             row["metric"]}] = std::stod(row["value"]);
  }
  return figures;
}

Figures exported_json(const Session& session) {
  Figures all;
  for (const json& m : json::parse(points_json(session))) all.merge(of_measurement(m));
  return all;
}

void expect_equal(const Figures& exported, const Figures& recorded) {
  ASSERT_GT(recorded.size(), 100u);
  EXPECT_EQ(exported.size(), recorded.size());
  for (const auto& [figure, value] : recorded) {
    const auto found = exported.find(figure);
    ASSERT_NE(found, exported.end())
        << std::get<1>(figure) << " " << std::get<2>(figure) << std::get<3>(figure) << " "
        << std::get<4>(figure) << " " << std::get<5>(figure);
    ASSERT_EQ(found->second, value) << std::get<1>(figure) << " " << std::get<5>(figure);
  }
}

TEST(RecordedValues, AreTheSameInEveryExport) {
  std::vector<std::filesystem::path> files;
  for (const char* scene : {"patterns", "csrmm", "led"}) files.push_back(recorded_session(scene));
  for (const auto& old : std::filesystem::directory_iterator(source_folder() / "tests/recordings"))
    files.push_back(old.path());
  ASSERT_GE(files.size(), 5u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const std::string text = *session_text(file);
    const Result<SessionReading> reading = read_session(file);
    ASSERT_TRUE(reading);
    const Figures recorded = measured_in(text);
    expect_equal(exported_csv(reading->session), recorded);
    expect_equal(exported_json(reading->session), recorded);
  }
}

// The same recording as another card of the same name made it, half as fast.
std::string of_another_card(const std::string& text) {
  std::istringstream lines(text);
  std::string other;
  for (std::string line; std::getline(lines, line);) {
    json object = json::parse(line);
    if (const auto c = object.find("conditions"); c != object.end() && c->contains("device_uuid"))
      (*c)["device_uuid"] = "GPU-0" + (*c)["device_uuid"].get<std::string>().substr(5);
    if (object["type"] == "measurement") {
      for (json& metric : object["metrics"]) {
        if (metric["id"] == "time.warm" && metric["value"].is_number())
          metric["value"] = 2 * metric["value"].get<double>();
      }
    }
    other += object.dump() + "\n";
  }
  return other;
}

TEST(RecordedValues, OfTwoCardsOfOneNameStandSideBySideInAJoinedSession) {
  const std::string text = *session_text(recorded_session("patterns")),
                    other = of_another_card(text);
  const TemporaryFile second(other);
  const Result<SessionReading> joined =
      read_sessions({recorded_session("patterns"), second.path()});
  ASSERT_TRUE(joined);
  Figures both = measured_in(text), more = measured_in(other);
  const std::size_t each = both.size();
  both.merge(more);
  ASSERT_EQ(both.size(), 2 * each);
  expect_equal(exported_csv(joined->session), both);
  expect_equal(exported_json(joined->session), both);
  EXPECT_EQ(joined->session.devices().size(), 2u);
  EXPECT_EQ(joined->session.roof_sets().size(), 2u);
  // The job numbers of the second file continue those of the first.
  const auto& jobs = joined->session.jobs();
  ASSERT_EQ(jobs.size() % 2, 0u);
  const auto middle = jobs.begin() + static_cast<std::ptrdiff_t>(jobs.size() / 2);
  const auto by_number = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto highest = std::max_element(jobs.begin(), middle, by_number)->first,
             lowest = std::min_element(middle, jobs.end(), by_number)->first;
  EXPECT_LT(highest, lowest);
  // The same lines in one file.
  std::string lines;
  ASSERT_TRUE(write_joined({recorded_session("patterns"), second.path()},
                           [&lines](std::string_view part) { lines += part; }));
  const TemporaryFile one(lines);
  const Result<SessionReading> again = read_session(one.path());
  ASSERT_TRUE(again);
  EXPECT_EQ(points_json(again->session), points_json(joined->session));
}

TEST(RecordedValues, HaveTheirDeviceSourceAndConfigurationInEveryRow) {
  Measurement m = synthetic("rows_per_block", 100);
  m.axes = *configured(**built_in_catalogue().find("csrmm"), m.variant, {});
  m.key.clear();
  complete_axes(m);
  m.conditions.device_uuid = "GPU-aaaa";
  m.conditions.code_id = "c0de";
  m.completed_axes = {"zeros", "sorted"};
  m.picked = std::make_shared<const PickedRow>(
      PickedRow{{"k_tiles", {{"turns", "2"}}}, PickReason::remembered, {}});
  Session session;
  session.apply(m);
  for (const std::string& csv : {tidy_csv(session), wide_csv(session)}) {
    const auto rows = *parse_csv(csv);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < rows[0].size(); ++i) row[rows[0][i]] = rows[1].at(i);
    EXPECT_EQ(row["device_uuid"], "GPU-aaaa");
    EXPECT_EQ(row["code_id"], "c0de");
    EXPECT_EQ(row["key"], m.key);
    EXPECT_EQ(row["problem"] + ",unroll=4", row["problem"] + "," + own_axes_text(m));
    EXPECT_EQ(row["problem"], m.problem);
    EXPECT_EQ(row["completed_axes"], "zeros sorted");
    EXPECT_EQ(row["picked"], "k_tiles turns=2");
    EXPECT_EQ(row["picked_because"], "remembered");
    EXPECT_EQ(row["unroll"], "4");
    EXPECT_EQ(row.count("league"), 1u);
  }
}

}  // namespace
}  // namespace warpscope
